package groupskm_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/weightset"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/groupskm"
)

// What testdata/reference holds; see its README.md.
const (
	pathPoints = 133 // of warm_lloyd, in 10 cases
	partitions = 374 // with labels: 124 of warm_lloyd, 131 of multistart, 119 of fixed_start
	weightCalc = 28  // units of the weights for given gains
	gainCalc   = 6   // units of the sums of squares for given labels
)

// A reference is a case: recoded rows, groups and a grid of λ.
type reference struct {
	dir       string
	Name      string    `json:"case"`
	K         int       `json:"k"`
	SizeGroup bool      `json:"sizegroup"`
	Lambda    []float64 `json:"lambda"`
	rows      clustertest.Rows
	problem   framework.Problem
}

func references(t testing.TB) []reference {
	t.Helper()
	paths := must.Get(filepath.Glob(filepath.Join(unpacked, "*/params.json")))(t)
	var all []reference
	for _, path := range paths {
		text := must.Get(os.ReadFile(path))(t)
		r := reference{dir: filepath.Dir(path)}
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		columns := clustertest.ReadTable(t, filepath.Join(r.dir, "recoded_columns.csv"))
		r.rows = recoded(t, r.dir, columns)
		r.problem = r.rows.Problem(r.K)
		setGroups(&r.problem, columns.Column(t, "group_index"))
		all = append(all, r)
	}
	return all
}

// recoded returns the matrix of a case: its file, or (raw − center) / scale
// where there is none, see README.md.
func recoded(t testing.TB, dir string, columns clustertest.Table) clustertest.Rows {
	t.Helper()
	path := filepath.Join(dir, "recoded.csv")
	if _, err := os.Stat(path); err == nil {
		return clustertest.ReadTable(t, path).Rows(t)
	}
	raw := clustertest.ReadTable(t, filepath.Join(dir, "X.csv"))
	centers, scales := columns.Column(t, "center"), columns.Column(t, "scale")
	rows := framework.NewMatrix(len(raw.Cells), len(columns.Cells))
	for l, line := range columns.Cells {
		for i, x := range raw.Column(t, line[0]) {
			rows.Row(i)[l] = (x - centers[l]) / scales[l]
		}
	}
	return clustertest.Rows{X: rows, Size: 64}
}

// setGroups puts the columns into the groups with these numbers.
func setGroups(p *framework.Problem, numbers []float64) {
	var seen []float64
	for l, number := range numbers {
		g := slices.Index(seen, number)
		if g < 0 {
			g = len(seen)
			seen = append(seen, number)
			p.Groups = append(p.Groups, framework.Group{Name: fmt.Sprint(number), Weight: math.NaN()})
		}
		p.Columns[l].Group = g
	}
}

// params returns the parameters of a point of the path as text.
func (r reference) params(point int) map[string]string {
	p := map[string]string{"lambda": strconv.FormatFloat(r.Lambda[point], 'g', -1, 64), "weight_updates": "19"} // vimpclust's itermaxw − 1
	if !r.SizeGroup {
		p["group_penalty"] = "one"
	}
	return p
}

func (r reference) table(t *testing.T, folder, file string) clustertest.Table {
	t.Helper()
	return clustertest.ReadTable(t, filepath.Join(r.dir, folder, file))
}

// compare asks for values equal to 1e-12 (1 + |value|), as the references have 15
// digits and their weights are of the order of 1.
func compare(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= 1e-12*(1+math.Abs(w))) {
			t.Errorf("%s %d: %v, want %v", what, i, got[i], w)
		}
	}
}

func TestEveryPointOfEveryPathIsReproduced(t *testing.T) {
	ran := 0
	for _, r := range references(t) {
		start := r.table(t, "warm_lloyd", "initial_labels.csv").Labels(t, "label", 1)
		summary := r.table(t, "warm_lloyd", "summary.csv")
		for point := range r.Lambda {
			ran++
			name := fmt.Sprintf("L%d", point+1)
			t.Run(r.Name+"/"+name, func(t *testing.T) {
				res := r.rows.Fit(t, groupskm.GroupSKM{}, r.problem, r.params(point), fit.Start{Labels: start}, nil)
				want := r.table(t, "warm_lloyd", "labels.csv").Labels(t, name, 1)
				if !clustertest.SamePartition(res.Labels, want) {
					t.Error("another partition")
				}
				compare(t, "weight", res.Model.FeatureWeights, r.table(t, "warm_lloyd", "weights.csv").Column(t, name))
				compare(t, "group norm", norms(r.problem, res.Model.FeatureWeights), r.table(t, "warm_lloyd", "group_norms.csv").Column(t, name))
				r.compareSummary(t, res, summary, point)
				if res.Stop != framework.AllZero {
					compare(t, "gain", res.Model.Gain, r.table(t, "warm_lloyd", "bss.csv").Column(t, name))
				}
			})
		}
	}
	if ran != pathPoints {
		t.Errorf("%d points were compared, want %d", ran, pathPoints)
	}
}

func (r reference) compareSummary(t *testing.T, res clustertest.Fitted, summary clustertest.Table, point int) {
	t.Helper()
	row := func(name string) string { return summary.Cells[point][slices.Index(summary.Header, name)] }
	status := map[string]string{fit.Settled: "converged", framework.AllZero: "all_zero", fit.MaxIter: "max_iter"}[res.Stop]
	if status != row("status") {
		t.Errorf("status %s, want %s", status, row("status"))
	}
	if updates := fmt.Sprint(res.Model.Aux["weight_updates"][0]); updates != row("updates") {
		t.Errorf("%s updates of the weights, want %s", updates, row("updates"))
	}
	selected := 0
	for _, s := range res.Model.Selected {
		if s {
			selected++
		}
	}
	if fmt.Sprint(selected) != row("selected_features") {
		t.Errorf("%d selected features, want %s", selected, row("selected_features"))
	}
	criterion := 0.0
	if row("pen_crit") != "" {
		criterion = summary.Column(t, "pen_crit")[point]
	}
	compare(t, "criterion", []float64{res.Objective}, []float64{criterion})
}

// norms returns the norm of each group's weights.
func norms(p framework.Problem, w []float64) []float64 {
	return weightset.Grouped{Groups: p.GroupColumns()}.Norms(w)
}

func TestTheWeightsOfEveryReferencePartitionAreExact(t *testing.T) {
	ran := 0
	for _, r := range references(t) {
		for _, folder := range []string{"warm_lloyd", "multistart", "fixed_start"} {
			if _, err := os.Stat(filepath.Join(r.dir, folder)); err != nil {
				continue // fixed_start is absent where the package stops
			}
			for point := range r.Lambda {
				name := fmt.Sprintf("L%d", point+1)
				labels := r.table(t, folder, "labels.csv").Labels(t, name, 1)
				if slices.Contains(labels, -1) {
					continue // all weights are 0, or the package failed
				}
				ran++
				t.Run(r.Name+"/"+folder+"/"+name, func(t *testing.T) {
					res := r.rows.Fit(t, groupskm.GroupSKM{}, r.problem, r.params(point), fit.Start{Labels: labels},
						func(s *fit.Settings) { s.MaxIter = 0 })
					compare(t, "weight", res.Model.FeatureWeights, r.table(t, folder, "weights.csv").Column(t, name))
					compare(t, "gain", res.Model.Gain, r.table(t, folder, "bss.csv").Column(t, name))
				})
			}
		}
	}
	if ran != partitions {
		t.Errorf("%d partitions were compared, want %d", ran, partitions)
	}
}

func readJSON(t *testing.T, file string, to any) {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(unpacked, "units", file)))(t)
	must.Do(t, json.Unmarshal(text, to))
}

func TestEveryUnitOfTheWeightsIsReproduced(t *testing.T) {
	var units struct {
		Cases []struct {
			Label     string
			B         []float64
			Index     []float64
			Lambda    float64
			SizeGroup bool
			W         []float64
		}
	}
	readJSON(t, "groupsoft_units.json", &units)
	for _, u := range units.Cases {
		t.Run(u.Label, func(t *testing.T) {
			p := framework.Problem{P: len(u.B), Columns: make([]framework.Column, len(u.B))}
			setGroups(&p, u.Index)
			set := weightset.Grouped{Lambda: u.Lambda, Groups: p.GroupColumns()}
			for _, features := range set.Groups {
				a := 1.0
				if u.SizeGroup {
					a = math.Sqrt(float64(len(features)))
				}
				set.Factors = append(set.Factors, a)
			}
			w := framework.NewMatrix(1, len(u.B))
			must.Do(t, set.Project(w, framework.Point{X: framework.Matrix{Rows: 1, Cols: len(u.B), Data: u.B}}))
			compare(t, "weight", w.Data, u.W)
		})
	}
	if len(units.Cases) != weightCalc {
		t.Errorf("%d units, want %d", len(units.Cases), weightCalc)
	}
}

func TestEveryUnitOfTheSumsOfSquaresIsReproduced(t *testing.T) {
	var units struct {
		Cases []struct {
			Label   string
			X       [][]float64
			Labels  []int32
			W       []float64
			Between []float64 `json:"bss_per_feature"`
			Within  []float64 `json:"wss_per_feature"`
			BSS     float64   `json:"bss"`
			WSS     float64   `json:"wss"`
		}
	}
	readJSON(t, "weightedss_units.json", &units)
	for _, u := range units.Cases {
		t.Run(u.Label, func(t *testing.T) {
			rows := clustertest.Rows{X: framework.NewMatrix(len(u.X), len(u.X[0])), Size: 5}
			k := slices.Max(u.Labels)
			labels := make([]int32, len(u.Labels))
			for i, row := range u.X {
				labels[i] = u.Labels[i] - 1
				for l, v := range row {
					rows.X.Row(i)[l] = v
					if u.W != nil {
						rows.X.Row(i)[l] *= math.Sqrt(u.W[l])
					}
				}
			}
			p := rows.Problem(int(k))
			sums := means.NewSums(p)
			st := framework.NewStats(sums.Declare())
			for i := range rows.Blocks() {
				b := rows.Block(i)
				must.Do(t, sums.Collect(b, nil, labels[b.Row0:][:b.X.Rows], st))
			}
			var update means.Update
			sums.Update(&update, framework.NewMatrix(int(k), p.P), st)
			between := make([]float64, p.P)
			update.Between(between)
			sums.Update(&update, update.Mean.Clone(), st) // within: measured from the means
			var total float64
			for l, b := range between {
				total += b
				compare(t, "sum within", []float64{p.Columns[l].SumSq - b}, []float64{u.Within[l]})
			}
			compare(t, "sum between", between, u.Between)
			compare(t, "sum between and within", []float64{total, update.Objective}, []float64{u.BSS, u.WSS})
		})
	}
	if len(units.Cases) != gainCalc {
		t.Errorf("%d units, want %d", len(units.Cases), gainCalc)
	}
}
