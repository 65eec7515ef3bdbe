package job

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// StabilityOptions say how rows are drawn anew.
type StabilityOptions struct {
	Draws    int
	Resample string // Subsample, Bootstrap
}

// What is drawn.
const (
	Subsample = "subsample" // half of the rows
	Bootstrap = "bootstrap" // as many rows with replacement, each of them once
)

// Resamples lists them.
func Resamples() []string { return []string{Subsample, Bootstrap} }

// Check refuses what no data allow.
func (o StabilityOptions) Check() error {
	if o.Draws < 2 || o.Draws > 10_000 {
		return wrong("draws", "%s is %d; it must be 2 to 10000", framework.Setting("draws"), o.Draws)
	}
	return input.OneOf("resample", o.Resample, Resamples())
}

// A Stability says how well the clusters of a run are found again in some of its rows.
type Stability struct {
	*Job
	StabilityOptions
	Of     string // the run
	Trials []tune.Trial

	fit     *result.Fit
	seconds float64
}

// NewStability returns the stability of a run, whose row of NAME_fit is given, with the
// relation that it was fitted to.
func NewStability(of *result.Fit, run, relation string, threads int, l library.Library, o StabilityOptions) (*Stability, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if of.IsPath() {
		return nil, framework.Faultf(framework.Data, "run-is-a-path", "run %q is no single fit", run).
			WithHint("fit one of its values, and look at that")
	}
	s, also, err := Recorded(of.Params, relation, l)
	if err != nil {
		return nil, model.Damaged(run, err)
	}
	if also["truth"] != nil {
		return nil, framework.Faultf(framework.Data, "pairs-of-classes", "run %q was fitted with pairs made of classes, which are not kept", run).
			WithHint("fit with %s, and look at that", framework.Setting("pairs"))
	}
	if s.Start != "" || also[startOf] != nil {
		return nil, framework.Faultf(framework.Data, "start-and-draws", "run %q has a given start, which is one for all of its rows", run).
			WithHint("fit without %s, and look at that", framework.Setting("start"))
	}
	s.Threads = threads
	b, err := New(s, l)
	if err != nil {
		return nil, err
	}
	b.also = also
	return &Stability{Job: b, StabilityOptions: o, Of: run, fit: of}, nil
}

// Read reads the rows of the run, and refuses others.
func (s *Stability) Read(ctx context.Context, src Source, progress func(rows int)) error {
	if err := s.Job.Read(ctx, src, progress); err != nil {
		return err
	}
	if len(s.foreign()) > 0 {
		return framework.Faultf(framework.Data, "constraints-and-draws", "constraints of a plugin do not go with rows that are drawn").At("constraints")
	}
	row, err := s.fitWithoutModel("stability", "")
	if err != nil {
		return err
	}
	if row.RunID != s.fit.RunID {
		return otherRows(s.Of)
	}
	return nil
}

// Run fits the rows once more, and each draw. progress may be nil. After an error,
// Trials has what was done before it.
func (s *Stability) Run(ctx context.Context, progress func(ended, of int)) error {
	began := time.Now()
	defer func() { s.seconds = time.Since(began).Seconds() }()
	s.Launch(ctx)
	host, err := s.host.Wait()
	if err != nil {
		return err
	}
	kind := tune.Half
	if s.Resample == Bootstrap {
		kind = tune.Bootstrap
	}
	sweep := tune.Sweep{Candidates: []tune.Candidate{{K: s.Problem.K, Params: s.Problem.Params}}, Draws: []tune.Draw{{}}, Labels: true,
		Settings: s.Settings.fitting()}
	for b := range s.Draws {
		sweep.Draws = append(sweep.Draws, tune.Draw{Kind: kind, Number: b})
	}
	err = sweep.In(ctx, host, s.Algorithm.Name, s.Problem, s.Data, func(t tune.Trial) error {
		s.Trials = append(s.Trials, t)
		if progress != nil {
			progress(len(s.Trials), len(sweep.Draws))
		}
		return nil
	})
	slices.SortFunc(s.Trials, func(a, b tune.Trial) int { return a.Draw - b.Draw })
	if err == nil && s.Trials[0].Err != nil {
		err = s.Trials[0].Err
	}
	if err == nil && math.Abs(s.Trials[0].Objective-s.fit.Objective) > 1e-9*math.Abs(s.fit.Objective) && s.fit.Version != s.Algorithm.Version {
		err = framework.Faultf(framework.Data, "another-version", "version %s of %s does not find the clusters of run %q, which version %s has made",
			s.Algorithm.Version, s.Algorithm.Name, s.Of, s.fit.Version).WithHint("fit again, and look at that")
	}
	return err
}

// Tables returns the rows of the tables. stopped is why not all draws were made; "" if
// they were.
func (s *Stability) Tables(stopped string) (*result.Stability, error) {
	r := &result.Stability{KeyName: s.Table.KeyName, Keys: s.Table.Keys}
	var err error
	if r.Fit, err = s.fitWithoutModel("stability", stopped); err != nil {
		return nil, err
	}
	r.Run = s.run(s.seconds)
	if len(s.Trials) == 0 || s.Trials[0].Draw != 0 {
		return r, nil
	}
	k, own := s.Problem.K, s.Trials[0].Labels
	of := make([][]float64, k)
	selected := make([]int, s.Problem.P)
	made := 0
	for _, t := range s.Trials[1:] {
		row := result.StabilityDraw{Draw: t.Draw - 1, Rows: len(t.Rows), Status: t.Status(), Converged: t.Converged, Iterations: t.Iterations,
			Selected: t.Selected, ARI: math.NaN()}
		if t.Err != nil {
			row.Iterations, row.Selected = -1, -1
			r.Draws = append(r.Draws, row)
			continue
		}
		made++
		for _, l := range t.Columns {
			selected[l]++
		}
		among := make([]int32, len(t.Rows))
		for i, row := range t.Rows {
			among[i] = own[row]
		}
		row.ARI = score.NewTable(among, t.Labels).ARI()
		r.Draws = append(r.Draws, row)
		for j, v := range tune.Jaccards(k, own, t.Rows, t.Labels) {
			r.Jaccards = append(r.Jaccards, result.StabilityJaccard{Draw: t.Draw - 1, Cluster: j, Jaccard: v})
			if v == v {
				of[j] = append(of[j], v)
			}
		}
	}
	for j, values := range of {
		r.Clusters = append(r.Clusters, stabilityOf(j, sizeOf(own, j), values))
	}
	for l, f := range s.Recipe.Features {
		r.Features = append(r.Features, result.StabilityFeature{Feature: f.Column(), Category: category(f),
			Selected: slices.Contains(s.Trials[0].Columns, l), Frequency: float64(selected[l]) / float64(made)})
	}
	return r, nil
}

func sizeOf(labels []int32, cluster int) (n int) {
	for _, j := range labels {
		if int(j) == cluster {
			n++
		}
	}
	return n
}

// stabilityOf sums the Jaccard coefficients of a cluster up.
func stabilityOf(cluster, size int, values []float64) result.StabilityCluster {
	c := result.StabilityCluster{Cluster: cluster, Size: size}
	n := float64(len(values))
	for _, v := range values {
		c.Jaccard += v / n
		if v < 0.5 {
			c.Dissolved += 1 / n
		}
		if v > 0.75 {
			c.Recovered += 1 / n
		}
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - c.Jaccard) * (v - c.Jaccard)
	}
	c.Error = math.Sqrt(squares / (n - 1) / n)
	if n == 0 {
		c.Jaccard, c.Dissolved, c.Recovered = math.NaN(), math.NaN(), math.NaN()
	}
	return c
}
