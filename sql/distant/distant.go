package distant

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// A Relation is one whose rows stay in an engine. What it cannot do is a Fault that says
// what to do instead.
type Relation interface {
	// Learn looks at the relation as a job would read it, and learns how its columns
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

// A Bound is the rows of a Relation, with the formula by which they are labelled.
type Bound interface {
	fit.Passes

	// Distinct counts the rows that differ, up to most.
	Distinct(ctx context.Context, most int) (int, error)

	// Foresee says that Begin will be asked for starts in these units, by restart, so that they may be made together.
	Foresee(spaces []string)

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

	// Flag makes outliers, in the assignments, of rows that are farther than that from all
	// centers.
	Flag(distance float64)

	// Assignments is the query of the rows of a table of assignments.
	Assignments(m *framework.Model) (string, error)
}

// A Writer is a Bound whose engine takes tables: all of their rows, or none.
type Writer interface {
	// WriteAssignments makes a table of the assignments of a model.
	WriteAssignments(ctx context.Context, m *framework.Model, table string, replace bool) (rows int, err error)

	// WriteRun makes the tables of a run in the place of older ones: copies, and the
	// assignments of a model, unless that is nil.
	WriteRun(ctx context.Context, run string, m *framework.Model, copies []result.Copy) error
}

// A Keeper is a Relation whose engine keeps the tables of runs.
type Keeper interface {
	// CheckRun refuses what WriteRun must not replace; results only if replace is true.
	CheckRun(ctx context.Context, run string, replace bool) error

	// DropRun drops the tables of a run, and returns their names.
	DropRun(ctx context.Context, run string) ([]string, error)
}

// A Streamer is a Relation whose engine hands over the rows of a query as they come, so that
// this process has one of them at a time. An error of use ends it.
type Streamer interface {
	Stream(ctx context.Context, query string, use func(row []any) error) error

	// Rows returns how many rows the relation has, with those that are left out, after Use.
	Rows() int
}

// WriterOf returns what writes tables where rows are.
func WriterOf(b Bound) (Writer, error) {
	w, ok := b.(Writer)
	if !ok {
		return nil, framework.Faultf(framework.Internal, "internal", "the engine has no way to write tables")
	}
	return w, nil
}

// NeedsRows is the fault of a setting that is not possible where rows stay in an engine.
func NeedsRows(setting, why string) *framework.Fault {
	return framework.Faultf(framework.Usage, "needs-rows", "%s is not possible with %s: %s", framework.Setting(setting),
		framework.Setting("engine"), why).At(setting).
		WithHint("leave out %s, or %s", framework.Setting(setting), framework.Setting("engine"))
}
