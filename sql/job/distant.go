package job

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// A Distant is a relation whose rows stay in an engine. What it cannot do is a Fault that
// says what to do instead. Package engine has it for databases.
type Distant interface {
	// Learn looks at the relation as Source.Read would read it, and learns how its columns
	// become features. The table has what is known of the relation, and no rows. The
	// problem has what the rows decide, but for groups.
	Learn(ctx context.Context, spec input.Spec, s matrix.Scaling) (Learned, error)

	// Use looks at the relation for a recipe that is known: that of a model.
	Use(ctx context.Context, spec input.Spec, r matrix.Recipe, unseen matrix.Unseen) (*input.Table, error)

	// Bind returns the rows as a formula and a problem have them, after Learn or Use.
	Bind(f means.Formula, p framework.Problem) (Bound, error)
}

// A Learned is what is known of a relation whose rows stay in an engine.
type Learned struct {
	Table       *input.Table
	Recipe      matrix.Recipe
	Problem     framework.Problem
	Fingerprint string // changes with the rows
}

// A Bound is the rows of a Distant, with the formula by which they are labelled.
type Bound interface {
	fit.Passes

	// Distinct counts the rows that differ, up to most.
	Distinct(ctx context.Context, most int) (int, error)

	// Begin makes a start by a method of package seeding.
	Begin(ctx context.Context, init, space string, seed uint64, restart int) (fit.Beginning, error)

	// Summarise says what is in each cluster that a model makes.
	Summarise(ctx context.Context, m *framework.Model) (result.Summary, error)

	// Spread returns for each cluster that a model makes Σ weight · distance of its rows to
	// a point of its own, over all features alike; nil where cells are missing.
	Spread(ctx context.Context, m *framework.Model, points framework.Matrix) ([]float64, error)

	// Sample returns up to so many rows, drawn at random, in fitted units: always the same.
	Sample(ctx context.Context, rows int, seed uint64) (framework.Matrix, []float64, error)

	// Crosstab counts the rows by their clusters in two models.
	Crosstab(ctx context.Context, a, b *framework.Model) ([][]int, error)

	// Classes counts the rows by a column and by their clusters: those of score.Table.
	Classes(ctx context.Context, m *framework.Model, column string) ([]input.TruthCell, error)

	// Assignments is the query of the rows of a table of assignments.
	Assignments(m *framework.Model) (string, error)
}

// An Assigner is a Bound whose assignments go into a table where the rows are: all of
// them, or none.
type Assigner interface {
	WriteAssignments(ctx context.Context, m *framework.Model, table string, replace bool) (rows int, err error)
}

// writeAssignments writes the assignments of a model where the rows are.
func writeAssignments(ctx context.Context, b Bound, m *framework.Model, table string, replace bool) (int, error) {
	w, ok := b.(Assigner)
	if !ok {
		return 0, framework.Faultf(framework.Internal, "internal", "the engine has no way to write table %s", table)
	}
	return w.WriteAssignments(ctx, m, table, replace)
}
