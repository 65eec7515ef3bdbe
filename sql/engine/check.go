package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// countLeft counts the rows that are left out because of NULLs, and those with a key.
func (t *Table) countLeft(ctx context.Context, c *counted) error {
	c.all = c.n
	if t.rows.left == "" {
		return nil
	}
	row, err := t.one(ctx, "SELECT count(*), count("+t.rows.Quote(t.rows.selected.key.Name)+") FROM "+t.rows.from+" WHERE "+t.rows.left)
	if err != nil {
		return err
	}
	a := &answer{row: row}
	c.dropped = a.int()
	c.all += c.dropped
	c.keys += a.int()
	if c.dropped == 0 {
		t.rows.keep, t.rows.left = "", ""
	}
	return nil
}

// empty is the fault of a relation of which no row is left.
func empty(r Relation, spec input.Spec, c counted) error {
	f := framework.Faultf(framework.Data, "empty-relation", "%s has no rows", r.Label)
	switch {
	case c.dropped > 0 && spec.Nulls == "drop":
		f = framework.Faultf(framework.Data, "empty-relation", "every row of %s has a NULL, so no row is left", r.Label).
			WithWhere("%s", framework.SettingTo("nulls", "drop")).
			WithHint("%s the columns that are mostly NULL", framework.Setting("exclude"))
	case c.dropped > 0:
		f = framework.Faultf(framework.Data, "empty-relation", "every row of %s has NULL in all features, so no row is left", r.Label).
			WithHint("check the columns that are read")
	}
	return f
}

// examples returns the first rows, by their keys, for which a condition holds, with the key and a value.
func (t *Table) examples(ctx context.Context, condition, value string) [][]any {
	r := t.rows
	rows, err := t.engine.Query(ctx, r.raw().query(r.Text(r.p+"k")+", "+r.Text(value), condition,
		fmt.Sprintf(" ORDER BY %sk LIMIT %d", r.p, input.ShownLimit)))
	if err != nil {
		return nil // no more to say
	}
	return rows
}

// badWeights refuses row weights.
func (t *Table) badWeights(ctx context.Context, n int) error {
	w := t.rows.p + "w"
	tally := input.Tally{}
	good := w + " >= 0 AND " + w + " <= 1.7976931348623157e308"
	for _, row := range t.examples(ctx, "("+w+" IS NULL OR NOT ("+good+"))", w) {
		tally.Add("%s = %s: %s", t.rows.selected.key.Name, textOf(row[0]), textOf(row[1]))
	}
	tally.Count = n
	return framework.Faultf(framework.Data, "bad-weights", "%s negative, NULL or not finite", are(n, "row weight")).At("weight").
		WithDetails(tally.Details())
}

// badCells refuses cells that are NaN or infinite.
func (t *Table) badCells(ctx context.Context, n int) error {
	r, tally := t.rows, input.Tally{}
	for i, s := range r.selected.sources {
		c := r.name("c", i)
		if s.category {
			continue
		}
		for _, row := range t.examples(ctx, c+" IS NOT NULL AND NOT (abs("+c+") <= 1.7976931348623157e308)", c) {
			tally.Add("%s = %s, column %q: %s", r.selected.key.Name, textOf(row[0]), s.Name, textOf(row[1]))
		}
		if tally.Count >= input.ShownLimit {
			break
		}
	}
	tally.Count = n
	return framework.Faultf(framework.Data, "cell-not-finite", "%s NaN or infinite", are(n, "cell")).
		WithHint("make them NULL in a query, or leave the rows out").WithDetails(tally.Details())
}

// are returns "1 cell is" or "3 cells are".
func are(n int, one string) string { return input.Plural(n, one) + input.Agreed(n, " is", " are") }

// checkNulls refuses NULL cells where the algorithm takes none, and those of categories in
// any case.
func (t *Table) checkNulls(relation Relation, spec input.Spec, all []matrix.Moments) error {
	if spec.Nulls == "drop" {
		return nil
	}
	missingOK := spec.MissingOK && spec.Nulls != "error"
	cells, categories, at := 0, 0, 0
	var columns input.Tally
	for i, s := range t.rows.selected.sources {
		of := len(t.rows.features(i))
		if of == 0 {
			continue
		}
		n := all[at].Missing
		at += of
		if n == 0 || s.absent || s.category && s.nullLevel || missingOK && (!s.category || spec.Want != nil) {
			continue
		}
		cells += n
		if s.category {
			categories++
		}
		columns.Add("column %q: %d of %s", s.Name, n, input.Plural(t.counted.n, "row"))
	}
	if cells == 0 {
		return nil
	}
	f := framework.Faultf(framework.Data, "null-cells", "%s NULL, in %s of %s", are(cells, "cell"), input.Plural(columns.Count, "column"),
		relation.Label).WithDetails(columns.Details()).
		WithHint("%s leaves out the rows that have one; %s leaves out columns",
			framework.SettingTo("nulls", "drop"), framework.Setting("exclude"))
	if categories > 0 && spec.Want == nil {
		f.Hint = framework.SettingTo("null_category", "level") + " makes NULL a category; " + f.Hint
	}
	return f
}

// mostKeys is how many keys a statement holds in memory, on average, to find those that several rows have.
var mostKeys = 1 << 26 // tests have fewer

// checkKeys refuses keys that several rows have. Many keys are looked at in several statements, each of which
// has its share of them.
func (t *Table) checkKeys(ctx context.Context) error {
	r, all := t.rows, *t.rows
	k := r.p + "k"
	all.keep = "" // of the rows that are left out, too
	keys := layers{rows: &all}.over(value{r.Quote(r.selected.key.Name), k})
	var rows [][]any
	for share, shares := 0, t.counted.all/mostKeys+1; share < shares && len(rows) == 0; share++ {
		where := ""
		if shares > 1 {
			where = fmt.Sprintf("%s = %d", t.share(shares), share)
		}
		var err error
		if rows, err = t.engine.Query(ctx, fmt.Sprintf("SELECT %s, %sn FROM (%s) ORDER BY %s LIMIT %d", r.Text(k), r.p,
			keys.query(k+", count(*) AS "+r.p+"n", where, " GROUP BY "+k+" HAVING count(*) > 1"), k, input.ShownLimit+1)); err != nil {
			return err
		}
	}
	if len(rows) == 0 {
		return nil
	}
	var twice input.Tally
	for _, row := range rows {
		twice.Add("%s = %s: %s rows", r.selected.key.Name, textOf(row[0]), textOf(row[1]))
	}
	many := input.Plural(twice.Count, "key")
	if twice.Count > input.ShownLimit {
		many = "several keys"
	}
	return framework.Faultf(framework.Data, "duplicate-keys", "%s of column %q %s more than once", many, r.selected.key.Name,
		input.Agreed(twice.Count, "occurs", "occur")).
		At("id").WithHint("the key must be unique; GROUP BY it, or use another column").WithDetails(twice.Details())
}

// share returns the number of the share that a key belongs to.
func (t *Table) share(shares int) string {
	r := t.rows
	if k := r.p + "k"; r.selected.key.Kind == Number && strings.Contains(strings.ToUpper(r.selected.key.Type), "INT") {
		return fmt.Sprintf("abs(%s %% %d)", k, shares)
	}
	return fmt.Sprintf("%s %% %d", r.Digest(r.Text(r.p+"k")), shares)
}

// maxLevels is how many categories a column may have: each becomes a feature.
const maxLevels = 1000

// findCategories finds the categories that rows of positive weight have. They have the order of ordinary
// fits: of an ENUM as it is declared, else that of their bytes.
func (t *Table) findCategories(ctx context.Context) error {
	r := t.rows
	var parts []string
	for i, s := range r.selected.sources {
		if !s.category || s.absent {
			continue
		}
		column, order, ordered := r.column(s), "0", ""
		if isEnum(s.Type) {
			order = r.Integer(r.Ordinal(column))
			ordered = ", " + order
		}
		var conditions []string
		if r.keep != "" {
			conditions = append(conditions, r.keep)
		}
		if r.weighted() {
			conditions = append(conditions, r.Float(r.Quote(r.selected.weight.Name))+" > 0")
		}
		where := ""
		if conditions != nil {
			where = " WHERE " + strings.Join(conditions, " AND ")
		}
		parts = append(parts, fmt.Sprintf("SELECT * FROM (SELECT %d AS %st, %s AS %sv, %s AS %so FROM %s%s GROUP BY %s%s LIMIT %d)",
			i, r.p, r.Text(column), r.p, order, r.p, r.from, where, r.Text(column), ordered, maxLevels+2))
	}
	if parts == nil {
		return nil
	}
	rows, err := t.engine.Query(ctx, strings.Join(parts, " UNION ALL "))
	if err != nil {
		return err
	}
	return t.takeCategories(rows)
}
