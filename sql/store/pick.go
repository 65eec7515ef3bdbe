package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/sqlcluster/sqlcluster/sql/input"

	"github.com/sqlcluster/sqlcluster/framework"
)

// MaxAuto is how many different values a column of text has at most that
// --categorical auto makes categories of.
const MaxAuto = 20

// pick selects the features by --features and --exclude, and says what becomes of
// columns of text.
func (db *DB) pick(ctx context.Context, s *selection, r *relation, spec input.Spec) error {
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
	looks, err := db.lookAtText(ctx, r, needed, func(c *column) bool { return left[c] == "" && !categorical[c] })
	if err != nil {
		return err
	}
	var bad []*column
	for i := range r.columns {
		c := &r.columns[i]
		l := looks[c]
		switch {
		case left[c] != "":
			s.excluded = append(s.excluded, input.Excluded{Name: c.name, Why: left[c]})
		case categorical[c], l != nil && auto && l.auto(), l != nil && spec.Categories && !auto && !spec.IgnoreText && textual(c.typ):
			if !s.addCategory(*c, spec.NullLevel) {
				return notCategorical(*c, categoricalPlace)
			}
			if !categorical[c] && l.meant() {
				s.warnings = append(s.warnings, fmt.Sprintf("the values of %s are categories, though most are numbers: %v", c.name, l))
			}
		case l != nil && spec.IgnoreText && !l.meant():
			s.excluded = append(s.excluded, input.Excluded{Name: c.name, Why: framework.Setting("ignore_text")})
		case !s.add(*c):
			bad = append(bad, c)
		}
	}
	if len(bad) > 0 {
		return db.notNumeric(ctx, r, bad, auto)
	}
	if len(s.sources) == 0 {
		return framework.Faultf(framework.Data, "no-features", "%s has no numeric column left to cluster by", r.label).
			WithHint("%s and %s choose them; sqlcluster check shows what is used", framework.Setting("features"), framework.Setting("exclude"))
	}
	return nil
}

// leave returns why columns are not features; that of a feature is "".
func (s *selection) leave(r *relation, spec input.Spec) (map[*column]string, error) {
	wanted, err := s.matched(r, spec.Features, framework.Setting("features"))
	if err != nil {
		return nil, err
	}
	dropped, err := s.matched(r, spec.Exclude, framework.Setting("exclude"))
	if err != nil {
		return nil, err
	}
	left := map[*column]string{}
	for i := range r.columns {
		c := &r.columns[i]
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
func (db *DB) lookAtText(ctx context.Context, r *relation, needed bool, asked func(*column) bool) (map[*column]*look, error) {
	if !needed {
		return nil, nil
	}
	var texts []*column
	for i := range r.columns {
		c := &r.columns[i]
		if class, _ := classify(c.typ); class == text && asked(c) {
			texts = append(texts, c)
		}
	}
	if texts == nil {
		return nil, nil
	}
	looks, err := db.look(ctx, r, texts)
	if err != nil {
		return nil, readFault(err, r, 0)
	}
	return looks, nil
}
