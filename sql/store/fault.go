package store

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

// shownLimit is how many names or rows a message lists.
const shownLimit = 10

// A tally counts problems of one kind and keeps the first of them.
type tally struct {
	count int
	first []string
}

// add counts a problem; describe is called only for those that are kept.
func (t *tally) add(describe func() string) {
	t.count++
	if len(t.first) < shownLimit {
		t.first = append(t.first, describe())
	}
}

// details returns the first problems, and a line that counts the others.
func (t *tally) details() []string {
	if more := t.count - len(t.first); more > 0 {
		return append(t.first[:len(t.first):len(t.first)], fmt.Sprintf("and %d more", more))
	}
	return t.first
}

// plural returns "1 row" or "3 rows".
func plural(n int, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "s"):
		return fmt.Sprintf("%d %ses", n, one)
	default:
		return fmt.Sprintf("%d %ss", n, one)
	}
}

// internalFault wraps an error of DuckDB that is nobody's fault. Faults and
// the end of a context are returned as they are.
func internalFault(code, summary string, err error) error {
	if _, ok := errors.AsType[*duckError](err); !ok {
		return err
	}
	f := framework.Faultf(framework.Internal, code, "%s", summary)
	f.Err = err
	blame(f)
	return f
}
