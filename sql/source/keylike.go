package source

import (
	"slices"

	"github.com/sqlcluster/sqlcluster/internal/pattern"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/source/internal/keylike"
)

var integerType = pattern.New(`^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|BIGNUM|DECIMAL\(\d+,0\))$`)

// keyLike returns the features that look like keys. It is called before rows are
// put into the order of their keys. Columns that were asked for by name are
// what somebody wants.
func (in *reader) keyLike(wanted []string) []input.KeyLike {
	var found []input.KeyLike
	place := 0
	for _, s := range in.selection.sources {
		l := place
		place += s.width
		if s.array || slices.ContainsFunc(wanted, func(item string) bool { return named(item, &s.Column) }) {
			continue
		}
		like, unique := false, false
		if s.category {
			like, unique = in.manyLevels(l), true
		} else if sound := keylike.SoundOf(s.Name); sound > keylike.Other || integerType().MatchString(s.Type) {
			column := keylike.Numbers{Values: in.builder.Cells().Data, First: l, Step: len(in.features)}
			like, unique = column.Like(sound)
		}
		if like {
			found = append(found, input.KeyLike{Name: s.Name, Unique: unique && in.missing[l] == 0, Named: keylike.SoundOf(s.Name) == keylike.Key})
		}
	}
	return found
}

// manyLevels reports whether each row has a category of its own.
func (in *reader) manyLevels(l int) bool {
	rows, of := in.builder.Rows(), in.levels[l]
	least := keylike.FewRows
	if of != nil && keylike.SoundOf(of.Name) == keylike.Key {
		least = 3
	}
	return of != nil && rows >= least && len(of.names) == rows
}
