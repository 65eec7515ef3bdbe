package store

import (
	"path"
	"regexp"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// SplitColumns splits the text of a flag that takes columns at its commas. An
// item is a name, a pattern, or a name in double quotes as in SQL, in which
// commas are part of the name; the quotes stay with the item. A quote that does
// not begin an item, or that is not closed, is a character like others.
func SplitColumns(text string) []string {
	if text == "" {
		return nil
	}
	var items []string
	for {
		n := quotedLength(text)
		if n < 0 {
			n = strings.IndexByte(text, ',')
		}
		if n < 0 || n == len(text) {
			return append(items, text)
		}
		items = append(items, text[:n])
		text = text[n+1:]
	}
}

// quotedItem is a name in quotes, up to the comma or the end.
var quotedItem = regexp.MustCompile(`^\s*"((?:[^"]|"")+)"\s*(?:,|$)`)

// quotedLength returns the length of the name in quotes that text begins with,
// without the comma behind it, or −1.
func quotedLength(text string) int {
	found := quotedItem.FindString(text)
	if found == "" {
		return -1
	}
	return len(strings.TrimSuffix(found, ","))
}

// literal returns the name that an item in double quotes stands for.
func literal(item string) (name string, ok bool) {
	m := quotedItem.FindStringSubmatch(item)
	if m == nil || quotedLength(item) != len(item) {
		return "", false
	}
	return strings.ReplaceAll(m[1], `""`, `"`), true
}

// byItem returns the columns that an item refers to: the one that it names in
// quotes, or else literally, or else those that it matches as a pattern.
func (r *relation) byItem(item, where string) ([]*column, error) {
	name, quoted := literal(item)
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
	item := ColumnItem(name)
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
	if name, quoted := literal(item); quoted && strings.EqualFold(name, c.name) {
		return true
	}
	return strings.EqualFold(item, c.name) || strings.EqualFold(strings.TrimSpace(item), c.name)
}

// ColumnItem writes the name of a column as an item of a flag that takes columns.
func ColumnItem(name string) string {
	if strings.ContainsAny(name, `,"*?[\`) || strings.TrimSpace(name) != name || name == autoCategories {
		return schema.Quote(name)
	}
	return name
}

// longestFlag is how many characters a flag with columns may have that is proposed.
const longestFlag = 80

// ColumnFlag writes a flag with columns, for a hint that is to be pasted. Where they
// are too many for that, it says that there are to be columns.
func ColumnFlag(flag string, names []string) string {
	items := make([]string, len(names))
	for i, name := range names {
		items[i] = ColumnItem(name)
	}
	word := framework.ShellWord(strings.Join(items, ","))
	if len(word) > longestFlag {
		word = "COLUMN,..."
	}
	return flag + " " + word
}

// autoCategories is the item of --categorical that stands for all columns of text
// with few values.
const autoCategories = "auto"
