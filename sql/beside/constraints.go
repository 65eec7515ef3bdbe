package beside

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

var constraintsPlace = framework.Setting("constraints")

// constraintColumns are the columns of a constraints relation and the types that
// they are read as. A cluster is read as a number too, and told as it is where
// that is not whole.
var constraintColumns = []constraintColumn{
	{"kind", "VARCHAR"}, {"name", "VARCHAR"}, {"cluster", "VARCHAR"}, {"feature", "VARCHAR"},
	{"coef", "DOUBLE"}, {"lo", "DOUBLE"}, {"hi", "DOUBLE"}, {"value", "DOUBLE"},
}

// ReadConstraints reads the rows of a constraints relation, in any order. A
// column that is absent is NULL in every row; an unknown one is an error, so
// that a misspelled one is not overlooked.
func (db *DB) ReadConstraints(ctx context.Context, text string) ([]framework.ConstraintRow, error) {
	r, err := db.Resolve(ctx, text, constraintsPlace)
	if err != nil {
		return nil, err
	}
	defer db.Release(r)
	if err := knownColumns(r); err != nil {
		return nil, err
	}
	var list []string
	number := "NULL" // of a cluster; NULL where it is none
	for _, c := range constraintColumns {
		value := "NULL"
		if r.Has(c.name) {
			value = schema.Quote(c.name)
		}
		list = append(list, "CAST("+value+" AS "+c.typ+")")
		if c.name == "cluster" {
			number = "TRY_CAST(" + value + " AS DOUBLE)"
		}
	}
	list = append(list, number)
	lines, err := db.Rows(ctx, "SELECT "+strings.Join(list, ", ")+" FROM "+r.From)
	if err != nil {
		return nil, db.NumberFault(ctx, source.ReadFault(err, r, len(lines)), r, constraintsPlace, "coef", "lo", "hi", "value")
	}
	rows := make([]framework.ConstraintRow, len(lines))
	for i, line := range lines {
		rows[i] = constraintRow(line)
	}
	return rows, nil
}

type constraintColumn struct{ name, typ string }

// knownColumns returns a Fault if the relation has a column that constraints do
// not have, or no kind.
func knownColumns(r *source.Relation) error {
	names := input.NamesOf(constraintColumns, func(c constraintColumn) string { return c.name })
	unknown := otherColumns(r, names)
	for i, name := range unknown {
		near := map[string]string{"min": "lo", "max": "hi"}[strings.ToLower(name)]
		if near = cmp.Or(near, framework.Closest(name, names)); near != "" {
			unknown[i] += fmt.Sprintf(" (did you mean %s?)", near)
		}
	}
	hint := "the columns of constraints are " + strings.Join(names, ", ")
	if len(unknown) > 0 {
		return framework.Faultf(framework.Data, "constraint-columns",
			"%s has columns that constraints do not have: %s", r.Label, strings.Join(unknown, ", ")).
			At("constraints").WithHint("%s", hint)
	}
	if !r.Has("kind") {
		return framework.Faultf(framework.Data, "constraint-columns", "%s has no column kind, which says what a row declares", r.Label).
			At("constraints").WithHint("%s", hint)
	}
	return nil
}

// constraintRow takes the values of a line by their types. Kinds are words in lower
// case, but may be written in any, with blanks around them.
func constraintRow(line []any) framework.ConstraintRow {
	text := func(i int) string { s, _ := line[i].(string); return s }
	number := func(i int) *float64 {
		if v, ok := line[i].(float64); ok {
			return &v
		}
		return nil
	}
	row := framework.ConstraintRow{Kind: strings.ToLower(strings.TrimSpace(text(0))), Name: text(1),
		Coef: number(4), Lo: number(5), Hi: number(6), Value: number(7)}
	switch v, ok := line[8].(float64); {
	case ok && v == math.Trunc(v) && math.Abs(v) <= 1<<53: // which a float64 holds exactly
		row.Cluster = new(int(v))
	default:
		row.NoCluster = text(2)
	}
	if v, ok := line[3].(string); ok {
		row.Feature = &v
	}
	return row
}
