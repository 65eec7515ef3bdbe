package engine

import (
	"context"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// Use reads what the use of a model needs of a relation, whose columns are those of the
// model's recipe: it makes the checks of Learn. unseen says what becomes of categories that
// the recipe does not know.
func (t *Table) Use(ctx context.Context, spec input.Spec, recipe matrix.Recipe, unseen matrix.Unseen) (*input.Table, error) {
	relation, err := t.open(ctx, spec)
	if err != nil {
		return nil, err
	}
	t.rows.recipe = recipe
	if unseen != "" && unseen != matrix.UnseenError {
		t.rows.unseen = unseen
	} else if err := t.checkUnseen(ctx); err != nil {
		return nil, err
	}
	moments, err := t.first(ctx, relation, spec)
	if err != nil {
		return nil, err
	}
	t.ranges = nil
	for l, m := range moments {
		t.ranges = append(t.ranges, [2]float64{m.Min, m.Max})
		if largest := max(math.Abs(m.Min), math.Abs(m.Max)); math.IsInf(largest*largest, 1) {
			return nil, framework.Faultf(framework.Data, "values-too-large", "the values of column %q are too large: their squares overflow",
				recipe.Features[l].Name).WithHint("leave these rows out in a query")
		}
	}
	return t.table(relation, spec, moments), t.checkKeys(ctx)
}
