package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// A Table is a relation of an engine, whose rows stay there. Learn, or Use, comes first.
type Table struct {
	engine  Engine
	from    Relation
	rows    *rows
	counted counted
	drops   bool         // rows with a NULL are left out, and not only those without any cell
	missing []bool       // by feature: some row lacks the cell
	ranges  [][2]float64 // by feature: the least and the largest cell in fitted space, of rows of positive weight
	witness witness
}

// On returns a table of which nothing is known yet.
func On(e Engine) *Table { return &Table{engine: e} }

// counted is what the first statement over all rows says.
type counted struct {
	all, n, positive, dropped int // rows: of the relation, read, of positive weight among them, left out
	keys                      int // of the relation that are not NULL
	mass, largest             float64
	whole                     bool // weights are whole numbers
	fingerprint               string
}

// Learn reads what a fit needs of a relation: it checks keys, cells and weights, finds
// the categories, and learns the recipe. The table has neither rows nor keys. Groups of
// features are for the caller to set. The fingerprint tells data apart, in whatever order the rows
// are: it is a sum of hashes of their keys, weights and cells, with the names of the features.
func (t *Table) Learn(ctx context.Context, spec input.Spec, s matrix.Scaling) (
	table *input.Table, r matrix.Recipe, p framework.Problem, fingerprint string, err error,
) {
	fail := func(err error) (*input.Table, matrix.Recipe, framework.Problem, string, error) {
		return nil, r, p, "", err
	}
	relation, err := t.open(ctx, spec)
	if err != nil {
		return fail(err)
	}
	if s.Norm != "" {
		if err := noCategories(t.rows.selected); err != nil {
			return fail(err)
		}
	}
	if err := t.findCategories(ctx); err != nil {
		return fail(err)
	}
	t.rows.recipe = unscaled(t.rows.selected)
	t.rows.recipe.Scaling.Norm = s.Norm
	if err := checkNames(t.rows.recipe.Features); err != nil {
		return fail(err)
	}
	moments, err := t.moments(ctx, relation, spec)
	if err != nil {
		return fail(err)
	}
	weighted := t.rows.weighted()
	r, columns, err := matrix.LearnMoments(moments, t.rows.recipe.Features, s, weighted, t.counted.whole)
	if err != nil {
		return fail(err)
	}
	t.rows.recipe, t.ranges = r, nil
	for _, c := range columns {
		t.ranges = append(t.ranges, [2]float64{c.Min, c.Max})
	}
	p = framework.Problem{N: t.counted.n, P: len(columns), Columns: columns, Mass: float64(t.counted.n), Weighted: weighted}
	if weighted {
		p.Mass = t.counted.mass
	}
	return t.table(relation, spec, moments), r, p, t.counted.fingerprint, nil
}

// open resolves the relation and chooses its columns.
func (t *Table) open(ctx context.Context, spec input.Spec) (Relation, error) {
	if err := refuse(spec); err != nil {
		return Relation{}, err
	}
	relation, err := resolve(ctx, t.engine, spec.Relation)
	if err != nil {
		return relation, err
	}
	selected, err := choose(&relation, spec)
	if err != nil {
		return relation, err
	}
	t.from, t.witness.totals = relation, nil
	t.rows = &rows{Dialect: t.engine.Dialect(), from: relation.From, p: prefix(&relation), selected: selected}
	t.drops = spec.Nulls == "drop"
	t.rows.leave(t.drops, spec.MissingOK && spec.Nulls != "error" && spec.Nulls != "drop")
	return relation, nil
}

// refuse refuses what rows in an engine are not read as.
func refuse(spec input.Spec) error {
	if spec.Long != nil && !spec.Long.Perhaps {
		return framework.Faultf(framework.Usage, "needs-rows", "triples are not read where rows stay in an engine").At("long").
			WithHint("make a column of each feature in a query")
	}
	return input.OneOf("nulls", orKeep(spec.Nulls), []string{"keep", "error", "drop"})
}

func orKeep(nulls string) string {
	if nulls == "" {
		return "keep"
	}
	return nulls
}

// table describes what was read.
func (t *Table) table(r Relation, spec input.Spec, moments []matrix.Moments) *input.Table {
	s := t.rows.selected
	table := &input.Table{Name: spec.Relation, Features: s.names(), KeyName: s.key.Name, KeyType: s.key.Type, Dropped: t.counted.dropped,
		DroppedWhy: input.NullCell, Excluded: s.excluded, SourceSQL: r.Source, Encoded: t.rows.recipe.Features,
		Missing: make([]int, len(s.sources))}
	if spec.Nulls != "drop" {
		table.DroppedWhy = input.NoCells
	}
	at := 0
	for i, c := range s.sources {
		table.Sources = append(table.Sources, matrix.Source{Name: c.Name, Categorical: c.category, Levels: c.levels, NullLevel: c.nullLevel})
		if c.absent {
			table.Absent = append(table.Absent, c.Name)
		}
		if n := len(t.rows.features(i)); n > 0 {
			if moments != nil {
				table.Missing[i] = moments[at].Missing
			}
			at += n
		}
	}
	return table
}

// noCategories refuses columns that have no length.
func noCategories(s *selection) error {
	for _, c := range s.sources {
		if c.category {
			return framework.Faultf(framework.Usage, "norm-of-categories", "column %q has categories, which have no length", c.Name).At("norm").
				WithHint("leave the column out with %s", framework.Setting("exclude"))
		}
	}
	return nil
}

// unscaled returns the recipe of cells as they are.
func unscaled(s *selection) matrix.Recipe {
	var r matrix.Recipe
	for _, c := range s.sources {
		if !c.category {
			r.Features = append(r.Features, matrix.Feature{Name: c.Name, Scale: 1})
			continue
		}
		add := func(category string, null bool) {
			r.Features = append(r.Features, matrix.Feature{Name: c.Name + "=" + category, Source: c.Name, Category: category, Null: null, Scale: 1})
		}
		for _, level := range c.levels {
			add(level, false)
		}
		if c.nullLevel && c.nullSeen {
			add(matrix.NullName(c.levels), true)
		}
	}
	return r
}

// checkNames refuses features of the same name.
func checkNames(features []matrix.Feature) error {
	seen := make(map[string]bool, len(features))
	for _, f := range features {
		if seen[f.Name] {
			return framework.Faultf(framework.Data, "feature-names-collide",
				"two features would be called %q: a column, and a category of another column", f.Name).WithHint("rename the column in a query")
		}
		seen[f.Name] = true
	}
	return nil
}

// moments makes the two statements from which recipes are learned, and checks what the
// first one says. The first counts, and finds ranges and means roughly; the second adds up
// differences from these means, and their squares:
//
//	mean = m + Σ w (x − m) / Σ w,   Σ w (x − mean)² = Σ w (x − m)² − (Σ w (x − m))² / Σ w
//
// the corrected two-pass algorithm of Chan, Golub and LeVeque (1983). Rows of weight 0 have no part in it.
func (t *Table) moments(ctx context.Context, relation Relation, spec input.Spec) ([]matrix.Moments, error) {
	first, err := t.first(ctx, relation, spec)
	if err != nil {
		return nil, err
	}
	if err := t.checkKeys(ctx); err != nil {
		return nil, err
	}
	return t.second(ctx, first)
}

// first makes the first statement.
func (t *Table) first(ctx context.Context, relation Relation, spec input.Spec) ([]matrix.Moments, error) {
	r, p := t.rows, len(t.rows.recipe.Features)
	counts := func(value string) bool { return r.weighted() && value != "" }
	positive := func(x string) string {
		if !counts(x) {
			return x
		}
		return "CASE WHEN " + r.p + "w > 0 THEN " + x + " END"
	}
	const largest = "1.7976931348623157e308"
	list := []string{"count(*)", "count(" + r.p + "k)", "count(" + positive("1") + ")"}
	hashed := []string{r.p + "k"}
	if w := r.p + "w"; r.weighted() {
		hashed = append(hashed, w)
		list = append(list, "sum("+w+")", "max("+w+")", "count(CASE WHEN "+w+" >= 0 AND "+w+" <= "+largest+" THEN 1 END)",
			"count(CASE WHEN "+w+" = floor("+w+") THEN 1 END)")
	}
	for l := range p {
		x := r.name("x", l)
		list = append(list, "count("+x+")", "count(CASE WHEN abs("+x+") <= "+largest+" THEN 1 END)")
		if r.weighted() {
			list = append(list, "count("+positive(x)+")")
		}
		list = append(list, "min("+positive(x)+")", "max("+positive(x)+")", "avg("+positive(x)+")")
		hashed = append(hashed, x)
	}
	list = append(list, r.Hashes(hashed))
	row, err := t.one(ctx, r.fitted().query(strings.Join(list, ", "), "", ""))
	if err != nil {
		return nil, err
	}
	return t.take(ctx, relation, spec, &answer{row: row})
}

// one returns the only row of an answer.
func (t *Table) one(ctx context.Context, statement string) ([]any, error) {
	rows, err := t.engine.Query(ctx, statement)
	if err != nil {
		return nil, err
	}
	if len(rows) != 1 {
		return nil, framework.Faultf(framework.Internal, "engine-answer", "the engine has answered %d rows, and not 1", len(rows))
	}
	return rows[0], nil
}

// checkPlace refuses the number of a cluster that there is not.
func checkPlace(j, k int) error {
	if j >= 0 && j < k {
		return nil
	}
	return framework.Faultf(framework.Internal, "engine-answer", "the engine has answered a label %d of %d clusters", j, k)
}

// take reads and checks the answer to the first statement.
func (t *Table) take(ctx context.Context, relation Relation, spec input.Spec, a *answer) ([]matrix.Moments, error) {
	r := t.rows
	c := counted{n: a.int(), whole: true}
	c.keys = a.int()
	c.positive = a.int()
	c.mass = float64(c.n)
	if r.weighted() {
		c.mass, c.largest = a.number(), a.number()
		good, whole := a.int(), a.int()
		c.whole = whole == c.n
		if good < c.n {
			return nil, t.badWeights(ctx, c.n-good)
		}
	}
	all, bad := make([]matrix.Moments, len(r.recipe.Features)), 0
	t.missing = make([]bool, len(all))
	for l := range all {
		m := &all[l]
		m.Rows = a.int()
		m.Missing = c.n - m.Rows
		t.missing[l] = m.Missing > 0
		bad += m.Rows - a.int()
		if r.weighted() {
			m.Rows = a.int()
		}
		m.Min, m.Max, m.Mean = a.number(), a.number(), a.number()
	}
	names := input.NamesOf(r.recipe.Features, func(f matrix.Feature) string { return f.Name }) // with the categories
	sum := sha256.Sum256([]byte(strings.Join(append(names, r.selected.key.Name, fmt.Sprint(c.n), textOf(a.row[a.at])), "\x00")))
	c.fingerprint = hex.EncodeToString(sum[:])
	if err := t.countLeft(ctx, &c); err != nil {
		return nil, err
	}
	t.counted = c
	switch {
	case c.n == 0 && (spec.Want == nil || c.dropped == 0):
		return nil, empty(relation, spec, c)
	case c.keys < c.all:
		return nil, framework.Faultf(framework.Data, "null-keys", "the key %q is NULL in %s",
			r.selected.key.Name, input.Plural(c.all-c.keys, "row")).
			At("id").WithHint("leave these rows out with WHERE %s IS NOT NULL, or use another column", r.Quote(r.selected.key.Name))
	case bad > 0:
		return nil, t.badCells(ctx, bad)
	case c.mass == 0 && spec.Want == nil:
		return nil, framework.Faultf(framework.Data, "bad-weights", "all row weights are 0").At("weight")
	}
	return all, t.checkNulls(relation, spec, all)
}

// second makes the second statement and completes the moments.
func (t *Table) second(ctx context.Context, all []matrix.Moments) ([]matrix.Moments, error) {
	r, w := t.rows, t.rows.p+"w"
	sums := newExact(r.Dialect, t.counted.n)
	if r.weighted() {
		sums.add(w, t.counted.largest)
	}
	var list []value
	for l := range all {
		m := &all[l]
		if !(m.Min <= m.Mean && m.Mean <= m.Max) { // the sum has overflowed
			m.Mean = m.Min/2 + m.Max/2
		}
		// Averages depend on the order of the rows in their last bits, which are not needed here.
		if rough := float64(float32(m.Mean)); m.Min <= rough && rough <= m.Max {
			m.Mean = rough
		}
		m.Unit = matrix.UnitOf(m.Mean, m.Min, m.Max)
		d := r.name("d", l)
		list = append(list, value{r.less(r.name("x", l), m.Mean) + " * " + r.Number(1/m.Unit), d})
		of, most := d, (math.Max(m.Max-m.Mean, m.Mean-m.Min))/m.Unit
		if r.weighted() {
			of, most = w+" * "+d, most*t.counted.largest
			sums.add("CASE WHEN "+d+" IS NOT NULL THEN "+w+" END", t.counted.largest)
		}
		sums.add(of, most)
		sums.add(of+" * "+d, most*(math.Max(m.Max-m.Mean, m.Mean-m.Min)/m.Unit))
	}
	where := ""
	if r.weighted() {
		list = append(list, value{name: w})
		where = w + " > 0"
	}
	row, err := t.one(ctx, r.fitted().over(list...).query(sums.String(), where, ""))
	if err != nil {
		return nil, err
	}
	a := sums.read(row, 0)
	both := func() float64 { high, low := a.sum(); return high + low }
	if r.weighted() {
		t.counted.mass = both()
	}
	for l := range all {
		m := &all[l]
		if m.Mass = float64(m.Rows); r.weighted() {
			m.Mass = both()
		}
		off, squares := both(), both()
		if m.Mass > 0 {
			m.Mean += off / m.Mass * m.Unit
			m.Centred = max(0, squares-float64(off*(off/m.Mass)))
		}
	}
	return all, nil
}
