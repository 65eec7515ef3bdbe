package job

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
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
		return settings.Wrong("draws", "%s is %d; it must be 2 to 10000", framework.Setting("draws"), o.Draws)
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
	if of.StopReason == result.Unfinished {
		return nil, model.Unfinished(run)
	}
	if of.IsPath() {
		return nil, framework.Faultf(framework.Data, "run-is-a-path", "run %q is no single fit", run).
			WithHint("fit one of its values, and look at that")
	}
	if of.StopReason == framework.AllZero {
		return nil, model.NoClusters(run)
	}
	s, also, err := settings.Recorded(of.Params, relation, l)
	if err != nil {
		return nil, model.Damaged(run, err)
	}
	if also["truth"] != nil {
		return nil, framework.Faultf(framework.Data, "pairs-of-classes", "run %q was fitted with pairs made of classes, which are not kept", run).
			WithHint("fit with %s, and look at that", framework.Setting("pairs"))
	}
	if also["engine"] != nil {
		return nil, framework.Faultf(framework.Data, "needs-rows",
			"run %q was fitted where its rows are, and its stability needs them here", run).
			WithHint("fit a part of the rows without %s, and look at that", framework.Setting("engine"))
	}
	if s.Start != "" || also[startOf] != nil {
		return nil, framework.Faultf(framework.Data, "start-and-draws", "run %q has a given start, which is one for all of its rows", run).
			WithHint("fit without %s, and look at that", framework.Setting("start"))
	}
	if names := s.NotKept(); names != nil {
		return nil, framework.Faultf(framework.Data, "rows-not-kept", "run %q was made in SQL with %s, whose rows are not kept with it", run,
			input.Listed(input.NamesOf(names, framework.Setting))).
			WithHint("fit by the command, with a table or a query of these rows, and look at that run")
	}
	if of.Approximate {
		return nil, framework.Faultf(framework.Data, "batch-and-draws", "run %q is approximate: its start is from batches of its rows", run).
			WithHint("fit without %s, and look at that", framework.Setting("batch"))
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
		return framework.Faultf(framework.Data, "constraints-and-draws", "constraints of a plugin do not go with rows that are drawn").
			At("constraints")
	}
	if result.RunID(s.fit.Params+s.fit.Algorithm+s.fit.Version, s.fingerprint) != s.fit.RunID {
		return otherRows(s.Of)
	}
	if now, err := s.record(); err != nil || now != s.fit.Params {
		return errors.Join(err, s.notRepeated())
	}
	maps.Copy(s.also, map[string]any{"of": s.fit.RunID, "draws": s.Draws, "resample": s.Resample})
	s.record = sync.OnceValues(s.recorded)
	return nil
}

// notRepeated is the fault of a run that would not be made in the same way now.
func (s *Stability) notRepeated() error {
	var differ []string
	if s.fit.Version != s.Algorithm.Version {
		differ = append(differ, fmt.Sprintf("it was made by version %s of %s, and this is version %s",
			s.fit.Version, s.Algorithm.Name, s.Algorithm.Version))
	}
	if s.fit.ToolVersion != s.library.Version {
		differ = append(differ, fmt.Sprintf("it was written by sqlcluster %s, and this is %s", s.fit.ToolVersion, s.library.Version))
	}
	return framework.Faultf(framework.Data, "run-not-repeatable", "run %q cannot be made again as it was", s.Of).
		WithDetails(differ).
		WithHint("fit again, and use that run")
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
		Settings: s.Settings.Fitting()}
	for b := range s.Draws {
		sweep.Draws = append(sweep.Draws, tune.Draw{Kind: kind, Number: b})
	}
	if s.startsFromLabels() {
		sweep.Start = s.startOfLabels
	}
	err = s.sweep(ctx, host, sweep, s.Problem, s.Data, func(t tune.Trial) error {
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
	if err == nil && !s.repeats(s.Trials[0].Objective) {
		err = s.notRepeated()
	}
	return err
}

// repeats reports whether an objective is that of the run, which has had rounding errors
// taken out of it. It would not be if a setting were lost, or an algorithm had changed.
func (s *Stability) repeats(objective float64) bool {
	return math.Abs(objective-s.fit.Objective) <= 1e-9*max(math.Abs(s.fit.Objective), s.squares())
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
	own, draws := s.Trials[0], s.Trials[1:]
	of := tune.NewStability(s.Problem.K, s.Problem.P, own, draws)
	for b, t := range draws {
		row := result.StabilityDraw{Draw: t.Draw - 1, Rows: len(t.Rows), Status: t.Status(), Converged: t.Converged, Iterations: t.Iterations,
			Selected: t.Selected, ARI: of.Draws[b].ARI}
		if t.Err != nil {
			row.Iterations, row.Selected = -1, -1
		}
		r.Draws = append(r.Draws, row)
		for j, v := range of.Draws[b].Jaccards {
			r.Jaccards = append(r.Jaccards, result.StabilityJaccard{Draw: t.Draw - 1, Cluster: j, Jaccard: v})
		}
	}
	sizes := make([]int, s.Problem.K)
	for _, j := range own.Labels {
		if j >= 0 {
			sizes[j]++
		}
	}
	for j, c := range of.Clusters {
		r.Clusters = append(r.Clusters, result.StabilityCluster{Cluster: j, Size: sizes[j], Jaccard: c.Jaccard, Error: c.Error,
			Dissolved: c.Dissolved, Recovered: c.Recovered})
	}
	for j, frequencies := range of.Features {
		columns := own.Columns
		if own.Local == nil {
			j = -1
		} else {
			columns = own.Local[j]
		}
		for l, frequency := range frequencies {
			f := s.Recipe.Features[l]
			r.Features = append(r.Features, result.StabilityFeature{Feature: f.Column(), Category: category(f), Cluster: j,
				Selected: slices.Contains(columns, l), Frequency: frequency})
		}
	}
	return r, nil
}

// otherRows is the fault of a relation whose rows, or a program whose results, are not
// those of a run.
func otherRows(run string) *framework.Fault {
	return framework.Faultf(framework.Data, "not-the-rows-of-the-run", "the relation does not have the rows that run %q was fitted to", run).
		At("relation").WithHint("fit again, and use that run")
}
