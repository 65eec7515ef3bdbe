package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// worked is one line of the table of examples in docs/constraints.md.
type worked struct{ wanted, relation, flags, constraints, holds string }

func workedExamples(t *testing.T) []worked {
	t.Helper()
	page := must.Get(os.ReadFile("../../docs/constraints.md"))(t)
	_, table, ok := strings.Cut(string(page), "| wanted | relation |")
	if !ok {
		t.Fatal("there is no table of examples")
	}
	var all []worked
	for _, line := range strings.Split(table, "\n")[2:] {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 5 {
			t.Fatalf("%d cells in %s", len(cells), line)
		}
		for i, c := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(c), "`")
		}
		all = append(all, worked{cells[0], cells[1], cells[2], cells[3], cells[4]})
	}
	return all
}

func TestTheWorkedExamplesOfConstraintsHoldInTheResultTables(t *testing.T) {
	all := workedExamples(t)
	if len(all) < 25 {
		t.Fatalf("there are %d examples", len(all))
	}
	dir := t.TempDir()
	for _, name := range []string{"wine.csv", "pairs.csv"} {
		write(t, dir, "examples/"+name, string(must.Get(os.ReadFile("../../examples/"+name))(t)))
	}
	t.Chdir(dir)
	free := map[string]bool{} // fits without constraints, which examples share
	kinds := map[string]bool{}
	for i, w := range slices.Backward(all) { // the last ones have an algorithm of their own
		first := w.first(kinds)
		if !first && !clustertest.Campaign { // the core has each kind of rows once, and most algorithms
			continue
		}
		t.Run(strings.ReplaceAll(w.wanted, " ", "_"), func(t *testing.T) {
			w.run(t, dir, fmt.Sprintf("%d.duckdb", i), clustertest.Campaign || len(kinds) == 1) // both drivers take long
			if !clustertest.Campaign && !strings.Contains(w.constraints, "'sparsity'") {
				return
			}
			without := fmt.Sprintf("%x.duckdb", sha256.Sum256([]byte(w.relation+w.flags)))
			if !free[without] {
				free[without] = true
				succeed(t, dir, append(w.fit(), "--db", without)...)
			}
			if w.broken(t, opened(t, dir, without)) == 0 {
				t.Error("without the constraints it holds too, so that the example shows nothing")
			}
		})
	}
}

// first reports whether the example has a kind of rows that none before it had.
func (w worked) first(kinds map[string]bool) (first bool) {
	for _, k := range declare.Kinds() {
		if strings.Contains(w.constraints, "'"+k+"'") && !kinds[k] {
			kinds[k], first = true, true
		}
	}
	return first
}

// fit returns the arguments of the fit without constraints and database.
func (w worked) fit() []string {
	args := []string{"fit", w.relation, "-k", "3", "--id", "id", "--into", "r", "-q"}
	if !clustertest.Campaign {
		args = append(args, "--restarts", "2") // which the law needs none of
	}
	if w.relation == "W" {
		args[1] = "examples/wine.csv"
		args = append(args, "--exclude", "class")
	}
	return append(args, strings.Fields(w.flags)...)
}

// run fits with the constraints, by the driver in the plugin and, if wanted, by
// that in the host, and looks at the result tables.
func (w worked) run(t *testing.T, dir, file string, host bool) {
	args := append(w.fit(), "--constraints", w.constraints, "--db", file)
	succeed(t, dir, args...)
	fromPlugin := w.inTables(t, file)
	if !host {
		return
	}
	succeed(t, dir, append(args, "--replace", "--driver", "host")...)
	equal(t, fromPlugin, w.inTables(t, file), "the centers depend on where the driver is")
}

// inTables checks the centers in the result tables: in SQL, and by the set that
// the rows declare. It returns the centers.
func (w worked) inTables(t *testing.T, file string) framework.Matrix {
	db := must.Get(store.Open(context.Background(), file, store.ReadOnly))(t)
	defer db.Close()
	if n := w.broken(t, db); n > 0 {
		t.Errorf("of 3 centers %g break %s", n, w.holds)
	}
	columns, centers := storedCenters(t, db)
	rows := must.Get(db.ReadConstraints(context.Background(), w.constraints))(t)
	set := must.Get(declare.Rows(rows, framework.Problem{K: 3, Columns: columns}))(t)
	if off := set.Violation(centers); off > 1e-8 {
		t.Errorf("the centers are %g outside the set that the rows declare", off)
	}
	return centers
}

// broken returns how many centers do not do what the example says, by SQL on the
// result tables.
func (w worked) broken(t *testing.T, db *store.DB) float64 {
	columns, _ := storedCenters(t, db)
	var list []string
	for _, c := range columns { // centers are exact to rounding
		list = append(list, fmt.Sprintf("round(max(center) FILTER (feature = '%s'), 9) AS %s", c.Name, c.Name))
	}
	return cells(t, db, fmt.Sprintf(`WITH c AS (SELECT cluster, %s FROM r_centers GROUP BY cluster)
		SELECT count(*) FILTER (WHERE coalesce(NOT (%s), true))::DOUBLE + 3 * (3 - count(*)) AS broken FROM c`,
		strings.Join(list, ", "), rounded(w.holds))).Data[0]
}

// rounded lets sums of rounded centers be compared.
func rounded(condition string) string {
	for _, sum := range []string{"a + b + c", "abs(a) + abs(b) + abs(c)", "a * a + b * b + c * c", "total_phenols + flavanoids",
		"alcohol - 4 * ash", "ash + hue"} {
		condition = strings.ReplaceAll(condition, sum, "round("+sum+", 7)")
	}
	return strings.ReplaceAll(condition, ">= 0.8", ">= 0.8 - 1e-7")
}

// cells reads a query of one row of numbers.
func cells(t *testing.T, db *store.DB, query string) framework.Matrix {
	t.Helper()
	table := must.Get(db.Read(context.Background(), input.Spec{Relation: query, Nulls: "keep", Order: "input"}))(t)
	data := must.Get(table.Builder.Seal())(t)
	defer data.Close()
	return data.Block(0).X.Clone()
}

// storedCenters returns the recipe's columns and the centers in the fitted
// space, of the stored model.
func storedCenters(t *testing.T, db *store.DB) ([]framework.Column, framework.Matrix) {
	t.Helper()
	fit := must.Get(db.LoadModel(context.Background(), "r"))(t)
	var model struct {
		Recipe struct {
			Features []struct {
				Name            string
				Location, Scale float64
			}
		}
		Centers [][]float64
	}
	must.Do(t, json.Unmarshal([]byte(fit.Model), &model))
	var columns []framework.Column
	for _, f := range model.Recipe.Features {
		columns = append(columns, framework.Column{Name: f.Name, Location: f.Location, Scale: f.Scale})
	}
	centers := framework.NewMatrix(len(model.Centers), len(columns))
	for j, c := range model.Centers {
		copy(centers.Row(j), c)
	}
	return columns, centers
}
