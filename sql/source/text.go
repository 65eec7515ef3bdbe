package source

import (
	"context"
	"fmt"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// notNumeric refuses columns that are not numbers, all at once: first those that are
// meant to hold numbers, with their other values and how to read them. auto says
// that --categorical auto has not taken those of text.
func (db *DB) notNumeric(ctx context.Context, r *Relation, bad []*Column, auto bool) error {
	looks := db.looksOf(ctx, r, bad)
	f := notNumbers(r, bad, looks, auto)
	advice := leaveOut(bad, looks)
	cure := db.cureHint(ctx, r, bad, looks)
	if cure == "" {
		return f.WithHint("%s", advice)
	}
	f.Details = append(f.Details, advice)
	return f.WithHint("%s", cure)
}

// notWanted refuses columns that are not numbers, but are of a model that needs them
// as numbers.
func (db *DB) notWanted(ctx context.Context, r *Relation, bad []*Column) error {
	looks := db.looksOf(ctx, r, bad)
	f := notNumbers(r, bad, looks, false)
	if cure := db.cureHint(ctx, r, bad, looks); cure != "" {
		return f.WithHint("%s", cure)
	}
	return f.WithHint("the model needs them as numbers; convert them in a query as when it was fitted")
}

// looksOf looks at those of some columns that are text; where it cannot, there is
// no more to say of them.
func (db *DB) looksOf(ctx context.Context, r *Relation, columns []*Column) map[*Column]*look {
	looks, _ := db.lookAtText(ctx, r, func(c *Column) bool { return slices.Contains(columns, c) })
	return looks
}

// badWeight refuses a row weight that is not a number.
func (db *DB) badWeight(ctx context.Context, r *Relation, c *Column) error {
	return db.badNumber(ctx, r, c, framework.Faultf(framework.Data, "weight-not-numeric", "the row weight %q is %s, not a number",
		c.Name, c.Type).At("weight"))
}

// badNumber adds to the fault of a column that must be a number how it is read as one.
func (db *DB) badNumber(ctx context.Context, r *Relation, c *Column, f *framework.Fault) error {
	bad := []*Column{c}
	looks := db.looksOf(ctx, r, bad)
	if looks[c].meant() {
		f.Details = []string{looks[c].String()}
		if f.Hint = db.cureHint(ctx, r, bad, looks); f.Hint == "" {
			f.Hint = "turn it into numbers in a query"
		}
	}
	return f
}

// notNumbers says of each column why it is not a number, of text last.
func notNumbers(r *Relation, bad []*Column, looks map[*Column]*look, auto bool) *framework.Fault {
	names := input.NamesOf(bad, func(c *Column) string { return c.Name })
	var shown, others input.Tally
	for _, c := range bad {
		switch l := looks[c]; {
		case l.meant():
			shown.Add("%s is %s: %v", input.ColumnName(c.Name), shortType(c.Type), l)
		case auto && l != nil && textual(c.Type):
			others.Add("%s is %s: it has %s in %s, too many for %s", input.ColumnName(c.Name), shortType(c.Type),
				input.Plural(l.distinct, "different value"), input.Plural(l.values, "row"), framework.SettingTo("categorical", input.AutoCategories))
		default:
			others.Add("%s is %s: %s", input.ColumnName(c.Name), shortType(c.Type), c.advice())
		}
	}
	are := input.Agreed(len(bad), "column is not a number", "columns are not numbers")
	return framework.Faultf(framework.Data, "column-not-numeric", "%d %s: %s", len(bad), are, input.ColumnNames(names)).
		WithWhere("%s", r.Label).WithDetails(append(shown.Details(), others.Details()...))
}

// leaveOut says how to do without columns that are not numbers.
func leaveOut(bad []*Column, looks map[*Column]*look) string {
	var names, texts []string
	ignorable := " or " + framework.Setting("ignore_text") // which leaves no numbers out
	for _, c := range bad {
		names = append(names, c.Name)
		if looks[c].meant() {
			ignorable = ""
		}
		if textual(c.Type) {
			texts = append(texts, c.Name)
		}
	}
	if len(texts) == len(bad) {
		return framework.SettingTo("categorical", input.ColumnItems(texts)) + " makes features of their categories; " +
			framework.Setting("exclude") + ignorable + " leaves them out"
	}
	advice := "leave them out with " + framework.SettingTo("exclude", input.ColumnItems(names)) +
		", or name the features with " + framework.Setting("features")
	if len(texts) > 0 {
		advice += "; " + framework.SettingTo("categorical", input.ColumnItems(texts)) + " makes features of categories"
	}
	return advice
}

// cureHint says how to read those columns as numbers that are meant to be; "" if
// there are none, or if it is not clear.
func (db *DB) cureHint(ctx context.Context, r *Relation, bad []*Column, looks map[*Column]*look) string {
	odd := 0
	var first *Column
	for _, c := range bad {
		if looks[c].meant() {
			if looks[c].unclear() {
				return ""
			}
			odd += looks[c].oddCount
			if first == nil {
				first = c
			}
		}
	}
	if first == nil {
		return ""
	}
	if word := db.cure(ctx, r, looks); word != "" {
		if odd == 0 {
			return "to read them as numbers, use the relation " + word
		}
		return "to read these values as NULL, use the relation " + word
	}
	return fmt.Sprintf("in a query, %s is a number, or NULL where there is none", looks[first].asNumber(schema.Quote(first.Name)))
}
