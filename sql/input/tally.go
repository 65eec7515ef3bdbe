package input

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/words"
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

// Agreed is words.Agreed.
func Agreed(n int, one, several string) string { return words.Agreed(n, one, several) }

// Plural is words.Plural.
func Plural(n int, one string) string { return words.Plural(n, one) }

// Counted is words.Counted.
func Counted(n int, one, several string) string { return words.Counted(n, one, several) }

// FirstOf returns the first n entries of a list, and dots if there are more.
func FirstOf(all []string, n int) []string {
	if len(all) > n {
		return append(slices.Clone(all[:n]), "...")
	}
	return all
}

// OneOf refuses a value of a setting that is not one of its choices.
func OneOf(setting, value string, of []string) error {
	if value == "" || slices.Contains(of, value) {
		return nil
	}
	f := framework.Faultf(framework.Usage, "bad-flag", "%s is %q; it must be %s", framework.Setting(setting), value, strings.Join(of, ", ")).
		At(setting)
	f.Similar = framework.Closest(value, of)
	return f
}
