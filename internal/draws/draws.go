// Package draws decides which cases the tests of properties draw: the same ones each
// time, so that the tests of a commit pass or fail for everybody. Other cases are
// drawn with -rapid.seed=0, or with RAPID_SEED in the environment; more of them with
// -rapid.checks.
//
// Each package whose tests draw imports it, for its effect if for nothing else.
package draws

import (
	"flag"
	"os"

	_ "pgregory.net/rapid" // which has the flags
)

func init() {
	if os.Getenv("RAPID_SEED") != "" {
		return
	}
	if err := flag.Set("rapid.seed", "20260101"); err != nil {
		panic(err) // rapid has no such flag any more
	}
}
