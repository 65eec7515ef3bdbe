package main

import (
	"embed"
	"strings"
	"text/template"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/dialect"
)

//go:embed duckdb.sql clickhouse.sql
var texts embed.FS

// A feature is how the statement by hand reads a column.
type feature struct{ Name, Location, Scale string }

// byHand returns the statement that a person would write for one iteration.
func byHand(name, relation string, d dialect.Dialect, features []matrix.Feature, centers framework.Matrix) (string, error) {
	t, err := template.ParseFS(texts, name+".sql")
	if err != nil {
		return "", err
	}
	of := struct {
		Relation string
		Features []feature
		Centers  [][]string
	}{Relation: relation}
	if strings.Contains(relation, " ") { // a query
		of.Relation = "(" + relation + ")"
	}
	for _, f := range features {
		of.Features = append(of.Features, feature{f.Name, d.Number(f.Location), d.Number(f.Scale)})
	}
	for j := range centers.Rows {
		var cells []string
		for _, x := range centers.Row(j) {
			cells = append(cells, d.Number(x))
		}
		of.Centers = append(of.Centers, cells)
	}
	var b strings.Builder
	err = t.Execute(&b, of)
	return b.String(), err
}
