package beside

import (
	"context"
	"fmt"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

// withCells returns a relation of triples or maps with a column for each name that is no column of it,
// but a feature of some triple or a key of some map: 0 in rows without it, NULL where the map is NULL. A relation
// whose names are all its own is returned as it is.
func (db *DB) withCells(ctx context.Context, r *source.Relation, wanted []input.Beside, t *input.Table) (*source.Relation, error) {
	var names []string
	for _, w := range wanted {
		if !r.Has(w.Name) && (t.Long != nil || t.Map != "") {
			names = append(names, w.Name)
		}
	}
	if names == nil {
		return r, nil
	}
	in := func(name string) string { // whether a triple, or a map, has the name
		if t.Long == nil {
			return fmt.Sprintf("map_contains(%s, %s)", schema.Quote(t.Map), schema.Text(name))
		}
		return fmt.Sprintf("encode(CAST(%s AS VARCHAR)) = encode(%s)", schema.Quote(t.Long.Feature), schema.Text(name))
	}
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = "coalesce(bool_or(" + in(name) + "), false)"
	}
	lines, err := db.Rows(ctx, "SELECT "+strings.Join(list, ", ")+" FROM "+r.From)
	if err != nil {
		return nil, source.RelationFault(source.ReadFault(err, r, 0), r.Label, constraintsPlace)
	}
	with, list := *r, list[:0]
	with.Columns = append([]source.Column{}, r.Columns...)
	for i, name := range names {
		if lines[0][i] != true {
			continue // it is missing
		}
		with.Columns = append(with.Columns, source.Column{Name: name, Type: "DOUBLE"})
		cell := fmt.Sprintf("CASE WHEN %[1]s IS NOT NULL THEN coalesce(map_extract(%[1]s, %[2]s)[1], 0) END",
			schema.Quote(t.Map), schema.Text(name))
		if t.Long != nil { // several triples are added up in the order of their values
			cell = fmt.Sprintf("CASE WHEN coalesce(bool_or(%[2]s), false) THEN sum(%[1]s ORDER BY %[1]s) FILTER (%[2]s) ELSE 0 END",
				schema.Quote(t.Long.Value), in(name))
		}
		list = append(list, cell+" AS "+schema.Quote(name))
	}
	if len(list) == 0 {
		return r, nil
	}
	with.From = "(SELECT *, " + strings.Join(list, ", ") + " FROM " + r.From + ")"
	if t.Long != nil {
		key := schema.Quote(t.Long.Key)
		with.From = "(SELECT * FROM (SELECT * FROM " + r.From + ") JOIN (SELECT " + key + ", " + strings.Join(list, ", ") + " FROM " + r.From +
			" GROUP BY " + key + ") USING (" + key + "))"
	}
	return &with, nil
}
