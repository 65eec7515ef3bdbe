package settings

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// long says how a long relation is read; nil: the relation is none, or its columns are
// not named as they must be, which CheckReading says.
func (s *Settings) long() *input.Long {
	l, err := input.LongOf(s.Long)
	if l == nil || err != nil {
		return nil
	}
	l.Repeated, l.MinRows, l.MaxShare = s.Repeated, s.MinRows, s.MaxShare
	return l
}

// checkLong refuses what does not go with a long relation.
func (s *Settings) checkLong() error {
	if len(s.Long) == 0 {
		return nil
	}
	if _, err := input.LongOf(s.Long); err != nil {
		return err
	}
	switch {
	case s.ID != "":
		return Wrong("id", "%s names the key already", framework.Setting("long")).WithHint("leave out %s", framework.Setting("id"))
	case len(s.Categorical) > 0:
		return Wrong("categorical", "the features of a relation of triples are numbers").
			WithHint("a triple (key, 'column=category', 1) is a category; leave out %s", framework.Setting("categorical"))
	case s.MinRows < 0:
		return Wrong("min_rows", "min_rows is %d; it must be a number of rows", s.MinRows)
	case !(s.MaxShare >= 0 && s.MaxShare <= 1), s.MaxShare == 0 && s.Origin("max_share") != ByDefault: // also NaN
		return Wrong("max_share", "max_share is %v; it must be a share of the rows, above 0 and up to 1", s.MaxShare)
	}
	return nil
}

// recordLong adds the settings of a long relation to those that are recorded.
func (s *Settings) recordLong(values map[string]any) {
	if len(s.Long) > 0 {
		values["long"], values["repeated"], values["min-rows"], values["max-share"] = s.Long, s.Repeated, s.MinRows, s.MaxShare
	}
}
