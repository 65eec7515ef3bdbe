package job

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
	"github.com/sqlcluster/sqlcluster/sql/distant"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// An Elsewhere is a Job whose rows stay in an engine: the algorithm is in this process,
// and each pass over the rows is a statement there.
type Elsewhere struct {
	*Job
	ElsewhereOptions

	relation distant.Relation
	rows     distant.Labelled // of Problem
	begun    map[startKey]fit.Beginning
}

// startKey is what a start depends on.
type startKey struct{ k, restart int }

// engineInit is the start method of rows that stay in an engine, where none is given: the
// usual one would be a pass for each cluster.
const engineInit = "kmeans||"

// NewElsewhere returns a job whose rows stay in an engine, whose settings are possible, as
// far as they go without data.
func NewElsewhere(s settings.Settings, l library.Library, o ElsewhereOptions) (*Elsewhere, error) {
	b, err := New(withoutRows(s), l)
	if err != nil {
		return nil, err
	}
	return elsewhere(b, o)
}

// ElsewhereOptions say where rows are that stay there.
type ElsewhereOptions struct {
	Engine string // as results record it
	Run    string // whose tables are there, too, and whose assignments are there alone; "": all are with the other tables
}

// withoutRows completes settings as suits rows that stay in an engine.
func withoutRows(s settings.Settings) settings.Settings {
	if s.Origin("init") == settings.ByDefault {
		s.Init = engineInit
	}
	return s
}

// elsewhere is a job whose rows stay in an engine, if that is possible.
func elsewhere(b *Job, o ElsewhereOptions) (*Elsewhere, error) {
	e := &Elsewhere{Job: b, ElsewhereOptions: o, begun: map[startKey]fit.Beginning{}}
	if b.also == nil {
		b.also = map[string]any{}
	}
	if b.also["engine"] = o.Engine; o.Run != "" {
		b.also["assignments"] = o.Run + "_" + schema.Assignments
	}
	if err := e.needsRows(); err != nil {
		return nil, err
	}
	return e, e.checkAlgorithm()
}

// needsRows refuses what is only possible with all rows or labels here.
func (e *Elsewhere) needsRows() error {
	s := &e.Settings
	for _, c := range []struct {
		given             bool
		setting, why, try string
	}{
		{s.Pairs != "", "pairs", "rows with pairs are labelled one after the other", ""},
		{s.Labels != "", "labels", "the classes of rows go with their labels, which stay in the engine", ""},
		{s.Trim > 0, "trim", "which rows are farthest is only known when all have been measured", ""},
		{s.Batch > 0, "batch", "starts are made of a few passes there, whatever the number of rows", ""},
		{len(s.By) > 0, "by", "the passes of each group would be statements of their own", "fit one group: a query with WHERE"},
		{len(s.Long) > 0, "long", "triples become rows only when they are read", "a query that makes a column of each feature (PIVOT)"},
		{s.Distances > 0, "distances", "rows are written with their two nearest centers", ""},
	} {
		if !c.given {
			continue
		}
		f := distant.NeedsRows(c.setting, c.why)
		if c.try != "" {
			f.Hint += "; or give " + c.try
		}
		return f
	}
	return nil
}

// probed is how many features the problem has that algorithms are asked with.
const probed = 1 << 10

// checkAlgorithm refuses algorithms that label or sum rows in a way that no engine
// knows. Whether it suits the data is asked when they are known.
func (e *Elsewhere) checkAlgorithm() error {
	local := e.Algorithm.Local
	if local == nil {
		return framework.Faultf(framework.Usage, "needs-rows",
			"algorithm %s is not possible with %s: the plugin that serves it would need all rows",
			e.Algorithm.Name, framework.Setting("engine")).At("algorithm").
			WithHint("use an algorithm that comes with sqlcluster, such as %s", settings.PlainAlgorithm)
	}
	p := framework.Problem{N: probed, P: probed, K: e.Problem.K, Mass: probed, Columns: make([]framework.Column, probed),
		Params: e.Problem.Params, Seed: e.Problem.Seed}
	for l := range p.Columns {
		p.Columns[l] = framework.Column{Name: fmt.Sprint(l), Group: l, Scale: 1, Mass: probed, SumSq: probed, Max: 1}
	}
	c, err := local.New(p)
	if err != nil {
		return nil // as it may be of these data
	}
	_, err = means.FormulaOf(c, e.Algorithm.Name)
	return err
}

// Read looks at the relation in its engine, and reads what the settings name beside it.
func (e *Elsewhere) Read(ctx context.Context, beside Source, rows distant.Relation) error {
	began := time.Now()
	scaling, err := e.Settings.Scaling()
	if err != nil {
		return err
	}
	known, err := rows.Learn(ctx, e.Spec(), scaling)
	if err != nil {
		return err
	}
	e.relation, e.Table, e.Recipe, e.fingerprint = rows, known.Table, known.Recipe, known.Fingerprint
	e.Table.Keys = input.NoKeys{Numbered: input.Numbered(known.Problem.N), SQL: e.Table.KeyType}
	before := e.Problem
	e.Problem = known.Problem
	e.Problem.K, e.Problem.Seed, e.Problem.Params = before.K, before.Seed, before.Params
	e.Table.Encoded = e.Recipe.Features
	if err := e.enough(e.Problem.N); err != nil {
		return err
	}
	if err := e.readBeside(ctx, beside); err != nil {
		return err
	}
	if e.rows, err = e.bind(e.Problem); err != nil {
		return err
	}
	e.readTime = time.Since(began)
	if err := e.noteRows(); err != nil || e.Start.Given() {
		return err
	}
	distinct, err := e.rows.Rows.Distinct(ctx, e.Problem.K)
	if err != nil {
		return err
	}
	return e.distinctEnough(distinct)
}

// readBeside reads groups, constraints and start.
func (e *Elsewhere) readBeside(ctx context.Context, src Source) error {
	s := &e.Settings
	var groups map[string]framework.Group
	if s.Groups != "" {
		var err error
		if groups, err = src.ReadGroups(ctx, s.Groups, e.Table); err != nil {
			return err
		}
	}
	if groups != nil || e.Recipe.HasCategories() {
		e.Recipe.SetGroups(groups)
		e.Problem.Groups = e.Recipe.ProblemGroups()
		for l := range e.Problem.Columns {
			e.Problem.Columns[l].Group = e.Recipe.Features[l].Group
		}
	}
	if err := e.groupsRead(groups); err != nil {
		return err
	}
	if err := e.readConstraints(ctx, noRows{src}); err != nil {
		return err
	}
	e.noteGroups(groups)
	if err := e.refused(); err != nil {
		return err
	}
	err := e.readStart(ctx, noRows{src})
	if f := framework.AsFault(err); f != nil && f.Code == "start-columns" {
		return framework.Faultf(framework.Data, "needs-rows",
			"with %s, a start is of centers, and this one is of rows", framework.Setting("engine")).
			At("start").WithHint("give a row for each cluster, feature and center, such as the table NAME_centers of a run")
	}
	return err
}

// noRows is a Source for rows that stay in an engine: it has no columns beside them.
type noRows struct{ Source }

// ReadStart reads centers. Other starts name rows, by a key that the table does not have.
func (s noRows) ReadStart(ctx context.Context, relation string, t *input.Table, k int, zeros bool) (input.Start, error) {
	nameless := *t
	nameless.KeyName = ""
	return s.Source.ReadStart(ctx, relation, &nameless, k, zeros)
}

// bind makes the clusterer of a problem, and gets the rows as it has them.
func (e *Elsewhere) bind(p framework.Problem) (all distant.Labelled, err error) {
	all.Problem = p
	if all.Clusterer, err = e.Algorithm.Local.New(e.sent(p)); err != nil {
		return all, err
	}
	if e.restrictsElsewhere() {
		all.Clusterer = fit.Restrict(all.Clusterer, p.Centers)
	}
	formula, err := means.FormulaOf(all.Clusterer, e.Algorithm.Name)
	if err != nil {
		return all, err
	}
	all.Rows, err = e.relation.Bind(formula, p)
	return all, err
}

// Fit fits the rows, or goes on from where a fit of them stood. keep is told after each
// iteration what it could go on from; it and progress may be nil.
func (e *Elsewhere) Fit(ctx context.Context, from *fit.Stand, keep func(fit.Stand) error, progress func(fit.Iteration)) (*Fitted, error) {
	began := time.Now()
	f, err := e.fit(ctx, e.rows, from, keep, progress)
	if err != nil {
		return nil, err
	}
	f.seconds = time.Since(began).Seconds()
	return f, nil
}

// Starts returns how many starts a fit has.
func (e *Elsewhere) Starts() int {
	if e.Start.Given() || seeding.Deterministic(e.Settings.Init) {
		return 1
	}
	return e.Settings.Restarts
}

// fit fits the rows as a problem has them.
func (e *Elsewhere) fit(ctx context.Context, p distant.Labelled, from *fit.Stand, keep func(fit.Stand) error, progress func(fit.Iteration),
) (*Fitted, error) {
	s := e.Settings.Fitting()
	s.Restarts = e.Starts()
	plan := p.Clusterer.Plan()
	f := &Fitted{maximize: plan.Maximize, squared: plan.Squared}
	var err error
	f.Result, err = fit.Elsewhere(ctx, p.Clusterer, p.Problem, fit.Distant{Passes: p.Rows, From: from, Keep: keep,
		Begin: func(ctx context.Context, restart int) (fit.Beginning, error) { return e.begin(ctx, p, restart) }}, s, progress)
	if err != nil {
		return nil, err
	}
	e.hosted.Store(true)
	if selector, ok := framework.As[framework.Selector](p.Clusterer); ok {
		f.features = selector.Features(f.Model)
	}
	if f.Stop == framework.AllZero {
		f.sums = nobody(p.Problem)
		return f, nil
	}
	sums, err := p.Rows.Summarise(ctx, f.Model)
	if err != nil {
		return nil, err
	}
	f.sums, f.untold, f.Inertia = &sums, sums.Untold, 0
	for _, v := range sums.Inertia {
		f.Inertia += v
	}
	return f, nil
}

// ofOne reports whether an error is about one of several fits, which the others do without: it is not about the rows,
// which are those of all.
func ofOne(err error) bool {
	f := framework.AsFault(err)
	return f != nil && f.Class == framework.Data &&
		!slices.Contains([]string{"rows-changed", "table-not-found", "database-not-found", "column-not-found"}, f.Code)
}

// begin returns a start: the one that is given, or one that is made for all fits that have
// the same number of clusters.
func (e *Elsewhere) begin(ctx context.Context, p distant.Labelled, restart int) (fit.Beginning, error) {
	if c := e.Start.Centers; c != nil {
		return fit.Beginning{Centers: new(c.Clone())}, nil
	}
	key := startKey{p.Problem.K, restart}
	if b, ok := e.begun[key]; ok && b.Centers != nil {
		return fit.Beginning{Centers: new(b.Centers.Clone())}, nil
	}
	s := &e.Settings
	spaces := make([]string, e.Starts())
	for r := range spaces {
		spaces[r] = s.Fitting().Space(r)
	}
	p.Rows.Foresee(spaces)
	b, err := p.Rows.Begin(ctx, s.Init, s.Fitting().Space(restart), p.Problem.Seed, restart)
	if err == nil && b.Centers != nil {
		e.begun[key] = fit.Beginning{Centers: new(b.Centers.Clone())}
	}
	return b, err
}

// Tables returns the rows of the result tables. The rows of the assignments are those of a
// query, for the engine.
func (e *Elsewhere) Tables(f *Fitted) (*result.Tables, error) {
	out, err := e.Job.Tables(f)
	if err != nil {
		return nil, err
	}
	return out, e.assign(out, f)
}

// assign makes the assignments those of a query.
func (e *Elsewhere) assign(out *result.Tables, f *Fitted) (err error) {
	if out.Assignments = e.assigned(); e.Run != "" {
		out.Assignments.Elsewhere = e.Engine
		return nil
	}
	if f.Stop == framework.AllZero {
		out.Assignments.Unlabelled = f.Stop
	}
	out.Assignments.From, err = e.rows.Rows.Assignments(f.Model)
	return err
}

// WriteThere writes the tables of a run where the rows are: copies, and the assignments of a
// fit, unless that is nil.
func (e *Elsewhere) WriteThere(ctx context.Context, f *Fitted, copies []result.Copy) error {
	w, err := distant.WriterOf(e.rows.Rows)
	if err != nil {
		return err
	}
	if f == nil {
		return w.WriteRun(ctx, e.Run, nil, copies)
	}
	return w.WriteRun(ctx, e.Run, f.Model, copies)
}

// assigned is the table of assignments, whose rows are elsewhere.
func (e *Elsewhere) assigned() result.Assignments {
	none := input.NoKeys{SQL: e.Table.KeyType}
	return result.Assignments{KeyName: e.Table.KeyName, Keys: none, Dropped: none}
}
