// Package words writes numbers with what they count, for messages.
package words

import (
	"fmt"
	"strings"
)

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
	return Counted(n, one, several)
}

// Joined returns "a", "a and b", or "a, b and c".
func Joined(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " and " + all[last]
}

// Counted writes a number with what it counts.
func Counted(n int, one, several string) string {
	return fmt.Sprintf("%d %s", n, Agreed(n, one, several))
}
