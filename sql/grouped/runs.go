package grouped

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// Fits are those of the groups of a relation: the same as those of their queries, bit for
// bit.
type Fits struct {
	*Each
	First *job.Job // of which the others are again; no rows are read for it
}

// NewFits returns fits whose settings are possible, as far as they go without data.
func NewFits(s settings.Settings, l library.Library) (*Fits, error) {
	e := newEach(s, l)
	s.By, e.results = nil, ofFit(s)
	first, err := job.New(s, e.library)
	return &Fits{e, first}, err
}

// Read finds the groups.
func (f *Fits) Read(ctx context.Context, src PartSource, progress func(rows int)) error {
	return f.Each.Read(ctx, src, f.First.Spec(), progress)
}

// Runs are the fits, after Read.
func (f *Fits) Runs() *Batches[*result.Tables] { return batches(f.Each, f.fit) }

// read returns the fit of a group, whose rows have been read. Close it.
func (f *Fits) read(ctx context.Context, group, threads int) (*job.Job, error) {
	s, src, err := f.ofGroup(ctx, group, threads)
	if err != nil {
		return nil, err
	}
	b := f.First.AgainBeside(s)
	b.Settings.Relation, b.Settings.Threads = s.Relation, threads
	if err := b.Read(ctx, src, nil); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

func (f *Fits) fit(ctx context.Context, group, threads int) (*result.Tables, result.Model, error) {
	var m result.Model
	b, err := f.read(ctx, group, threads)
	if err != nil {
		return nil, m, err
	}
	defer b.Close()
	done, err := b.Fit(ctx, nil)
	if err != nil {
		return nil, m, err
	}
	tables, err := b.Tables(done)
	if err != nil {
		return nil, m, err
	}
	return tables, modelOf(&tables.Fit, append(b.Notes, done.Notes...)), nil
}

// modelOf is the row of the models of a run that has ended.
func modelOf(f *result.Fit, notes []string) result.Model {
	converged := f.Converged // of which nothing else stays
	return result.Model{Status: result.Fitted, P: f.P, K: f.K, Objective: f.Objective, Iterations: f.Iterations, Converged: &converged,
		Notes: notes}
}

// Paths are those of the groups of a relation.
type Paths struct {
	*Each
	First *job.Path // for its settings
	grid  settings.Grid
}

// NewPaths returns paths whose settings are possible, as far as they go without data.
func NewPaths(s settings.Settings, l library.Library, g settings.Grid, o job.PathOptions) (*Paths, error) {
	e := newEach(s, l)
	s.By, e.results = nil, []string{schema.Path, schema.PathFeatures, schema.Fit}
	if o.Labels {
		e.results = append(e.results, schema.PathAssignments)
	}
	first, err := job.NewPath(s, e.library, g, o)
	return &Paths{e, first, g}, err
}

// Read finds the groups.
func (p *Paths) Read(ctx context.Context, src PartSource, progress func(rows int)) error {
	return p.Each.Read(ctx, src, p.First.Spec(), progress)
}

// Runs are the paths, after Read. A group none of whose values has a fit fails.
func (p *Paths) Runs() *Batches[*result.Path] {
	return batches(p.Each, func(ctx context.Context, group, threads int) (*result.Path, result.Model, error) {
		var m result.Model
		s, src, err := p.ofGroup(ctx, group, threads)
		if err != nil {
			return nil, m, err
		}
		one, err := job.NewPath(s, p.library, p.grid, p.First.PathOptions)
		if err != nil {
			return nil, m, err
		}
		defer one.Close()
		if err := one.Read(ctx, src, nil); err != nil {
			return nil, m, err
		}
		if err := one.Run(ctx, func(int, int, *tune.Point) {}); err != nil {
			return nil, m, err
		}
		if err := one.Failed(); err != nil {
			return nil, m, err
		}
		tables, err := one.Tables("")
		if err != nil {
			return nil, m, err
		}
		m = modelOf(&tables.Fit, one.Notes)
		m.Iterations = -1 // of many fits
		return tables, m, nil
	})
}

// Tunings are those of the groups of a relation.
type Tunings struct {
	*Each
	First *job.Tuning // for its settings
	Fit   bool        // fit what is chosen, too
	grid  settings.Grid
}

// NewTunings returns tunings whose settings are possible, as far as they go without data.
func NewTunings(s settings.Settings, l library.Library, g settings.Grid, o settings.TuneOptions) (*Tunings, error) {
	e := newEach(s, l)
	s.By, e.results = nil, append(ofFit(s), schema.Tune, schema.TuneDraws, schema.TuneFolds)
	first, err := job.NewTuning(s, e.library, g, o)
	return &Tunings{Each: e, First: first, grid: g}, err
}

// Read finds the groups.
func (t *Tunings) Read(ctx context.Context, src PartSource, progress func(rows int)) error {
	spec := t.First.Spec()
	if t.First.ByClasses() {
		spec.Exclude = append(spec.Exclude[:len(spec.Exclude):len(spec.Exclude)], t.First.Truth)
		t.asks = true
	}
	return t.Each.Read(ctx, src, spec, progress)
}

// Runs are the tunings, and fits, after Read. A group for which nothing is chosen has no
// fit.
func (t *Tunings) Runs() *Batches[*result.Tune] {
	return batches(t.Each, func(ctx context.Context, group, threads int) (*result.Tune, result.Model, error) {
		var m result.Model
		s, src, err := t.ofGroup(ctx, group, threads)
		if err != nil {
			return nil, m, err
		}
		one, err := job.NewTuning(s, t.library, t.grid, t.First.TuneOptions)
		if err != nil {
			return nil, m, err
		}
		defer one.Close()
		if err := one.Read(ctx, src, nil); err != nil {
			return nil, m, err
		}
		if err := one.Run(ctx, nil); err != nil {
			return nil, m, err
		}
		if err := one.Failed(); err != nil {
			return nil, m, err
		}
		var done *job.Fitted
		if t.Fit && one.Chosen() >= 0 {
			if done, err = one.FitChosen(ctx); err != nil {
				return nil, m, err
			}
		}
		tables, err := one.Tables(done, "")
		if err != nil {
			return nil, m, err
		}
		return tables, tunedModel(one, tables), nil
	})
}

// tunedModel is the row of the models of a tuning.
func tunedModel(t *job.Tuning, r *result.Tune) result.Model {
	if r.Final != nil {
		return modelOf(&r.Final.Fit, t.Notes)
	}
	m := modelOf(&r.Fit, t.Notes)
	m.Converged, m.Iterations = nil, -1
	if at := t.Chosen(); at >= 0 {
		m.K = t.Points[at].K
	} else {
		m.K, m.Status, m.Message = 0, result.NoStructure, "the rows have no structure that values could be chosen by"
	}
	return m
}
