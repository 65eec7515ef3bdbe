package enginetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/dialect"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// A large table has 2 million rows of 20 features, in six groups that 14 of these tell apart. Cells are made
// of whole numbers below 2^63 and one division, so that they have the same bits wherever they are made.
const (
	LargeRows     = 2_000_000
	largeFeatures = 20
	largeGroups   = 6
	largeTelling  = 14
	prime         = 1<<31 - 1 // squares of numbers below it are below 2^62
	parts         = 1_000_003 // of a unit
)

// hashed looks like a random number below parts.
func hashed(row, place int64) int64 {
	h := (row*7919 + place*104_729_033 + 1) % prime
	return h * (h + place) % prime % parts
}

// hashedSQL is hashed in SQL.
func hashedSQL(d dialect.Dialect, row string, place int) string {
	h := d.Integer(fmt.Sprintf("(%s * 7919 + %d) %% %d", d.Integer(row), place*104_729_033+1, prime))
	return d.Integer(fmt.Sprintf("%s * (%s + %d) %% %d %% %d", h, h, place, prime, parts))
}

// shift is how far a feature of a group is from that of the first one.
func shift(group int64, feature int) int64 {
	if feature >= largeTelling {
		return 0
	}
	return group * int64(feature+1) % 7
}

// LargeColumns are the names of the columns of a large table but for its key, id, and LargeCells their values in
// the row of a key.
func LargeColumns() []string {
	names := make([]string, largeFeatures)
	for l := range names {
		names[l] = fmt.Sprintf("x%d", l)
	}
	return names
}

// LargeCells is the list of the cells of a row, in SQL, with their names.
func LargeCells(d dialect.Dialect, key string) string {
	cells := make([]string, largeFeatures)
	group := d.Integer(fmt.Sprintf("%s %% %d", hashedSQL(d, key, 0), largeGroups))
	for l, name := range LargeColumns() {
		cells[l] = fmt.Sprintf("(%s + %s) / %de0", hashedSQL(d, key, 2*l+1), hashedSQL(d, key, 2*l+2), parts)
		if l < largeTelling {
			cells[l] += fmt.Sprintf(" + %s * %d %% 7", group, l+1)
		}
		cells[l] += " AS " + name
	}
	return strings.Join(cells, ", ")
}

// largeRows are the rows here.
func largeRows(t *testing.T) (*matrix.Builder, []matrix.Source) {
	t.Helper()
	b := must.Get(matrix.NewBuilder(largeFeatures, matrix.Options{RowsHint: LargeRows}))(t)
	cells := must.Get(b.Extend(LargeRows))(t)
	for i := range int64(LargeRows) {
		group := hashed(i, 0) % largeGroups
		for l := range largeFeatures {
			cells[int(i)*largeFeatures+l] = float64(hashed(i, int64(2*l+1))+hashed(i, int64(2*l+2)))/parts + float64(shift(group, l))
		}
	}
	var sources []matrix.Source
	for _, name := range LargeColumns() {
		sources = append(sources, matrix.Source{Name: name})
	}
	return b, sources
}

// larges are fits of a large table. The iterations from rows as centers, of which there are few, move rows in each of them.
var larges = map[string]Case{
	"kmeans":          {Algorithm: "kmeans"},
	"skfr":            {Algorithm: "skfr", Params: map[string]string{"sparsity": "9"}},
	"skfr by cluster": {Algorithm: "skfr", Params: map[string]string{"sparsity": "6", "scope": "local"}},
	"skm":             {Algorithm: "skm", Params: map[string]string{"l1_bound": "2.5"}},
	"groupskm": {Algorithm: "groupskm", Params: map[string]string{"lambda": "0.1"}, Groups: map[string]framework.Group{
		"x0": {Name: "a"}, "x1": {Name: "a"}, "x2": {Name: "a"}, "x13": {Name: "b"}, "x14": {Name: "b"}, "x18": {Name: "c"}, "x19": {Name: "c"}}},
	"bounds": {Algorithm: "kmeans", Constraints: []framework.ConstraintRow{{Kind: "box", Feature: new("x0"), Lo: new(2.0), Hi: new(4.0)},
		{Kind: "box", Feature: new("x19"), Hi: new(0.99)}}},
}

// Large fits of a table whose rows stay where they are are those of the same rows here, from the same centers: the
// iterations, the selections, the centers, and the labels of all rows. The rows are read once, here and there.
func Large(t *testing.T, e engine.Engine, relation string) {
	t.Helper()
	p := &Pair{Case: Case{Algorithm: "kmeans", K: largeGroups, MaxIter: 3}}
	builder, sources := largeRows(t)
	p.Table = &input.Table{Sources: sources, KeyName: "id", Features: LargeColumns()}
	var err error
	if p.Data, p.Recipe, p.Problem, err = matrix.Prepare(builder, sources, p.Case.scaling(t), nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Data.Close() })
	p.bindThere(t, func(*testing.T, *duck.DB, Case) (engine.Engine, string) { return e, relation }, input.Spec{ID: "id"})
	Features(t, p.Recipe.Features, p.Learnt.Features)
	Columns(t, p.Problem.Columns, p.Distant.Columns)
	for name, c := range larges {
		c.Name, c.K, c.MaxIter = name, p.Case.K, p.Case.MaxIter
		t.Run(name, func(t *testing.T) {
			q := p.with(t, c)
			want, got := q.Fit(t, q.Start(false))
			if len(want.Trace) < 2 || want.Trace[1].Moved == 0 {
				t.Errorf("no row changed its cluster in %d iterations", want.Iterations)
			}
			Results(t, c, want, got)
			q.labels(t, got.Model, must.Get(fit.Predict(t.Context(), q.C, want.Model.Clone(), q.Data, 2))(t))
		})
	}
}

// with is the same rows, bound for another case.
func (p *Pair) with(t *testing.T, c Case) *Pair {
	t.Helper()
	q := *p
	q.Case = c
	q.Problem.Columns, q.Distant.Columns = slices.Clone(p.Problem.Columns), slices.Clone(p.Distant.Columns)
	if c.Groups != nil {
		q.Recipe.Features = slices.Clone(p.Recipe.Features)
		q.Recipe.SetGroups(c.Groups)
		q.Problem.Groups = q.Recipe.ProblemGroups()
		for l, f := range q.Recipe.Features {
			q.Problem.Columns[l].Group = f.Group
		}
	}
	q.Problem, q.C = q.finish(t, q.Problem, c.K)
	q.Distant, q.Other = q.finish(t, q.Distant, c.K)
	q.Bound = q.bound(t, q.There)
	return &q
}

// labels compares the table of the assignments with what was predicted, a piece after the other.
func (p *Pair) labels(t *testing.T, m *framework.Model, want *fit.Prediction) {
	t.Helper()
	const piece = 250_000
	target, q := "labels of "+p.Case.Name, p.Engine.Dialect().Quote
	must.Equal(t, LargeRows, must.Get(p.Bound.WriteAssignments(t.Context(), m, target, true))(t))
	for from := 0; from < LargeRows; from += piece {
		rows := must.Get(p.Engine.Query(t.Context(), fmt.Sprintf("SELECT * FROM %s WHERE id >= %d AND id < %d ORDER BY id", q(target),
			from, from+piece)))(t)
		must.Equal(t, piece, len(rows))
		for i, row := range rows {
			if row[0] != int64(from+i) || row[5] != nil {
				t.Fatalf("in the place of row %d is %v", from+i, row)
			}
			assignment(t, row, want, from+i)
		}
	}
	must.Do(t, p.Engine.Exec(t.Context(), "DROP TABLE "+q(target)))
}
