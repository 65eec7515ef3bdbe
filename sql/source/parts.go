package source

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// parts are the rows of a relation in groups. Those of features that are columns of
// numbers are read at once. All others are read group by group, from a copy of the relation
// that is sorted by group, in which a group takes no longer to find than it takes to read.
type parts struct {
	split  *Split
	groups *input.Groups
	found  *values // of the groups, as they were found
	number []int   // of each group among those

	copying sync.Mutex
	copied  *sorted // nil: it has not been needed
}

var _ input.Parts = (*parts)(nil)

// Parts reads a relation whose rows are in groups: those that have the same values in
// columns, which are neither key nor feature. spec is as for Read, of every group. The
// rows of all groups are held, as spec.Storage says, until Close.
func (db *DB) Parts(ctx context.Context, spec input.Spec, by []string) (input.Parts, error) {
	if err := checkSpec(spec); err != nil {
		return nil, err
	}
	whole, err := db.Resolve(ctx, spec.Relation, framework.Setting("relation"))
	if err != nil {
		return nil, err
	}
	p := &parts{split: &Split{db: db, spec: spec, whole: whole}}
	if err := p.open(ctx, by); err != nil {
		_ = p.Close() // the first error counts
		return nil, err
	}
	return p, nil
}

// open finds the groups, and reads their rows if that is simple.
func (p *parts) open(ctx context.Context, by []string) error {
	s := p.split
	columns, err := groupColumns(s.whole, s.spec, by)
	if err != nil {
		return err
	}
	p.found = newValues(columns)
	s.spec = p.without(s.spec, columns)
	s.by = grouping{columns: columns, place: p.found.place, alone: func(group int) (string, error) { return p.alone(ctx, group) }}
	for _, c := range columns {
		s.by.read = append(s.by.read, schema.Quote(c.Name))
	}
	wrong, err := s.readAll(ctx)
	switch {
	case err != nil:
		return err
	case p.found.bad != nil:
		return p.found.bad
	case wrong != nil && len(s.spec.Categorical) == 0: // of all groups alike
		return s.db.emptyFirst(ctx, s.whole, wrong)
	case s.reader == nil:
		all, err := p.sorted(ctx)
		if err != nil {
			return err
		}
		p.found = all.values
	}
	p.number = p.found.order()
	if p.groups = p.found.inOrder(p.number); p.groups.Len() == 0 {
		return s.whole.empty()
	}
	return nil
}

// Close implements input.Parts.
func (p *parts) Close() error {
	if p.copied != nil {
		p.copied.drop()
	}
	return p.split.Close()
}

// Groups implements input.Parts.
func (p *parts) Groups() *input.Groups { return p.groups }

// Held implements input.Parts.
func (p *parts) Held() bool { return p.split.reader != nil && !slices.Contains(p.split.odd, true) }

// Query implements input.Parts.
func (p *parts) Query(group int) string { return p.groups.Where("("+p.split.whole.source+")", group) }

// Whole implements input.Parts.
func (p *parts) Whole() string { return p.split.whole.source }

// Read implements input.Parts.
func (p *parts) Read(ctx context.Context, spec input.Spec, group int) (*input.Table, error) {
	t, err := p.read(ctx, spec, group)
	if err == nil {
		t.Name, t.SourceSQL = p.split.spec.Relation, p.Query(group)
	}
	return t, err
}

func (p *parts) read(ctx context.Context, spec input.Spec, group int) (*input.Table, error) {
	s := p.split
	spec = p.without(spec, s.by.columns)
	if s.reader != nil && readAlike(s.spec, spec) {
		return s.Read(ctx, p.number[group])
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	query, err := p.alone(ctx, p.number[group])
	if err != nil {
		return nil, err
	}
	spec.Relation = query
	t, err := s.db.Read(ctx, spec)
	if f := framework.AsFault(err); f != nil { // a hint is about the relation, of which nobody else has the copy
		f.Hint = strings.ReplaceAll(f.Hint, query, strings.ReplaceAll(s.whole.source, "'", `'\''`))
	}
	return t, err
}

// without returns how a group is read: columns by which rows are grouped need not be left
// out, since it does not have them.
func (p *parts) without(spec input.Spec, by []*Column) input.Spec {
	spec.Exclude = slices.DeleteFunc(slices.Clone(spec.Exclude), func(item string) bool {
		c := p.split.whole.find(itemName(item))
		return c != nil && slices.Contains(by, c)
	})
	return spec
}

// itemName is the name that an item of a list of columns is, if it is no pattern.
func itemName(item string) string {
	if name, quoted := input.Literal(item); quoted {
		return name
	}
	return item
}

// readAlike reports whether two ways to read columns of numbers are the same.
func readAlike(a, b input.Spec) bool {
	return a.ID == b.ID && a.Key == b.Key && a.Weight == b.Weight && a.Nulls == b.Nulls && a.Order == b.Order && a.Long == nil &&
		b.Long == nil &&
		a.MissingOK == b.MissingOK && a.Map == b.Map && slices.Equal(a.Want, b.Want) && slices.Equal(a.Features, b.Features) &&
		slices.Equal(a.Exclude, b.Exclude) && len(a.WantCategories)+len(b.WantCategories) == 0
}

// alone returns the query of the rows of a group, by its number among those that were
// found, in the sorted copy of the relation.
func (p *parts) alone(ctx context.Context, number int) (string, error) {
	all, err := p.sorted(ctx)
	if err != nil {
		return "", err
	}
	place, ok := all.values.index[p.found.key(number)]
	if !ok {
		return "", framework.Faultf(framework.Data, "relation-changes", "%s had other rows when it was read once more", p.split.whole.Label).
			At("relation").WithHint("write its rows to a table first")
	}
	return all.query(place), nil
}

// sorted returns the sorted copy of the relation.
func (p *parts) sorted(ctx context.Context) (*sorted, error) {
	p.copying.Lock()
	defer p.copying.Unlock()
	if p.copied != nil {
		return p.copied, nil
	}
	var err error
	if p.copied, err = p.split.db.sort(ctx, p.split.whole, p.split.by.columns); err != nil {
		return nil, err
	}
	rows := "*"
	if l := p.split.spec.Long; p.split.whole.isLong(l) { // triples of a key are one row
		rows = "DISTINCT " + schema.Quote(l.Key)
	}
	if err = p.copied.count(ctx, rows); err != nil {
		p.copied.drop()
		p.copied, err = nil, RelationFault(err, p.split.whole.Label, framework.Setting("relation"))
	}
	return p.copied, err
}

// groupColumns finds the columns by which rows are grouped, and refuses those that are
// something else, too.
func groupColumns(r *Relation, spec input.Spec, by []string) ([]*Column, error) {
	var columns []*Column
	for i, item := range by {
		name := itemName(item)
		where := framework.Setting("by")
		if len(by) > 1 {
			where = fmt.Sprintf("%s, item %d of %d", where, i+1, len(by))
		}
		c, err := r.Column(name, where)
		if err != nil {
			return nil, err
		}
		if slices.Contains(columns, c) {
			return nil, framework.Faultf(framework.Usage, "column-used-twice", "column %q is named twice", c.Name).WithWhere("%s", where)
		}
		columns = append(columns, c)
		if err := checkGroupColumn(r, c, spec); err != nil {
			return nil, err.WithWhere("%s", where)
		}
	}
	return columns, nil
}

// checkGroupColumn refuses a column that is also a key, a weight or a feature, or that is
// called like one of the result.
func checkGroupColumn(r *Relation, c *Column, spec input.Spec) *framework.Fault {
	twice := func(what, why string) *framework.Fault {
		return framework.Faultf(framework.Usage, "column-used-twice", "rows cannot be grouped by column %q: it is also %s, %s", c.Name, what, why)
	}
	is := func(name string) bool { return name != "" && r.find(name) == c }
	switch {
	case is(spec.ID):
		return twice("the row key", "so that each row would be a group")
	case spec.Long != nil && (is(spec.Long.Key) || is(spec.Long.Feature) || is(spec.Long.Value)):
		return twice("a column of the triples", "which all groups need")
	case is(spec.Weight):
		return twice("the row weight", "which would be the same in all rows of a group")
	}
	for _, item := range slices.Concat(spec.Features, spec.Categorical) {
		if is(itemName(item)) {
			return twice("a feature", "which would be the same in all rows of a group")
		}
	}
	for _, t := range schema.Tables() {
		if spec.Results != nil && !slices.Contains(spec.Results, t.Name) {
			continue
		}
		for _, column := range t.Columns {
			if strings.EqualFold(column.Name, c.Name) {
				return framework.Faultf(framework.Data, "group-name-taken",
					"rows cannot be grouped by a column %q: the result table %s has one of that name", c.Name, t.Name).
					WithHint("rename it in a query: SELECT * RENAME (%s AS %s) FROM …", schema.Quote(c.Name), schema.Quote("by_"+c.Name))
			}
		}
	}
	return nil
}
