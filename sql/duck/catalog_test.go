package duck

import (
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/sql/schema"
)

func FuzzNames(f *testing.F) {
	for _, pair := range [][2]string{{"main", "t"}, {"a.b", `c"d`}, {"", "t"}, {`"`, `""`}, {"A b", "ß"}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, schemaName, name string) {
		want := []string{schemaName, name}
		if got := SplitName(schema.Qualified(schemaName, name)); schemaName != "" && name != "" && !slices.Equal(got, want) {
			t.Errorf("%q became %q", want, got)
		}
		tables := []Table{{Schema: schemaName, Name: name}, {Schema: "main", Name: "t", current: true}}
		if schemaName != "" && name != "" {
			if _, ok := FindTable(tables, schema.Qualified(schemaName, name)); !ok {
				t.Errorf("%q is not found", want)
			}
		}
		FindTable(tables, name)
	})
}
