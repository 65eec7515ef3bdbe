package engine

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// A Relation is what follows FROM in a statement, and what is known of it.
type Relation struct {
	From    string // SQL
	Source  string // SQL to be recorded: a query that stands for itself
	Label   string // for messages: table "t", the query
	Columns []Column
}

// resolve finds out what a text stands for.
func resolve(ctx context.Context, e Engine, text string) (Relation, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Relation{}, framework.Faultf(framework.Usage, "relation-missing", "no relation was given").At("relation").
			WithHint("name a table or a view, or write a query")
	}
	return e.Resolve(ctx, text)
}

// find returns the place of the column of a name, or −1; case decides only between
// names that are otherwise equal.
func (r *Relation) find(name string) int {
	at := slices.IndexFunc(r.Columns, func(c Column) bool { return c.Name == name })
	if at < 0 {
		at = slices.IndexFunc(r.Columns, func(c Column) bool { return strings.EqualFold(c.Name, name) })
	}
	return at
}

// column returns the place of a column that a setting names.
func (r *Relation) column(name, setting string) (int, error) {
	at := r.find(name)
	if at >= 0 {
		return at, nil
	}
	names := input.NamesOf(r.Columns, func(c Column) string { return c.Name })
	f := framework.Faultf(framework.Data, "column-not-found", "%s has no column %q", r.Label, name).At(setting)
	if f.Similar = framework.Closest(name, names); f.Similar == "" {
		f.Hint = "its columns are " + input.ColumnNames(names)
	}
	return at, f
}

// matched returns which columns names, names in quotes and patterns refer to.
func (r *Relation) matched(items []string, setting string) (map[int]bool, error) {
	set := map[int]bool{}
	for _, item := range items {
		name, quoted := input.Literal(item)
		if !quoted {
			name = item
		}
		if at := r.find(name); at >= 0 {
			set[at] = true
			continue
		}
		bare := strings.TrimSpace(name)
		if quoted || !strings.ContainsAny(bare, "*?[") {
			at, err := r.column(bare, setting)
			if err != nil {
				return nil, err
			}
			set[at] = true
			continue
		}
		n := len(set)
		for i, c := range r.Columns {
			ok, err := path.Match(noSlash.Replace(strings.ToLower(bare)), noSlash.Replace(strings.ToLower(c.Name)))
			if err != nil {
				return nil, framework.Faultf(framework.Usage, "bad-pattern", "the pattern %q is malformed", bare).At(setting)
			}
			if ok {
				set[i] = true
			}
		}
		if len(set) == n {
			return nil, framework.Faultf(framework.Data, "pattern-matches-nothing", "no column of %s matches %q", r.Label, bare).At(setting)
		}
	}
	return set, nil
}

// noSlash stands for the slash, which is special to the patterns of paths, and not to
// those of columns.
var noSlash = strings.NewReplacer("/", "\uf8ff")
