package cli

import (
	"context"
	"slices"

	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

func (a *app) predictCommand() *cobra.Command {
	c := &cobra.Command{
		Use:        "predict RUN RELATION",
		SuggestFor: []string{"assign", "label"},
		Short:      "Label new rows with the clusters of a run",
		Long: `Label each row of a relation with the nearest center of a run. The columns of the
model are found by name; those that do not tell its clusters apart (not selected,
or constant) may be missing. A row with NULLs is measured over the columns it has,
and a row that has none of those that matter gets no cluster. A category that no fitted row had
is an error, unless --unseen says what to do. The row key is the column that was
the key of the run, unless --id names another one; where the relation has no such
column, rows are numbered. sqlcluster drop removes the table of --into.`,
		Example: `  sqlcluster predict segments new_customers --db shop.duckdb \
    --into new_segments`,
		Args: takes("RUN", "RELATION"),
		RunE: func(c *cobra.Command, args []string) error {
			return swapped(a.predict(c.Context(), args[0], args[1]), args[0])
		},
	}
	a.settings.addReading(c.Flags()) // the model says which columns it needs
	a.settings.addWriting(c.Flags(), "write the labels to this table of --db: `NAME` or SCHEMA.NAME")
	c.Flags().StringVar(&a.settings.unseen, "unseen", "error", "categories that the model does not know: error, ignore (measure the row without the column), nearest (take the most frequent one)")
	in(c.Flags(), groupInput, "unseen")
	return c
}

// swapped adds to the fault of a run that is not there what is meant, where its name
// is a file or a query.
func swapped(err error, run string) error {
	if f := framework.AsFault(err); f != nil && f.Code == "run-not-found" && readable(run) {
		f.Similar, f.Hint = "", "RUN comes first: sqlcluster predict RUN RELATION"
	}
	return err
}

// A labeller is the model of a run, ready to label rows.
type labeller struct {
	recipe    matrix.Recipe
	missingOK bool // rows may have missing cells
	algorithm algorithm
	problem   framework.Problem // but for the rows
	model     *framework.Model
	stored    storedModel // as it was read
}

// loadModel reads the model of a run, for the command named.
func loadModel(ctx context.Context, db *store.DB, run, command string) (*labeller, error) {
	stored, err := db.LoadModel(ctx, run)
	if err != nil {
		return nil, err
	}
	if stored.IsPath() {
		what := "path"
		if stored.StopReason == "tune" {
			what = "tuning"
		}
		return nil, framework.Faultf(framework.Data, "run-is-a-path", "run %q is a %s of several fits and has no model of its own", run, what).
			WithHint("fit one of its values, and %s", map[string]string{"predict": "predict with that", "score": "score that"}[command])
	}
	l, err := decodeModel(stored.Model)
	if err != nil {
		return nil, damagedRun(run, err)
	}
	if w := l.model.FeatureWeights; len(w) > 0 && !slices.ContainsFunc(w, func(w float64) bool { return w > 0 }) {
		return nil, framework.Faultf(framework.Data, "no-clusters", "no feature of run %q has a weight, so that it has no clusters", run).
			WithHint("fit again, with a weaker penalty")
	}
	return l, nil
}

// damagedRun is the fault of a run whose tables have been changed, or were written by
// another version.
func damagedRun(run string, err error) error {
	if f := framework.AsFault(err); f != nil { // the algorithm is not there now, or refuses such rows
		return f
	}
	f := framework.Faultf(framework.Data, "run-damaged", "the model of run %q cannot be read", run)
	f.Err = err
	return f.WithHint("fit again; if nobody has changed the tables of the run, it was written by another version of sqlcluster")
}

// clusterer returns the algorithm, bound so that it measures the rows: in this
// process if it is built in, else in that of its plugin, until done is called.
func (l *labeller) clusterer(ctx context.Context, o plugin.Options, rows *matrix.Data) (c framework.Clusterer, done func(), err error) {
	if l.algorithm.built != nil {
		c, err = l.algorithm.built.New(l.problem)
		return c, func() {}, err
	}
	return l.algorithm.open(ctx, o, l.problem, rows)
}

func (a *app) predict(ctx context.Context, run, relation string) error {
	if a.settings.db == "" {
		return needsDB("predict")
	}
	db, err := a.openExisting(ctx, a.settings.into != "")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	m, err := loadModel(ctx, db, run, "predict")
	if err != nil {
		return err
	}
	key, err := a.keyOf(ctx, db, run)
	if err != nil {
		return err
	}
	if a.settings.into != "" && a.settings.replace {
		if err := db.CheckNotRead(ctx, relation, framework.Setting("relation"), a.settings.into, false); err != nil {
			return err
		}
	}
	t, err := a.readRows(ctx, db, m, relation, key)
	if err != nil {
		return err
	}
	data, err := m.apply(t, matrix.Unseen(a.settings.unseen))
	if err != nil {
		return err
	}
	defer func() { _ = data.Close() }()
	c, done, err := m.clusterer(ctx, a.settings.process(), data)
	if err != nil {
		return err
	}
	defer done()
	labels, err := fit.Predict(ctx, c, m.model, data, a.settings.threads)
	if err != nil {
		return err
	}
	for _, w := range t.Warnings {
		a.note("note: %s", w)
	}
	if left := leftOut(t); left != "" {
		a.note("note: %s", left)
	}
	r := assignments(t, labels)
	r.Unlabelled, r.By = input.NoCells, run
	if a.settings.into == "" {
		return a.showAssignments(r)
	}
	if err := db.WriteAssignments(ctx, a.settings.into, a.settings.replace, r); err != nil {
		return err
	}
	a.stored = a.settings.db
	a.note("%s labelled; written to the table %s of %s", counted(t.Keys.Len(), "row", "rows"), a.settings.into, a.settings.db)
	return nil
}

// readRows reads the columns that a model needs, with the key of its run where no
// other is given.
func (a *app) readRows(ctx context.Context, db *store.DB, m *labeller, relation, key string) (*input.Table, error) {
	spec := a.readSpec(relation)
	spec.Key = key
	spec.Features, spec.Exclude, spec.Weight, spec.MissingOK = nil, nil, "", m.missingOK
	spec.WantCategories, spec.Optional = map[string]bool{}, m.optional()
	for _, s := range m.recipe.Sources() {
		spec.Want = append(spec.Want, s.Name)
		if s.Categorical {
			spec.WantCategories[s.Name] = s.NullLevel
		}
	}
	if err := checkUnseen(a.settings.unseen, m.missingOK, m.algorithm.Name); err != nil {
		return nil, err
	}
	t, err := db.Read(ctx, spec)
	if err != nil {
		return nil, ofRunsKey(err, key)
	}
	if key != "" && t.KeyName == input.RowNumber {
		a.note("note: the relation has no column %s, which is the key of the run: rows are numbered from 1; --id names another key", key)
	}
	if len(t.Absent) > 0 {
		a.note("note: the relation does not have %s; labels do not depend on that, and distances are over the other columns",
			input.ColumnNames(t.Absent))
	}
	return t, nil
}

// showAssignments prints labels; people see the first of them.
func (a *app) showAssignments(r result.Assignments) error {
	limit := 0
	if a.settings.output == "table" {
		limit = shownRows
	}
	if err := render.Write(a.out, a.settings.output, assignmentTable(r, limit)); err != nil {
		return err
	}
	a.hidden(r.Len(), limit, "-o csv shows all, --into TABLE writes them to --db")
	return nil
}

// optional returns the columns that new rows need not have: their features do not
// tell the clusters apart. Where missing cells cannot be left out, only those
// without weight are.
func (l *labeller) optional() map[string]bool {
	tells := fit.Telling(l.model)
	if !slices.Contains(tells, true) {
		return nil
	}
	all := map[string]bool{}
	for i, f := range l.recipe.Features {
		needed := tells[i] || !l.missingOK && !l.weightless(i)
		before, seen := all[f.Column()]
		all[f.Column()] = !needed && (before || !seen)
	}
	return all
}

// weightless reports whether distances are the same whatever a feature is.
func (l *labeller) weightless(feature int) bool {
	return len(l.model.FeatureWeights) > 0 && l.model.FeatureWeights[feature] == 0
}

// apply replays the recipe, and seals the rows.
func (l *labeller) apply(t *input.Table, unseen matrix.Unseen) (*matrix.Data, error) {
	if err := t.EncodeAs(l.recipe, unseen); err != nil {
		_ = t.Close()
		return nil, err
	}
	if _, err := l.recipe.Apply(t.Builder); err != nil {
		_ = t.Close()
		if f := framework.AsFault(err); f != nil { // the recipe's hints are those of a fit
			return nil, f.WithHint("leave these rows out in a query")
		}
		return nil, err
	}
	if len(t.Absent) > 0 && !l.missingOK {
		v := t.Builder.Values()
		for i := range v.Data {
			if l.weightless(i%v.Cols) && v.Data[i] != v.Data[i] {
				v.Data[i] = 0
			}
		}
	}
	return t.Builder.Seal()
}

// assignmentTable lists the rows as the table of assignments does, those that
// were left out at the end; at most limit of them, or all if that is 0.
func assignmentTable(r result.Assignments, limit int) render.Table {
	t := render.Table{Name: "assignments", Columns: []string{r.KeyName, "cluster", "distance", "second_cluster", "margin", "status"}}
	t.Each = func(use func(row []any) error) error {
		row := make([]any, len(t.Columns))
		for i := range most(r.Len(), limit) {
			if at := i - len(r.Labels); at >= 0 {
				row = append(row[:0], r.Dropped.Value(at), nil, nil, nil, nil, r.Status)
			} else {
				j := int(r.Labels[i])
				row = append(row[:0], r.Keys.Value(i), clusterOrNil(j), r.Distance[i], clusterOrNil(int(r.Second[i])), r.Margin[i], nil)
				if j < 0 {
					row[5] = r.Unlabelling()
				}
			}
			if err := use(row); err != nil {
				return err
			}
		}
		return nil
	}
	return t
}

func needsDB(command string) error {
	return framework.Faultf(framework.Usage, "no-database", "%s needs a database", command).
		At("db").WithHint("name it: --db FILE")
}
