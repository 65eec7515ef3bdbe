// Package pattern compiles regular expressions when they are first used. A command
// uses few of all that are linked into it, and those of letters in any script take
// a third of a millisecond each.
package pattern

import (
	"regexp"
	"sync"
)

// New returns the expression, which several goroutines may ask for. It panics where
// the expression is not valid.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
