package source

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/sqlcluster/sqlcluster/sql/input"
)

// fewRows is the number of rows below which different values mean nothing: only
// its name then tells that a column is a key.
const fewRows = 20

// Whole numbers without repetition count as keys where these are the steps
// between them on average: in any order, and in ascending order.
const (
	denseStep     = 2
	ascendingStep = 10
)

// These last words of a column's name are those of keys. The weak ones may also
// be of numbers that measure something, as key alone is in music.
var (
	keyWords     = []string{"id", "uuid", "guid", "pk", "fk", "rowid"}
	weakKeyWords = []string{"nr", "no", "num", "number", "index", "idx", "code", "row", "line", "key"}
)

// glance is the number of values that are looked at first. Most columns of
// numbers that repeat show it there.
const glance = 512

var (
	integerType = regexp.MustCompile(`^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|BIGNUM|DECIMAL\(\d+,0\))$`)
	lastWord    = regexp.MustCompile(`^(.*?)([\pL]+)[\pN]*(?:[^\pL\pN]+\pN*)*$`)
)

// sound is how much the name of a column sounds like that of a key.
type sound int

const (
	soundsOther sound = iota
	soundsWeak
	soundsKey
)

// soundOf looks at the last word of a name: that of customer_id, customerId,
// CUSTOMER_ID and, as DuckDB calls a second column id of a join, of id_1 is id.
func soundOf(name string) sound {
	m := lastWord.FindStringSubmatch(name)
	if m == nil {
		return soundsOther
	}
	letters := []rune(m[2])
	from := len(letters)
	for from > 0 && (from == len(letters) || !unicode.IsLower(letters[from-1]) || !unicode.IsUpper(letters[from])) {
		from--
	}
	word := strings.ToLower(string(letters[from:]))
	switch {
	case slices.Contains(keyWords, word), word == "key" && (m[1] != "" || from > 0):
		return soundsKey
	case slices.Contains(weakKeyWords, word):
		return soundsWeak
	}
	return soundsOther
}

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
		} else if sound := soundOf(s.Name); sound > soundsOther || integerType.MatchString(s.Type) {
			like, unique = in.looksLikeKey(l, sound)
		}
		if like {
			found = append(found, input.KeyLike{Name: s.Name, Unique: unique && in.missing[l] == 0, Named: soundOf(s.Name) == soundsKey})
		}
	}
	return found
}

// manyLevels reports whether each row has a category of its own.
func (in *reader) manyLevels(l int) bool {
	rows, of := in.builder.Rows(), in.levels[l]
	least := fewRows
	if of != nil && soundOf(of.Name) == soundsKey {
		least = 3
	}
	return of != nil && rows >= least && len(of.names) == rows
}

// looksLikeKey judges a column of numbers by its name and its values.
func (in *reader) looksLikeKey(l int, heard sound) (like, unique bool) {
	c := numberColumn{values: in.builder.Values().Data, first: l, step: len(in.features)}
	if heard != soundsKey && !distinct(c.some(glance)) {
		return false, false
	}
	low, high, n, ascending := c.look()
	if n == 0 || low == high {
		return false, false // no whole numbers, or without influence
	}
	if heard == soundsOther && n < fewRows {
		return false, false
	}
	span := (high - low + 1) / float64(n)
	switch {
	case ascending:
		unique = true
		like = span <= ascendingStep
	case heard == soundsOther && span > denseStep:
		return false, false
	default:
		unique = c.differ(low, high, n)
		like = unique && span <= denseStep
	}
	return like && n >= fewRows || unique && heard == soundsWeak || heard == soundsKey, unique
}

// A numberColumn is a column of a matrix; NaN stands for NULL.
type numberColumn struct {
	values      []float64
	first, step int
}

// look returns the bounds and the number of the values, 0 if one is no whole
// number, and whether each is above the one before.
func (c numberColumn) look() (low, high float64, n int, ascending bool) {
	low, high, ascending = math.Inf(1), math.Inf(-1), true
	before := math.Inf(-1)
	for i := c.first; i < len(c.values); i += c.step {
		x := c.values[i]
		if x != x {
			continue
		}
		if x != math.Trunc(x) {
			return 0, 0, 0, false
		}
		ascending = ascending && x > before
		low, high, before = math.Min(low, x), math.Max(high, x), x
		n++
	}
	return low, high, n, ascending
}

// differ reports whether no two of n whole numbers are equal.
func (c numberColumn) differ(low, high float64, n int) bool {
	if span := high - low + 1; span <= 64*float64(n) {
		if span < float64(n) {
			return false
		}
		seen := make([]uint64, int(span)/64+1)
		for i := c.first; i < len(c.values); i += c.step {
			if x := c.values[i]; x == x {
				at := int(x - low)
				if seen[at/64]>>(at%64)&1 != 0 {
					return false
				}
				seen[at/64] |= 1 << (at % 64)
			}
		}
		return true
	}
	return distinct(c.some(n))
}

// some returns the first values, at most so many.
func (c numberColumn) some(most int) []float64 {
	var all []float64
	for i := c.first; i < len(c.values) && len(all) < most; i += c.step {
		if x := c.values[i]; x == x {
			all = append(all, x)
		}
	}
	return all
}

// distinct sorts values, and reports whether no two are equal.
func distinct(values []float64) bool {
	slices.Sort(values)
	for i := 1; i < len(values); i++ {
		if values[i] == values[i-1] {
			return false
		}
	}
	return true
}
