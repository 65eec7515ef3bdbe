package source

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// check refuses what the stream brought to light, the worst first. complete counts
// the rows without a NULL, −1 if that is not known.
func (in *reader) check(r *Relation, complete func() int) error {
	if in.seen == 0 {
		return r.empty()
	}
	fault := func(t input.Tally, code, format string, args ...any) *framework.Fault {
		return framework.Faultf(framework.Data, code, format, args...).WithDetails(t.Details())
	}
	switch {
	case in.nullKeys.Count > 0:
		return fault(in.nullKeys, "null-keys", "the key %q is NULL in %s", in.selection.key.Name, input.Plural(in.nullKeys.Count, "row")).
			At("id").WithHint("leave these rows out with WHERE %s IS NOT NULL, or use another column", schema.Quote(in.selection.key.Name))
	case in.badLists.Count > 0:
		return fault(in.badLists, "list-lengths-differ", "%s of another length than the others", input.Plural(in.badLists.Count, "list"))
	case in.badCells.Count > 0:
		return fault(in.badCells, "cell-not-finite", "%s NaN or infinite", are(in.badCells.Count, "cell")).
			WithHint("make them NULL in a query, or leave the rows out")
	case in.badWeights.Count > 0:
		return fault(in.badWeights, "bad-weights", "%s negative, NULL or not finite", are(in.badWeights.Count, "row weight")).At("weight")
	}
	if err := in.checkLevels(); err != nil {
		return err
	}
	if !in.drop {
		if err := in.checkNulls(r, complete); err != nil {
			return err
		}
	}
	if in.keys.Len() == 0 && in.wanted {
		return nil // a model labels no row then, and rows without a cluster are none of its errors
	}
	if in.keys.Len() == 0 && in.blank {
		return framework.Faultf(framework.Data, "empty-relation", "every row of %s has NULL in all features, so no row is left", r.Label).
			WithHint("check the columns that are read")
	}
	if in.keys.Len() == 0 {
		return framework.Faultf(framework.Data, "empty-relation",
			"every row of %s has a NULL, so no row is left", r.Label).WithWhere("%s", framework.SettingTo("nulls", "drop")).
			WithHint("%s the columns that are mostly NULL", framework.Setting("exclude"))
	}
	if in.weights != nil {
		if !slices.ContainsFunc(in.weights, func(w float64) bool { return w != 0 }) {
			return framework.Faultf(framework.Data, "bad-weights", "all row weights are 0").At("weight")
		}
	}
	return nil
}

// checkNulls refuses NULL cells, with the count of each column: all where the
// algorithm takes no missing cells, those of categorical columns in any case.
func (in *reader) checkNulls(r *Relation, complete func() int) error {
	cells, categories := 0, 0
	var columns input.Tally
	for l, n := range in.missing {
		category := in.levels[l] != nil
		if category && in.levels[l].nullLevel || in.missingOK && (!category || !in.limited) {
			continue
		}
		if n > 0 {
			cells += n
			if category {
				categories++
			}
			columns.Add("column %q: %d of %s", in.features[l], n, input.Plural(in.seen, "row"))
		}
	}
	if cells == 0 {
		return nil
	}
	f := framework.Faultf(framework.Data, "null-cells", "%s NULL, in %s of %s", are(cells, "cell"), input.Plural(columns.Count,
		"column"), r.Label).
		WithHint("%s", in.dropHint(complete())).WithDetails(columns.Details())
	if !in.wanted {
		f.Hint += "; " + framework.Setting("exclude") + " leaves out columns"
	}
	if categories > 0 && in.limited {
		f.Hint = framework.SettingTo("null_category", "level") + " makes NULL a category; " + f.Hint
	}
	return f
}

// dropHint says what leaving out rows would do, where that many rows are complete.
func (in *reader) dropHint(complete int) string {
	drop := framework.SettingTo("nulls", "drop")
	const leaves = " leaves out the rows that have one"
	switch {
	case complete < 0:
		return drop + leaves
	case complete == 0:
		return "every row has one, so that " + drop + " would leave none"
	}
	return drop + leaves + fmt.Sprintf(", and keeps %d of %s", complete, input.Plural(in.seen, "row"))
}

// complete counts the rows in which no feature is NULL; −1 if that cannot be told
// from whole columns.
func (db *DB) complete(ctx context.Context, r *Relation, s *selection) int {
	terms := []string{"true"}
	for _, c := range s.sources {
		switch {
		case c.array:
			return -1
		case !c.nullLevel && !c.absent:
			terms = append(terms, schema.Quote(c.Name)+" IS NOT NULL")
		}
	}
	rows, err := db.Rows(ctx, "SELECT count(*) FROM "+r.From+" WHERE "+strings.Join(terms, " AND "))
	if err != nil {
		return -1 // no more to say
	}
	n, _ := rows[0][0].(int64)
	return int(n)
}

// are returns "1 cell is" or "3 cells are".
func are(n int, one string) string { return input.Plural(n, one) + input.Agreed(n, " is", " are") }
