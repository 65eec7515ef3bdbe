package source

import (
	"path"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// byItem returns the columns that an item refers to: the one that it names in
// quotes, or else literally, or else those that it matches as a pattern.
func (r *Relation) byItem(item, where string) ([]*Column, error) {
	name, quoted := input.Literal(item)
	if quoted {
		if c := r.find(name); c != nil {
			return []*Column{c}, nil
		}
	}
	if c := r.find(item); c != nil {
		return []*Column{c}, nil
	}
	if quoted {
		return nil, r.missing(name, where)
	}
	bare := strings.TrimSpace(item)
	if c := r.find(bare); c != nil {
		return []*Column{c}, nil
	}
	if !strings.ContainsAny(bare, "*?[") {
		return nil, r.missing(bare, where)
	}
	var found []*Column
	for i := range r.Columns {
		ok, err := matches(bare, r.Columns[i].Name)
		if err != nil {
			return nil, framework.Faultf(framework.Usage, "bad-pattern", "the pattern %q is malformed", bare).WithWhere("%s", where)
		}
		if ok {
			found = append(found, &r.Columns[i])
		}
	}
	if found == nil {
		return nil, framework.Faultf(framework.Data, "pattern-matches-nothing",
			"no %s of %s matches %q", r.part(), r.Label, bare).WithWhere("%s", where)
	}
	return found, nil
}

// withComma adds to the fault of the first of some items the column that they are
// together, if there is one.
func (r *Relation) withComma(err error, items []string) error {
	f := framework.AsFault(err)
	f.Similar = pasted(f.Similar)
	var commas []string
	for _, c := range r.Columns {
		if strings.Contains(c.Name, ",") {
			commas = append(commas, c.Name)
		}
	}
	for n := 2; n <= len(items); n++ {
		text := strings.Join(items[:n], ",")
		if c := r.find(text); c != nil {
			f.Similar, f.Hint = pasted(c.Name), ""
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
func named(item string, c *Column) bool {
	if name, quoted := input.Literal(item); quoted && strings.EqualFold(name, c.Name) {
		return true
	}
	return strings.EqualFold(item, c.Name) || strings.EqualFold(strings.TrimSpace(item), c.Name)
}
