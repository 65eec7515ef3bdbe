package source

import (
	"context"
	"fmt"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// MaxAuto is how many different values a column of text has at most that
// --categorical auto makes categories of.
const MaxAuto = 20

// pick selects the features by --features and --exclude, and says what becomes of
// columns of text.
func (db *DB) pick(ctx context.Context, s *selection, r *Relation, spec input.Spec) error {
	left, err := s.leave(r, spec)
	if err != nil {
		return err
	}
	items, auto := spec.Categorical, false
	if r.find(input.AutoCategories) == nil && slices.Contains(items, input.AutoCategories) {
		items, auto = slices.DeleteFunc(slices.Clone(items), func(item string) bool { return item == input.AutoCategories }), true
	}
	categorical, err := s.matched(r, items, categoricalPlace)
	if err != nil {
		return err
	}
	needed := auto || spec.IgnoreText || spec.Categories
	looks, err := db.lookAtText(ctx, r, func(c *Column) bool { return needed && left[c] == "" && !categorical[c] })
	if err != nil {
		return err
	}
	s.looked = looks != nil
	var bad []*Column
	for i := range r.Columns {
		c := &r.Columns[i]
		l := looks[c]
		switch {
		case left[c] != "":
			s.excluded = append(s.excluded, input.Excluded{Name: c.Name, Why: left[c]})
		case categorical[c], l != nil && auto && l.auto(), l != nil && spec.Categories && !auto && !spec.IgnoreText && textual(c.Type):
			if !s.addCategory(*c, spec.NullLevel) {
				return notCategorical(*c, categoricalPlace)
			}
			if !categorical[c] && l.meant() {
				s.warnings = append(s.warnings, fmt.Sprintf("the values of %s are categories, though most are numbers: %v", c.Name, l))
			}
		case l != nil && spec.IgnoreText && !l.meant():
			s.excluded = append(s.excluded, input.Excluded{Name: c.Name, Why: framework.Setting("ignore_text")})
		case !s.add(*c):
			bad = append(bad, c)
		}
	}
	if len(bad) > 0 {
		return db.notNumeric(ctx, r, bad, auto)
	}
	if len(s.sources) == 0 {
		return framework.Faultf(framework.Data, "no-features", "%s has no numeric column left to cluster by", r.Label).
			WithHint("%s and %s choose them; sqlcluster check shows what is used", framework.Setting("features"), framework.Setting("exclude"))
	}
	return nil
}

// leave returns why columns are not features; that of a feature is "".
func (s *selection) leave(r *Relation, spec input.Spec) (map[*Column]string, error) {
	wanted, err := s.matched(r, spec.Features, framework.Setting("features"))
	if err != nil {
		return nil, err
	}
	dropped, err := s.matched(r, spec.Exclude, framework.Setting("exclude"))
	if err != nil {
		return nil, err
	}
	left := map[*Column]string{}
	for i := range r.Columns {
		c := &r.Columns[i]
		switch {
		case c == s.key:
			left[c] = "row key"
		case c == s.weight:
			left[c] = "row weight"
		case dropped[c]:
			left[c] = framework.Setting("exclude")
		case len(spec.Features) > 0 && !wanted[c]:
			left[c] = "not in " + framework.Setting("features")
		}
		if left[c] == "" {
			continue
		}
		if err := checkNamed(c, spec, left[c]); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// lookAtText looks at those columns of text that are asked about.
func (db *DB) lookAtText(ctx context.Context, r *Relation, asked func(*Column) bool) (map[*Column]*look, error) {
	var texts []*Column
	for i := range r.Columns {
		c := &r.Columns[i]
		if class, _ := classify(c.Type); class == text && asked(c) {
			texts = append(texts, c)
		}
	}
	if texts == nil {
		return nil, nil
	}
	looks, err := db.look(ctx, r, texts)
	return looks, ReadFault(err, r, 0)
}
