package functions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

// An aggregate gathers the rows and returns the number of the group, with which a
// scalar function, whose other argument is the fit, scores them: as an argument of the
// aggregate, the fit would be handed over with each row, which takes long for a large one.
const (
	rowsType  = "STRUCT(number BIGINT)"
	scoreType = `STRUCT(scores STRUCT(score VARCHAR, "value" DOUBLE, better VARCHAR, "rows" BIGINT)[])`
)

func gathered(_ *statement, number int64) ([]duck.Field, error) {
	return []duck.Field{{Cell: duck.Fixed(func(int) (int64, bool) { return number, true })}}, nil
}

// scoreScalar takes gathered rows and options.
func (f *Functions) scoreScalar() duck.Scalar {
	return duck.Scalar{
		Name: f.prefix + "score", Overloads: []duck.Overload{{Parameters: []string{rowsType, "ANY"}, Returns: scoreType}},
		Call: func(args duck.Chunk, out duck.Returned) error {
			st := f.running()
			for i, number := range duck.View[int64](args.Column(0).Fields(args.Rows)[0].Vector, args.Rows) {
				o, err := st.gatherer.scoreOptions(args, i, number)
				if err != nil {
					return st.say(err)
				}
				scores, err := f.score(st, number, o)
				if err != nil {
					return st.say(err)
				}
				out.Set(i, scores)
			}
			return nil
		},
	}
}

// scoredRun is the name of the run that a fit is in the private database while it is
// scored. Faults tell it, so it is that of the argument.
const scoredRun = "m"

// scoreOptions are those of call i, which scores a group.
func (g *gatherer) scoreOptions(args duck.Chunk, i int, number int64) (*options, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.optionsOf("score", args.Column(1), i, args.Rows, number)
}

// score scores a fit by a group of rows. The fit is stored as a run until its scores
// are there, since scores are those of runs.
func (f *Functions) score(st *statement, number int64, given *options) ([]duck.Field, error) {
	f.scoring.Lock()
	defer f.scoring.Unlock()
	defer f.dropScored()
	m, err := f.loadScored(st.ctx, given, st.gatherer.group(number).of.columns)
	if err != nil {
		return nil, err
	}
	o := given.score
	o.Relation, o.Threads, o.Reading = st.gatherer.relation(number, false), given.settings.Threads, st.progress.Reading
	o.Storage, o.Most = given.settings.Storage, given.settings.Most
	s, err := m.Score(st.ctx, f.reading, o)
	if err != nil {
		return nil, err
	}
	return []duck.Field{{List: &duck.List{Entries: len(s.All), Columns: []duck.Cells{
		duck.Texts(func(i int) string { return s.All[i].Name }),
		duck.Doubles(func(i int) float64 { return s.All[i].Value }),
		duck.Texts(func(i int) string { return s.All[i].Better }),
		duck.Fixed(func(i int) (int64, bool) { return int64(s.All[i].Rows), true }),
	}}}}, nil
}

// loadScored stores the fit that is to be scored by a relation with these columns.
func (f *Functions) loadScored(ctx context.Context, o *options, columns []string) (*model.Model, error) {
	if err := f.checkScored(ctx, o); err != nil {
		return nil, err
	}
	list := strings.Join(input.NamesOf(o.fitTable(), schema.Quote), ", ")
	if err := f.storeScored(ctx, schema.Fit, "SELECT "+list+" FROM ("+o.fit+")"); err != nil {
		return nil, err
	}
	m, err := model.Load(ctx, f.library, f.reading, scoredRun, "score that")
	if err != nil {
		return nil, err
	}
	key := o.settings.ID
	switch {
	case key == "" && m.Key == "":
		return nil, framework.Faultf(framework.Data, "no-key", "the fit has no key: its rows were numbered").At("id").
			WithHint("name a column that has these numbers: %s", framework.SettingTo("id", "COLUMN"))
	case key == "":
		key = m.Key
	}
	if !slices.ContainsFunc(columns, func(c string) bool { return strings.EqualFold(c, key) }) {
		return nil, framework.Faultf(framework.Data, "column-not-found", "the relation has no column %q for the keys of the fit", key).At("id").
			WithSimilar(framework.Closest(key, columns)).WithHint("name the column that has them: %s", framework.SettingTo("id", "COLUMN"))
	}
	if err := source.CheckKeyName(key, schema.Assignments); err != nil {
		return nil, err
	}
	return m, f.storeScored(ctx, schema.Assignments,
		"SELECT a.key AS "+schema.Quote(key)+", a.cluster FROM (SELECT unnest(assignments) AS a FROM ("+o.fit+"))")
}

// checkScored refuses what is not one fit.
func (f *Functions) checkScored(ctx context.Context, o *options) error {
	if o.fit == "" {
		return framework.Faultf(framework.Data, "no-fit", "m has no row, and must have a fit").At(scoredRun)
	}
	all := append(schema.AllColumns(schema.Fit), "error", schema.Assignments)
	lack := slices.DeleteFunc(slices.Clone(all), func(c string) bool { return slices.Contains(o.fitColumns, c) })
	if !schema.Matches(schema.Fit, o.fitTable()) || slices.Contains(lack, "error") || slices.Contains(lack, schema.Assignments) {
		return notAFit("it has no column %s", strings.Join(input.FirstOf(lack, 3), ", "))
	}
	rows, err := f.reading.Rows(ctx, "SELECT error, model IS NULL OR assignments IS NULL FROM ("+o.fit+")")
	switch {
	case err != nil:
		return err
	case len(rows) > 1:
		return framework.Faultf(framework.Data, "several-fits", "m has %d rows, and must have one", len(rows)).At(scoredRun).
			WithHint("choose one: WITH one AS (FROM m WHERE …) FROM cluster_score(one, …)")
	case rows[0][0] != nil:
		f := framework.Faultf(framework.Data, "fit-failed", "m has an error in place of a fit").At(scoredRun)
		f.Details = strings.Split(fmt.Sprint(rows[0][0]), "\n")
		return f
	case rows[0][1] == true:
		return framework.Faultf(framework.Data, "no-fit", "m has no model, or no assignments: they are NULL").At(scoredRun)
	}
	return nil
}

// fitTable are the columns of what is scored that are those of a fit table: all, or all
// that an older version had.
func (o *options) fitTable() []string {
	return slices.DeleteFunc(schema.AllColumns(schema.Fit), func(c string) bool { return !slices.Contains(o.fitColumns, c) })
}

func notAFit(format string, args ...any) *framework.Fault {
	return framework.Faultf(framework.Data, "not-a-fit", "m is not a fit: "+format, args...).At(scoredRun).
		WithHint("give a table of what cluster_fit returns, with all its columns")
}

// storeScored makes a table of the run of the fit that is scored.
func (f *Functions) storeScored(ctx context.Context, table, query string) error {
	err := f.reading.Exec(ctx, "CREATE TABLE "+scoredRun+"_"+table+" AS "+query)
	if _, ok := errors.AsType[duck.Error](err); ok { // a column has another type than that of a fit
		return notAFit("its %s cannot be read", table)
	}
	return err
}

// dropScored drops the tables of storeScored, as far as they were made.
func (f *Functions) dropScored() {
	for _, table := range []string{schema.Fit, schema.Assignments} {
		_ = f.reading.Exec(context.Background(), "DROP TABLE IF EXISTS "+scoredRun+"_"+table)
	}
}
