package store

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/sql/input"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// people are rows with categories of every kind.
const people = `CREATE TYPE size AS ENUM ('S', 'M', 'L', 'XL');
CREATE TABLE people AS SELECT id, age, colour, tall, cup::size AS cup, code, born FROM (VALUES
	(3, 30, 'red',  true,  'L', 10,   DATE '2001-02-03'),
	(1, 10, 'blue', false, 'S', 9,    DATE '2001-02-03'),
	(2, 20, 'red',  true,  'L', NULL, DATE '1999-12-31'),
	(4, 40, 'Blue', true,  'M', 10,   DATE '2001-02-03')) v(id, age, colour, tall, cup, code, born)`

func categorical(name string, levels ...string) matrix.Source {
	return matrix.Source{Name: name, Categorical: true, Levels: levels}
}

func TestCategoriesAreReadInTheirOrder(t *testing.T) {
	db := memory(t, people)
	for name, c := range map[string]struct {
		spec    input.Spec
		sources []matrix.Source
		cells   [][]float64
	}{
		"text_booleans_and_enums_if_asked_for_together": {
			input.Spec{Exclude: []string{"code", "born"}, Categories: true},
			[]matrix.Source{{Name: "age"}, categorical("colour", "Blue", "blue", "red"), categorical("tall", "false", "true"), categorical("cup", "S", "M", "L")},
			[][]float64{{10, 1, 0, 0}, {20, 2, 1, 2}, {30, 2, 1, 2}, {40, 0, 1, 1}},
		},
		"numbers_and_dates_if_they_are_named": {
			input.Spec{Features: []string{"born", "code"}, Categorical: []string{"b*", "CODE"}, NullLevel: true},
			[]matrix.Source{{Name: "code", Categorical: true, Levels: []string{"10", "9"}, NullLevel: true},
				{Name: "born", Categorical: true, Levels: []string{"1999-12-31", "2001-02-03"}, NullLevel: true}},
			[][]float64{{1, 1}, {nan, 0}, {0, 1}, {0, 1}},
		},
		"without_those_of_dropped_rows": {
			input.Spec{Features: []string{"code", "born"}, Categorical: []string{"born"}, Nulls: "drop"},
			[]matrix.Source{{Name: "code"}, categorical("born", "2001-02-03")},
			[][]float64{{9, 0}, {10, 0}, {10, 0}},
		},
		"dropping_rows_with_a_NULL_category": {
			input.Spec{Features: []string{"code"}, Categorical: []string{"code"}, Nulls: "drop"},
			[]matrix.Source{categorical("code", "10", "9")},
			[][]float64{{1}, {0}, {0}},
		},
		"keeping_a_NULL_that_is_a_category": {
			input.Spec{Features: []string{"code"}, Categorical: []string{"code"}, Nulls: "drop", NullLevel: true},
			[]matrix.Source{{Name: "code", Categorical: true, Levels: []string{"10", "9"}, NullLevel: true}},
			[][]float64{{1}, {nan}, {0}, {0}},
		},
		"as_a_model_has_them": {
			input.Spec{Want: []string{"colour", "age", "code"}, WantCategories: map[string]bool{"colour": false, "code": true}},
			[]matrix.Source{categorical("colour", "Blue", "blue", "red"), {Name: "age"}, {Name: "code", Categorical: true, Levels: []string{"10", "9"}, NullLevel: true}},
			[][]float64{{1, 10, 1}, {2, 20, nan}, {2, 30, 0}, {0, 40, 0}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.spec.Relation, c.spec.ID = "people", "id"
			table := read(t, db, c.spec)
			if d := cmp.Diff(c.sources, table.Sources); d != "" {
				t.Error(d)
			}
			if d := diff(c.cells, cells(table)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestAThousandCategoriesAreNotTooMany(t *testing.T) {
	db := memory(t)
	table := read(t, db, input.Spec{Relation: "SELECT (i % 1000)::VARCHAR AS a FROM range(5000) r(i)", Categories: true})
	if n := len(table.Sources[0].Levels); n != MaxLevels || MaxLevels != 1000 { // the limit that the documents state
		t.Errorf("%d categories", n)
	}
}

func TestEncodedTablesHaveAColumnForEachCategory(t *testing.T) {
	db := memory(t, people)
	table := read(t, db, input.Spec{Relation: "people", ID: "id", Features: []string{"age", "cup"}, Categories: true})
	if err := table.Encode(); err != nil {
		t.Fatal(err)
	}
	if d := diff([]string{"age", "cup=S", "cup=M", "cup=L"}, table.Columns()); d != "" {
		t.Error(d)
	}
	if d := diff([][]float64{{10, 1, 0, 0}, {20, 0, 0, 1}, {30, 0, 0, 1}, {40, 0, 1, 0}}, cells(table)); d != "" {
		t.Error(d)
	}
	start, err := db.ReadStart(t.Context(), `SELECT * FROM (VALUES (0, 'AGE', NULL, 1), (0, 'cup', 'S', .1), (0, 'cup', 'm', .2), (0, 'cup', 'L', .7)) v(cluster, feature, category, center)`, table, 1)
	if err != nil {
		t.Fatal(explain(err))
	}
	if d := cmp.Diff(&framework.Matrix{Rows: 1, Cols: 4, Data: []float64{1, .1, .2, .7}}, start.Centers); d != "" {
		t.Error(d)
	}
	_, err = db.ReadStart(t.Context(), `SELECT * FROM (VALUES (0, 'age', NULL, 1), (0, 'cup', 'XS', .1), (0, 'cup', NULL, .2)) v(cluster, feature, category, center)`, table, 1)
	f := framework.AsFault(err)
	if f == nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"cluster 0, feature cup=XS: there is no such feature; did you mean cup=S", "cluster 0, feature cup: there is no such feature; did you mean cup=S"}, f.Details); d != "" {
		t.Error(d)
	}
}
