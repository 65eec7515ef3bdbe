package functions

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/query"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

//go:embed surface.sql
var surface string

// macros are the statements that make what users call.
func (f *Functions) macros() []string {
	var named, fields []string
	for _, name := range f.settingNames() {
		named = append(named, schema.Quote(name)+" := NULL")
		fields = append(fields, schema.Quote(name)+": "+schema.Quote(name))
	}
	for _, name := range beside {
		named = append(named, name+" := '__sqlcluster_none'")
		fields = append(fields, name+": (SELECT list(__"+name+") FROM query_table("+name+") AS __"+name+")")
	}
	text := strings.NewReplacer(
		"{settings}", strings.Join(named, ", "),
		"{options}", "{key: key, "+strings.Join(fields, ", ")+"}",
		"{fit}", schema.Quote(f.prefix+"fit"),
	).Replace(surface)
	var all []string
	for _, s := range query.Split(text) {
		all = append(all, s.Text)
	}
	return all
}

// settingNames are the named arguments of a fit: settings, and the parameters of all
// algorithms.
func (f *Functions) settingNames() []string {
	names := []string{"params"}
	for name := range targets(new(options)) {
		if name != "key" && !slices.Contains(otherNames, name) {
			names = append(names, name)
		}
	}
	names = append(names, f.library.Parameters()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// otherNames are options of other functions than fits.
var otherNames = []string{"grid", "grid_points", "by", "truth", "method", "choose", "folds", "repeats", "share", "warm", "labels", "unseen"}
