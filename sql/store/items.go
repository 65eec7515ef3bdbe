package store

import (
	"path"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/input"

	"github.com/sqlcluster/sqlcluster/framework"
)

// byItem returns the columns that an item refers to: the one that it names in
// quotes, or else literally, or else those that it matches as a pattern.
func (r *relation) byItem(item, where string) ([]*column, error) {
	name, quoted := input.Literal(item)
	if quoted {
		if c := r.find(name); c != nil {
			return []*column{c}, nil
		}
	}
	if c := r.find(item); c != nil {
		return []*column{c}, nil
	}
	if quoted {
		return nil, r.missing(name, where)
	}
	bare := strings.TrimSpace(item)
	if c := r.find(bare); c != nil {
		return []*column{c}, nil
	}
	if !strings.ContainsAny(bare, "*?[") {
		return nil, r.missing(bare, where)
	}
	var found []*column
	for i := range r.columns {
		ok, err := matches(bare, r.columns[i].name)
		if err != nil {
			return nil, framework.Faultf(framework.Usage, "bad-pattern", "the pattern %q is malformed", bare).WithWhere("%s", where)
		}
		if ok {
			found = append(found, &r.columns[i])
		}
	}
	if found == nil {
		return nil, framework.Faultf(framework.Data, "pattern-matches-nothing", "no column of %s matches %q", r.label, bare).WithWhere("%s", where)
	}
	return found, nil
}

// withComma adds to the fault of the first of some items the column that they are
// together, if there is one.
func (r *relation) withComma(err error, items []string) error {
	f := framework.AsFault(err)
	f.Similar = pasted(f.Similar)
	var commas []string
	for _, c := range r.columns {
		if strings.Contains(c.name, ",") {
			commas = append(commas, c.name)
		}
	}
	for n := 2; n <= len(items); n++ {
		text := strings.Join(items[:n], ",")
		if c := r.find(text); c != nil {
			f.Similar, f.Hint = pasted(c.name), ""
		} else if near := framework.Closest(text, commas); near != "" && f.Similar == "" {
			f.Similar, f.Hint = pasted(near), ""
		}
	}
	return f
}

// pasted writes the name of a column as an item of a flag, with quotes for the
// shell if it needs some of its own.
func pasted(name string) string {
	item := input.ColumnItem(name)
	if item == name {
		return name
	}
	return framework.ShellWord(item)
}

// noSlash stands for the slash in patterns and names: it is special to the
// patterns of paths, and not to those of columns.
var noSlash = strings.NewReplacer("/", "\uf8ff")

// matches reports whether a pattern matches a name, whatever their case.
func matches(pattern, name string) (bool, error) {
	return path.Match(noSlash.Replace(strings.ToLower(pattern)), noSlash.Replace(strings.ToLower(name)))
}

// named reports whether an item is the name of a column, and no pattern.
func named(item string, c *column) bool {
	if name, quoted := input.Literal(item); quoted && strings.EqualFold(name, c.name) {
		return true
	}
	return strings.EqualFold(item, c.name) || strings.EqualFold(strings.TrimSpace(item), c.name)
}
