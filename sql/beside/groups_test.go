package beside

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

func TestFeaturesAreInTheGroupsOfTheirRows(t *testing.T) {
	db := memory(t, sqltest.People)
	table := sqltest.Read(t, db, input.Spec{Relation: "people", ID: "id", Exclude: []string{"code", "born"}, Categories: true})
	for name, c := range map[string]struct {
		relation string
		want     map[string]framework.Group
	}{
		"without_weights": {"(VALUES ('age', 'g'), ('COLOUR', 'g'), ('cup', 'h')) v(feature, feature_group)",
			map[string]framework.Group{"age": {Name: "g", Weight: sqltest.NaN}, "colour": {Name: "g", Weight: sqltest.NaN},
				"cup": {Name: "h", Weight: sqltest.NaN}}},
		"with_a_weight_in_one_row_of_a_group": {"(VALUES (2, 'g', 'age'), (NULL, 'g', 'colour'), (0, 'tall', 'tall'), " +
			"(NULL, 'cup', 'cup')) v(weight, feature_group, feature)",
			map[string]framework.Group{"age": {Name: "g", Weight: 2}, "colour": {Name: "g", Weight: 2}, "tall": {Name: "tall", Weight: 0},
				"cup": {Name: "cup", Weight: sqltest.NaN}}},
		"with_the_same_weight_in_all": {"(VALUES (2, 'g', 'age'), (2, 'g', 'colour')) v(weight, feature_group, feature)",
			map[string]framework.Group{"age": {Name: "g", Weight: 2}, "colour": {Name: "g", Weight: 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := must.Get(db.ReadGroups(t.Context(), "SELECT * FROM "+c.relation, table))(t)
			must.Equal(t, c.want, got, cmpopts.EquateNaNs())
		})
	}
}

// badGroups are groups that are refused: the message of each is in
// testdata/groups/NAME.txt.
var badGroups = map[string]string{
	"empty":           "SELECT 'age' AS feature, 'a' AS feature_group WHERE false",
	"unknown_table":   "grups",
	"no_group":        "SELECT 'age' AS feature, 'a' AS groups",
	"unknown_column":  "SELECT 'age' AS feature, 'a' AS feature_group, 1 AS wieght, 2 AS other",
	"no_number":       "SELECT 'age' AS feature, 'a' AS feature_group, 'heavy' AS weight",
	"weight_of_dates": "SELECT 'age' AS feature, 'a' AS feature_group, DATE '2026-01-31' AS Weight",
	"every_fault": `SELECT * FROM (VALUES ('age', 'a', 1), ('age', 'a', 1), ('colour', 'b', NULL), ('Colour', 'a', NULL), ('agee', 'a',
		1), ('code', 'a', 1),
		(NULL, 'a', 1), ('tall', NULL, 1), ('tall', 'c', -1), ('cup', 'c', 'inf'::DOUBLE), ('nothing like it', '', NULL)) v(feature,
			feature_group, weight)`,
	"weights_differ": "SELECT * FROM (VALUES ('age', 'a', 1), ('colour', 'a', 2), ('cup', 'a', NULL), " +
		"('tall', 'b', 'nan'::DOUBLE)) v(feature, feature_group, weight)",
	"name_of_a_feature": "SELECT 'age' AS feature, 'tall' AS feature_group",
}

func TestGroupsThatAreWrongAreReportedTogether(t *testing.T) {
	db := memory(t, sqltest.People)
	table := sqltest.Read(t, db, input.Spec{Relation: "people", ID: "id", Exclude: []string{"code", "born"}, Categories: true})
	for name, relation := range badGroups {
		t.Run(name, func(t *testing.T) {
			_, err := db.ReadGroups(t.Context(), relation, table)
			sqltest.Golden(t, filepath.Join("testdata", "groups", name+".txt"), sqltest.Explain(err)+"\n")
		})
	}
	t.Run("in_the_same_way_for_any_order_of_rows", func(t *testing.T) {
		_, want := db.ReadGroups(t.Context(), badGroups["every_fault"], table)
		for _, order := range []string{"feature DESC", "weight, feature_group", "hash(feature)"} {
			_, err := db.ReadGroups(t.Context(), badGroups["every_fault"]+" ORDER BY "+order, table)
			if d := cmp.Diff(sqltest.Explain(want), sqltest.Explain(err)); d != "" {
				t.Errorf("%s: %s", order, d)
			}
		}
	})
}
