package source

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

func categorical(name string, levels ...string) matrix.Source {
	return matrix.Source{Name: name, Categorical: true, Levels: levels}
}

func TestCategoriesAreReadInTheirOrder(t *testing.T) {
	db := memory(t, sqltest.People)
	for name, c := range map[string]struct {
		spec    input.Spec
		sources []matrix.Source
		cells   [][]float64
	}{
		"text_booleans_and_enums_if_asked_for_together": {
			input.Spec{Exclude: []string{"code", "born"}, Categories: true},
			[]matrix.Source{{Name: "age"}, categorical("colour", "Blue", "blue", "red"), categorical("tall", "false", "true"),
				categorical("cup", "S", "M", "L")},
			[][]float64{{10, 1, 0, 0}, {20, 2, 1, 2}, {30, 2, 1, 2}, {40, 0, 1, 1}},
		},
		"numbers_and_dates_if_they_are_named": {
			input.Spec{Features: []string{"born", "code"}, Categorical: []string{"b*", "CODE"}, NullLevel: true},
			[]matrix.Source{{Name: "code", Categorical: true, Levels: []string{"10", "9"}, NullLevel: true},
				{Name: "born", Categorical: true, Levels: []string{"1999-12-31", "2001-02-03"}, NullLevel: true}},
			[][]float64{{1, 1}, {sqltest.NaN, 0}, {0, 1}, {0, 1}},
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
			[][]float64{{1}, {sqltest.NaN}, {0}, {0}},
		},
		"as_a_model_has_them": {
			input.Spec{Want: []string{"colour", "age", "code"}, WantCategories: map[string]bool{"colour": false, "code": true}},
			[]matrix.Source{categorical("colour", "Blue", "blue", "red"), {Name: "age"},
				{Name: "code", Categorical: true, Levels: []string{"10", "9"}, NullLevel: true}},
			[][]float64{{1, 10, 1}, {2, 20, sqltest.NaN}, {2, 30, 0}, {0, 40, 0}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.spec.Relation, c.spec.ID = "people", "id"
			table := sqltest.Read(t, db, c.spec)
			must.Equal(t, c.sources, table.Sources)
			sqltest.Equal(t, c.cells, sqltest.Cells(table))
		})
	}
}

func TestAThousandCategoriesAreNotTooMany(t *testing.T) {
	db := memory(t)
	table := sqltest.Read(t, db, input.Spec{Relation: "SELECT (i % 1000)::VARCHAR AS a FROM range(5000) r(i)", Categories: true})
	if n := len(table.Sources[0].Levels); n != MaxLevels || MaxLevels != 1000 { // the limit that the documents state
		t.Errorf("%d categories", n)
	}
}
