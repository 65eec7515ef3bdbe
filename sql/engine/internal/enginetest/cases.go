package enginetest

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// A Case is a fit of a relation, here and where the rows are.
type Case struct {
	Name            string
	Setup, Relation string // in DuckDB: SQL before it, and what is read
	Where           string // not "": the relation is a query of these rows of a table
	Spec            input.Spec
	Algorithm       string
	Params          map[string]string
	K               int
	Scale, Center   string
	Norm            string
	Constraints     []framework.ConstraintRow
	Groups          map[string]framework.Group
	MaxIter         int
	Far             bool // a first center that no row is near to
	Tied            bool // rows are equally near to centers but for rounding, which decides who moves
	Slack           float64
}

const mice = `CREATE TABLE mice AS SELECT id, COLUMNS('^[pB].*_N$') FROM 'examples/mice_protein.csv' WHERE id % 3 = 0 OR BAD_N IS NULL`

// Cases are clusterings of data sets of the examples, and of tables that are odd.
var Cases = map[string]Case{
	"kmeans of wine": {Relation: "examples/wine.csv", Algorithm: "kmeans", K: 3, Spec: input.Spec{Exclude: []string{"class"}}},
	"raw":            {Relation: "examples/wine.csv", Algorithm: "kmeans", K: 4, Scale: "raw", Spec: input.Spec{Exclude: []string{"class"}}},
	"sd_n, not centered": {Relation: "examples/wine.csv", Algorithm: "kmeans", K: 5, Scale: "sd_n", Center: "none",
		Spec: input.Spec{Exclude: []string{"class"}}},
	"skfr": {Relation: "examples/wine.csv", Algorithm: "skfr", K: 3, Params: map[string]string{"sparsity": "6"},
		Spec: input.Spec{Exclude: []string{"class"}}},
	"skfr by cluster": {Relation: "examples/wine.csv", Algorithm: "skfr", K: 3, Params: map[string]string{"sparsity": "4", "scope": "local"},
		Spec: input.Spec{Exclude: []string{"class"}}},
	"skm": {Relation: "examples/wine.csv", Algorithm: "skm", K: 3, Params: map[string]string{"l1_bound": "2.5"},
		Spec: input.Spec{Exclude: []string{"class"}}},
	"skm of ionosphere": {Relation: "examples/ionosphere.csv", Algorithm: "skm", K: 2, Params: map[string]string{"l1_bound": "3"},
		Spec: input.Spec{Exclude: []string{"class"}}},
	"groupskm of heart": {Relation: "examples/heart.csv", Algorithm: "groupskm", K: 3, Params: map[string]string{"lambda": "0.01"},
		Spec: input.Spec{Exclude: []string{"HD"}, Categorical: []string{"cp", "thal", "sex", "slope"}}},
	"missing cells": {Setup: mice, Relation: "mice", Algorithm: "kmeans", K: 4},
	"missing cells, skfr": {Setup: mice, Relation: "mice", Algorithm: "skfr", K: 4,
		Params: map[string]string{"sparsity": "12"}},
	"missing cells, drop": {Setup: mice, Relation: "mice", Algorithm: "kmeans", K: 4,
		Spec: input.Spec{Nulls: "drop"}},
	"weights": {Relation: "SELECT * EXCLUDE class, [0, 0.3, 1, 2][id % 4 + 1] AS w FROM 'examples/wine.csv'", Algorithm: "kmeans", K: 3,
		Spec: input.Spec{Weight: "w"}},
	"weights and missing cells": {Setup: mice, Relation: "SELECT *, [0, 0.3, 1, 2][id % 4 + 1] AS w FROM mice", Algorithm: "kmeans", K: 3,
		Spec: input.Spec{Weight: "w"}},
	"whole weights, skm": {Relation: "SELECT * EXCLUDE class, id % 3 AS w FROM 'examples/wine.csv'", Algorithm: "skm", K: 3,
		Params: map[string]string{"l1_bound": "2"}, Spec: input.Spec{Weight: "w"}},
	"bounds": {Relation: "examples/wine.csv", Algorithm: "kmeans", K: 3, Spec: input.Spec{Exclude: []string{"class"}},
		Constraints: []framework.ConstraintRow{{Kind: "box", Feature: new("alcohol"), Lo: new(12.5), Hi: new(13.5)}}},
	"nonnegative": {Relation: "examples/wine.csv", Algorithm: "kmeans", K: 3, Scale: "sd", Spec: input.Spec{Exclude: []string{"class"}},
		Constraints: []framework.ConstraintRow{{Kind: "nonnegative"}}},
	"offsets of 1e8": {Setup: "CREATE VIEW far AS SELECT id, alcohol + 1e8 AS a, ash - 1e8 AS b, proline * 1e-3 AS c FROM 'examples/wine.csv'",
		Relation: "far", Algorithm: "kmeans", K: 3, Scale: "raw", Slack: 1e-8}, // cells have an ulp of 1.5e-8 there
	"one feature":  {Relation: "SELECT id, proline FROM 'examples/wine.csv'", Algorithm: "kmeans", K: 3},
	"two features": {Relation: "SELECT id, proline, alcohol FROM 'examples/wine.csv'", Algorithm: "kmeans", K: 3},
	"one cluster":  {Relation: "examples/wine.csv", Algorithm: "kmeans", K: 1, Spec: input.Spec{Exclude: []string{"class"}}},
	"ties and duplicates": {Relation: "SELECT i AS id, i % 4 AS x, i // 4 % 4 AS y, 7 AS constant FROM range(64) t(i)",
		Algorithm: "kmeans", K: 4, Scale: "raw", Tied: true},
	"odd names": {Setup: `CREATE TABLE "o'd ""t" AS SELECT id AS "the ""key""", alcohol AS "c'1", ash AS "Größe \ x", hue AS "select", ` +
		`proline AS r_x0 FROM 'examples/wine.csv'`, Relation: `"o'd ""t"`, Algorithm: "kmeans", K: 3, Spec: input.Spec{ID: `the "key"`}},
	"names of results, NULLs in all": {Relation: `SELECT id, alcohol, if(id % 5 = 0, NULL, alcohol) AS status, ` +
		`if(id % 7 = 0, NULL, hue) AS distance, ` +
		`if(id % 35 = 0, NULL, ash) AS "x IS NULL", if(id % 5 = 0, NULL, proline) AS margin FROM 'examples/wine.csv'`, Algorithm: "kmeans", K: 3,
		Spec: input.Spec{Exclude: []string{"alcohol"}}},
	"categories with NULL": {Relation: "SELECT id, age, chol, nullif(cp, 2) AS cp, " +
		"CASE WHEN thal = 3 THEN 'it''s' WHEN thal = 6 THEN 'NULL' END AS thal FROM 'examples/heart.csv'", Algorithm: "groupskm", K: 3,
		Params: map[string]string{"lambda": "0.001"}, Spec: input.Spec{Categorical: []string{"cp", "thal"}, NullLevel: true}},
	"enum": {Setup: "CREATE TYPE size AS ENUM ('small', 'large', 'medium'); CREATE TABLE e AS SELECT id, alcohol, " +
		"(['large', 'small', 'medium'][id % 3 + 1])::size AS size FROM 'examples/wine.csv'", Relation: "e", Algorithm: "kmeans", K: 3,
		Spec: input.Spec{Categorical: []string{"size"}}},
	"norm": {Relation: "examples/wine.csv", Algorithm: "kmeans", K: 3, Scale: "raw", Norm: "l2", Spec: input.Spec{Exclude: []string{"class"}}},
	"groups of features, skfr": {Relation: "examples/wine.csv", Algorithm: "skfr", K: 3, Params: map[string]string{"sparsity": "2"},
		Spec: input.Spec{Exclude: []string{"class"}}, Groups: map[string]framework.Group{
			"alcohol": {Name: "a"}, "ash": {Name: "a"}, "hue": {Name: "b"}, "proline": {Name: "b"}}},
	"forty clusters": {Relation: "examples/heart.csv", Algorithm: "kmeans", K: 40, Spec: input.Spec{Exclude: []string{"HD"}}},
	"a query": {
		Relation: "examples/wine.csv", Where: "proline > 500 AND id <> 7", Algorithm: "skfr", K: 3, Params: map[string]string{"sparsity": "5"},
		Spec: input.Spec{Exclude: []string{"class"}}},
	"names of results": {Setup: mice, Relation: "SELECT id, BRAF_N AS distance, pERK_N AS status, BAD_N AS margin, BCL2_N AS u, pS6_N AS v, " +
		"pCFOS_N AS i FROM mice", Algorithm: "kmeans", K: 3, Spec: input.Spec{Nulls: "drop"}},
	"skm, missing cells": {Setup: mice, Relation: "mice", Algorithm: "skm", K: 3, Params: map[string]string{"l1_bound": "4"}},
	"a cluster that gets a row": {
		Relation:  "SELECT id, alcohol + 1e4 AS a, ash + 1e4 AS b, hue + 1e4 AS c FROM 'examples/wine.csv'",
		Algorithm: "kmeans", K: 4,
		Scale: "raw", Far: true}, // no row is near 0, where a center without rows goes
	"an empty cluster": {Relation: "examples/wine.csv", Algorithm: "kmeans", K: 4, Spec: input.Spec{Exclude: []string{"class"}}, Far: true},
}
