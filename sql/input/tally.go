package input

import (
	"fmt"
	"strings"
)

// ShownLimit is how many names or rows a message lists.
const ShownLimit = 10

// A Tally counts problems of one kind and keeps the first of them.
type Tally struct {
	Count int
	first []string
}

// Add counts a problem; describe is called only for those that are kept.
func (t *Tally) Add(describe func() string) {
	t.Count++
	if len(t.first) < ShownLimit {
		t.first = append(t.first, describe())
	}
}

// Details returns the first problems, and a line that counts the others.
func (t *Tally) Details() []string {
	if more := t.Count - len(t.first); more > 0 {
		return append(t.first[:len(t.first):len(t.first)], fmt.Sprintf("and %d more", more))
	}
	return t.first
}

// Plural returns "1 row" or "3 rows".
func Plural(n int, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "s"):
		return fmt.Sprintf("%d %ses", n, one)
	default:
		return fmt.Sprintf("%d %ss", n, one)
	}
}
