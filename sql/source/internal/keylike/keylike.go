// Package keylike tells row keys from numbers that measure something, by the name of a
// column and by its values.
package keylike

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// FewRows is the number of rows below which different values mean nothing: only
// its name then tells that a column is a key.
const FewRows = 20

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

// A Sound is how much the name of a column sounds like that of a key.
type Sound int

// The sounds.
const (
	Other Sound = iota
	Weak
	Key
)

// SoundOf looks at the last word of a name: that of customer_id, customerId,
// CUSTOMER_ID and, as DuckDB calls a second column id of a join, of id_1 is id.
func SoundOf(name string) Sound {
	before, letters := lastWord([]rune(name))
	from := len(letters)
	for from > 0 && (from == len(letters) || !unicode.IsLower(letters[from-1]) || !unicode.IsUpper(letters[from])) {
		from--
	}
	word := strings.ToLower(string(letters[from:]))
	switch {
	case slices.Contains(keyWords, word), word == "key" && (before > 0 || from > 0):
		return Key
	case slices.Contains(weakKeyWords, word):
		return Weak
	}
	return Other
}

// lastWord returns the last letters of a name that nothing but letters is between, and how
// many characters there are before them.
func lastWord(name []rune) (before int, letters []rune) {
	end := len(name)
	for end > 0 && !unicode.IsLetter(name[end-1]) {
		end--
	}
	for before = end; before > 0 && unicode.IsLetter(name[before-1]); {
		before--
	}
	return before, name[before:end]
}

// Numbers are those of a column of a matrix; NaN stands for NULL.
type Numbers struct {
	Values      []float64 // of all columns
	First, Step int       // where the first of the column is, and how far each is from the next
}

// Like judges the numbers with a name of that sound: whether they look like row keys, and
// whether no two are equal.
func (c Numbers) Like(heard Sound) (like, unique bool) {
	if heard != Key && !distinct(c.some(glance)) {
		return false, false
	}
	low, high, n, ascending := c.look()
	if n == 0 || low == high {
		return false, false // no whole numbers, or without influence
	}
	if heard == Other && n < FewRows {
		return false, false
	}
	span := (high - low + 1) / float64(n)
	switch {
	case ascending:
		unique = true
		like = span <= ascendingStep
	case heard == Other && span > denseStep:
		return false, false
	default:
		unique = c.differ(low, high, n)
		like = unique && span <= denseStep
	}
	return like && n >= FewRows || unique && heard == Weak || heard == Key, unique
}

// look returns the bounds and the number of the values, 0 if one is no whole
// number, and whether each is above the one before.
func (c Numbers) look() (low, high float64, n int, ascending bool) {
	low, high, ascending = math.Inf(1), math.Inf(-1), true
	before := math.Inf(-1)
	for i := c.First; i < len(c.Values); i += c.Step {
		x := c.Values[i]
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
func (c Numbers) differ(low, high float64, n int) bool {
	if span := high - low + 1; span <= 64*float64(n) {
		if span < float64(n) {
			return false
		}
		seen := make([]uint64, int(span)/64+1)
		for i := c.First; i < len(c.Values); i += c.Step {
			if x := c.Values[i]; x == x {
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
func (c Numbers) some(most int) []float64 {
	var all []float64
	for i := c.First; i < len(c.Values) && len(all) < most; i += c.Step {
		if x := c.Values[i]; x == x {
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
