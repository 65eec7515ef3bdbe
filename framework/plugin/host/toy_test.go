package host

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/sqlcluster/sqlcluster/framework"
)

// toy is k-means with a model that uses everything a model can have. With
// trouble it does harm in the Update after the second projection of the
// centers, in the middle of a fit.
type toy struct{ name string }

func (a toy) Describe() framework.Description {
	return framework.Description{
		Name: a.name, Version: "1", Summary: "k-means for tests", Paper: "none",
		Missing: true, Categorical: true, Groups: true, Empty: framework.Reseed, Scale: "sd",
		Params: []framework.Param{
			{Name: "trouble", Type: framework.ChoiceParam, Default: "none", Choices: []string{"none", "panic"}, Doc: "what goes wrong"},
			{Name: "rows", Type: framework.BoolParam, Default: "false", Doc: "Update reads rows"},
			{Name: "count", Type: framework.IntParam, Default: "1", Min: new(0.0), Doc: "unused"},
			{Name: "share", Type: framework.RealParam, Default: "0.5", Min: new(0.0), Max: new(1.0), Doc: "unused"},
			{Name: "note", Type: framework.TextParam, Doc: "unused"},
			{Name: "size", Type: framework.IntParam, Max: new(-0.5), Doc: "unused"},
			{Name: "loss", Type: framework.ChoiceParam, Required: true, Choices: []string{"one", "two"},
				Center: map[string]string{"one": "median", "two": "mean"}, Doc: "unused"},
		},
		ObjectiveTerms: []string{"a term", "−n log w"}, Path: "count", Looser: framework.Down, Center: "none",
		Predict: map[string]string{"note": "new", "count": "2"},
	}
}

func (a toy) New(p framework.Problem) (framework.Clusterer, error) {
	c := &toyClusterer{k: p.K, p: p.P, seed: p.Seed, trouble: p.Params.Text("trouble"), rows: p.Params.Bool("rows")}
	if p.Params.Int("count") == 0 {
		f := framework.Faultf(framework.Data, "count-zero", "the count is 0 with share %g", p.Params.Real("share")).
			At("count").WithHint("give more")
		f.Details, f.Similar, f.Err = []string{"one", "two"}, "count", os.ErrInvalid
		return nil, f
	}
	selects, links := &toySelector{c}, toyLinker{}
	switch a.name {
	case "plain":
		return c, nil
	case "linked":
		return struct {
			*toyClusterer
			toyLinker
		}{c, links}, nil
	case "linkedtoy":
		return struct {
			*toySelector
			toyLinker
		}{selects, links}, nil
	case "path":
		return toyPather{selects}, nil
	case "linkedpath":
		return struct {
			toyPather
			toyLinker
		}{toyPather{selects}, links}, nil
	}
	return selects, nil
}

type toyClusterer struct {
	k, p    int
	seed    uint64
	trouble string
	rows    bool
}

func (c *toyClusterer) Plan() framework.Plan {
	return framework.Plan{
		Stats:    []framework.Stat{{Name: "sum", Len: c.k * c.p}, {Name: "mass", Len: c.k * c.p}, {Name: "square", Len: 1}},
		Cadence:  [framework.Targets]framework.Cadence{framework.EveryUpdate, framework.WhenSettled},
		Monotone: false, NeedsRows: c.rows, Squared: true, Noise: true,
	}
}

func (c *toyClusterer) Begin() *framework.Model {
	return &framework.Model{
		Centers: framework.NewMatrix(c.k, c.p), FeatureWeights: ones(c.p), Selected: make([]bool, c.p),
		Aux: map[string][]float64{"negative zero": {math.Copysign(0, -1), math.NaN()}},
	}
}

func (c *toyClusterer) Scratch(rows int) framework.Scratch { return make([]float64, rows*c.k) }

func (c *toyClusterer) Assign(m *framework.Model, b framework.Block, labels []int32, s framework.Scratch) error {
	d := framework.Matrix{Rows: b.X.Rows, Cols: c.k, Data: s.([]float64)}
	if err := c.Distances(m, b, d); err != nil {
		return err
	}
	for i := range labels {
		labels[i] = 0
		for j, v := range d.Row(i) {
			if v < d.Row(i)[labels[i]] {
				labels[i] = int32(j)
			}
		}
	}
	return nil
}

func (c *toyClusterer) Collect(b framework.Block, from, to []int32, s framework.Stats) error {
	add := func(i int, j int32, sign float64) {
		if j < 0 {
			return
		}
		for l, x := range b.X.Row(i) {
			if !math.IsNaN(x) {
				s[0][int(j)*c.p+l] += sign * b.Weight(i) * x
				s[1][int(j)*c.p+l] += sign * b.Weight(i)
				s[2][0] += sign * b.Weight(i) * x * x
			}
		}
	}
	for i := range to {
		if from != nil {
			add(i, from[i], -1)
		}
		add(i, to[i], 1)
	}
	return nil
}

func (c *toyClusterer) Update(
	ctx context.Context, m *framework.Model, s framework.Stats, rows framework.Rows, labels []int32,
) (framework.Step, error) {
	if m.Round == 2 {
		if err := c.makeTrouble(ctx); err != nil {
			return framework.Step{}, err
		}
	}
	at := &framework.Point{X: framework.NewMatrix(c.k, c.p), ColMass: ones(c.p), RowMass: make([]float64, c.k)}
	step := framework.Step{Objective: s[2][0], Mass: make([]float64, c.k)}
	for i, mass := range s[1] {
		if mass > 0 {
			at.X.Data[i] = s[0][i] / mass
		}
		step.Objective += mass*m.Centers.Data[i]*m.Centers.Data[i] - 2*s[0][i]*m.Centers.Data[i]
		step.Mass[i/c.p] += mass
		at.RowMass[i/c.p] += mass
	}
	if c.rows { // something that depends on them: nudges the centers
		for t := range rows.Blocks() {
			b := rows.Block(t)
			for i := range b.X.Rows {
				if j := labels[b.Row0+i]; j >= 0 {
					at.X.Data[int(j)*c.p] += 1e-3 * b.Weight(i) / float64(1+b.Row0+i)
				}
			}
		}
	}
	step.At[framework.Centers] = at
	step.At[framework.FeatureWeights] = &framework.Point{X: framework.NewMatrix(1, c.p), Gain: s[0][:c.p]}
	return step, nil
}

func (c *toyClusterer) Project(m *framework.Model, t framework.Target, at framework.Point) (framework.Outcome, error) {
	if t == framework.Centers {
		m.Centers.CopyFrom(at.X)
		m.Round++
		return framework.Outcome{}, nil
	}
	m.Gain = append([]float64(nil), at.Gain...)
	for l, g := range m.Gain {
		m.Selected[l] = g > 0
	}
	return framework.Outcome{}, nil
}

func (c *toyClusterer) Distances(m *framework.Model, b framework.Block, dst framework.Matrix) error {
	for i := range b.X.Rows {
		for j := range c.k {
			sum := 0.0
			for l, x := range b.X.Row(i) {
				if d := x - m.Centers.Row(j)[l]; !math.IsNaN(x) {
					sum += d * d
				}
			}
			dst.Row(i)[j] = sum
		}
	}
	return nil
}

type toySelector struct{ *toyClusterer }

func (c *toySelector) Features(m *framework.Model) []framework.Feature {
	features := make([]framework.Feature, c.p)
	for l := range features {
		features[l] = framework.Feature{Column: l, Cluster: -1, Selected: m.Selected[l], Weight: math.NaN(), Gain: m.Centers.Data[l], Rank: l + 1}
	}
	return features
}

// A toyPather proposes the number of the model's round, and as many as it is
// asked for.
type toyPather struct{ *toySelector }

func (toyPather) Grid(m *framework.Model, n int) []float64 {
	grid := make([]float64, n)
	for i := range grid {
		grid[i] = float64(i + m.Round)
	}
	return grid
}

// A toyLinker has linked all rows to the first.
type toyLinker struct{}

func (toyLinker) AssignLinked(_ context.Context, _ *framework.Model, _ framework.Rows, labels []int32) error {
	for i := range labels {
		labels[i] = labels[0]
	}
	return nil
}

func (toyLinker) LinkCosts(context.Context, *framework.Model, framework.Rows, []int32) ([]float64, error) {
	return nil, nil
}

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// floodBytes is more than all buffers between the processes can hold.
const floodBytes = 8 << 20

func flood(f *os.File) {
	line := strings.Repeat("chatter ", 127) + "\n"
	for range floodBytes / len(line) {
		fmt.Fprint(f, line)
	}
}

// makeTrouble is what an algorithm may do to its process.
func (c *toyClusterer) makeTrouble(ctx context.Context) error {
	switch c.trouble {
	case "panic":
		panic("the toy is broken")
	case "background panic":
		go func() { panic("in the background") }()
		<-ctx.Done()
	case "exit":
		fmt.Fprintln(os.Stderr, "the licence has expired")
		os.Exit(3)
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		<-ctx.Done()
	case "freeze":
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		<-ctx.Done() // another thread may get the signal, and later
	case "flood":
		flood(os.Stdout)
		flood(os.Stderr)
	case "wait": // works until it is told to stop
		fmt.Fprintln(os.Stderr, "working")
		<-ctx.Done()
		return ctx.Err()
	case "deaf": // cannot be stopped
		fmt.Fprintln(os.Stderr, "working")
		<-make(chan int)
	case "fault":
		return framework.Faultf(framework.Data, "toy-fault", "seed %d is unlucky", c.seed)
	}
	return nil
}
