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

// Add counts a problem; only those that are kept are put into words.
func (t *Tally) Add(format string, args ...any) {
	t.Count++
	if len(t.first) < ShownLimit {
		t.first = append(t.first, fmt.Sprintf(format, args...))
	}
}

// Details returns the first problems, and a line that counts the others.
func (t *Tally) Details() []string {
	if more := t.Count - len(t.first); more > 0 {
		return append(t.first[:len(t.first):len(t.first)], fmt.Sprintf("and %d more", more))
	}
	return t.first
}

// Agreed returns the form of a word that goes with a number: one for 1.
func Agreed(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// Plural returns "1 row" or "3 rows".
func Plural(n int, one string) string {
	several := one + "s"
	if strings.HasSuffix(one, "s") {
		several = one + "es"
	}
	return fmt.Sprintf("%d %s", n, Agreed(n, one, several))
}
