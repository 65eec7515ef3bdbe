package source

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/pattern"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// mapType is the type of a column whose maps are rows: a cell for each key.
var mapType = pattern.New(`^MAP\(VARCHAR, ([^()]+|DECIMAL\(\d+,\d+\))\)$`)

// mapOf returns the column of maps that alone is named as features; nil: there is none.
func (r *Relation) mapOf(spec input.Spec) *Column {
	name := spec.Map
	if spec.Want == nil && len(spec.Features) == 1 {
		found, err := r.byItem(spec.Features[0], "")
		if err != nil || len(found) != 1 {
			return nil
		}
		name = found[0].Name
	}
	c := r.find(name)
	if name == "" || c == nil || !c.isMap() {
		return nil
	}
	return c
}

// isMap reports whether the values of a column are maps of text to numbers.
func (c Column) isMap() bool { return IsMap(c.Type) }

// IsMap reports whether a type is that of maps of text to numbers.
func IsMap(typ string) bool {
	m := mapType().FindStringSubmatch(typ)
	return m != nil && numberType().MatchString(m[1])
}

// Columns of the triples of maps, and their maps.
const (
	mapCell  = "sqlcluster_map"
	mapRow   = "sqlcluster_map_row" // its number
	mapKey   = "sqlcluster_map_key"
	mapValue = "sqlcluster_map_value"
)

// triplesOf returns the relation of the triples of a column of maps, and how it is read.
// A row whose map is empty has one triple, without a feature. So has one whose map is
// NULL, with the value NaN.
func (r *Relation) triplesOf(maps *Column, spec input.Spec) (*Relation, input.Spec, error) {
	key := spec.ID
	if key == "" && spec.Key != "" && r.Has(spec.Key) {
		key = spec.Key
	}
	long, list := *r, "row_number() OVER () AS "+schema.Quote(input.RowNumber)
	long.Columns = []Column{{input.RowNumber, "BIGINT"}}
	if key != "" {
		c, err := r.Column(key, framework.Setting("id"))
		if err != nil {
			return nil, spec, err
		}
		long.Columns[0], list = *c, schema.Quote(c.Name)
	}
	if spec.Weight != "" {
		c, err := r.Column(spec.Weight, framework.Setting("weight"))
		if err != nil {
			return nil, spec, err
		}
		long.Columns, list = append(long.Columns, *c), list+", "+schema.Quote(c.Name)
	}
	number := mapType().FindStringSubmatch(maps.Type)[1]
	long.Columns = append(long.Columns, Column{mapKey, "VARCHAR"}, Column{mapValue, number})
	some := "unnest(CASE WHEN cardinality(" + mapCell + ") > 0 THEN "
	list += ", row_number() OVER () AS " + mapRow
	long.From = "(SELECT * EXCLUDE (" + mapCell + "), " + some + "map_keys(" + mapCell + ") ELSE [NULL] END) AS " + mapKey + ", " +
		some + "map_values(" + mapCell + ") WHEN " + mapCell + " IS NULL THEN ['nan'::DOUBLE] ELSE [NULL] END) AS " + mapValue +
		" FROM (SELECT " + list + ", CAST(" + schema.Quote(maps.Name) + " AS MAP(VARCHAR, DOUBLE)) AS " + mapCell + " FROM " + r.From + "))"
	spec.Features, spec.Long = nil, &input.Long{Key: long.Columns[0].Name, Feature: mapKey, Value: mapValue}
	return &long, spec, nil
}

// readMaps reads rows whose cells are the values of maps.
func (db *DB) readMaps(ctx context.Context, r *Relation, maps *Column, spec input.Spec) (*input.Table, error) {
	triples, as, err := r.triplesOf(maps, spec)
	if err != nil {
		return nil, err
	}
	t, err := db.readLong(ctx, &long{r: triples, spec: as, maps: true})
	if f := framework.AsFault(err); f != nil && f.Where == longPlace {
		return nil, f.WithWhere("%s", framework.Setting("id"))
	}
	if err != nil {
		return nil, err
	}
	t.Long, t.Map = nil, maps.Name // the triples are not those of the relation
	for _, c := range r.Columns {
		if c != *maps && !triples.Has(c.Name) {
			t.Excluded = append(t.Excluded, input.Excluded{Name: c.Name, Why: "not in " + framework.Setting("features")})
		}
	}
	if t.KeyName == input.RowNumber && !r.ordered {
		t.Warnings = append(t.Warnings, r.noKey())
	}
	return t, nil
}
