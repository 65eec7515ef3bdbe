package beside

import (
	"path/filepath"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

func TestConstraintRowsAreReadByTheNamesOfTheirColumns(t *testing.T) {
	db := memory(t)
	cases := map[string]struct {
		relation string
		want     []framework.ConstraintRow
	}{
		"all columns, in another order": {
			"SELECT 1::TINYINT AS cluster, 'box' AS Kind, 'a' AS feature, 'n' AS name, 0.5::DECIMAL(3,1) AS lo, 2 AS hi, 3::FLOAT AS coef, " +
				"4::BIGINT AS value",
			[]framework.ConstraintRow{{Kind: "box", Name: "n", Cluster: new(1), Feature: new("a"), Coef: new(3.0), Lo: new(0.5), Hi: new(2.0),
				Value: new(4.0)}}},
		"absent columns are NULL": {"SELECT 'nonnegative' AS kind", []framework.ConstraintRow{{Kind: "nonnegative"}}},
		"NULLs": {"SELECT 'box' AS kind, NULL AS cluster, NULL AS feature, NULL AS lo, 1 AS hi",
			[]framework.ConstraintRow{{Kind: "box", Hi: new(1.0)}}},
		"clusters are whole numbers": {
			"SELECT 'box' AS kind, unnest([2.0, 0.5, -1, NULL]) AS cluster",
			[]framework.ConstraintRow{{Kind: "box", Cluster: new(2)}, {Kind: "box", NoCluster: "0.5"}, {Kind: "box", Cluster: new(-1)},
				{Kind: "box"}}},
		"also as text": {
			"SELECT 'box' AS kind, unnest(['01', '1.5', 'one', 'nan', '1e30']) AS cluster",
			[]framework.ConstraintRow{{Kind: "box", Cluster: new(1)}, {Kind: "box", NoCluster: "1.5"}, {Kind: "box", NoCluster: "one"},
				{Kind: "box", NoCluster: "nan"}, {Kind: "box", NoCluster: "1e30"}}},
		"no rows": {"SELECT 'box' AS kind WHERE false", []framework.ConstraintRow{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := must.Get(db.ReadConstraints(t.Context(), c.relation))(t)
			must.Equal(t, c.want, got)
		})
	}
}

func TestRelationsThatAreNoConstraintsAreRefused(t *testing.T) {
	for name, relation := range map[string]string{
		"unknown_columns": "SELECT 'box' AS kind, 'a' AS features, 1 AS low, 2 AS hi",
		"no_kind":         "SELECT 'a' AS feature, 1 AS lo",
		"not_a_number":    "SELECT 'box' AS kind, 'a' AS feature, 'five' AS lo",
		"unknown_table":   "limits",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := memory(t).ReadConstraints(t.Context(), relation)
			sqltest.Golden(t, filepath.Join("testdata", "constraints", name+".txt"), sqltest.Explain(err)+"\n")
		})
	}
}
