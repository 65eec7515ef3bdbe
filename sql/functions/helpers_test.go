package functions_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/groupskm"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/plugins/skm"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/session"
)

// builtIn has all algorithms that come with sqlcluster.
var builtIn = library.Here(slices.Concat(skfr.Algorithms(), skm.Algorithms(), groupskm.Algorithms(), pcskm.Algorithms())...)

// wine is a table without its answer, in an order of its own.
const wine = "CREATE TABLE wine AS SELECT * EXCLUDE class FROM '../../examples/wine.csv' ORDER BY hash(id)"

// opened returns a session in which statements have run.
func opened(t testing.TB, path string, statements ...string) *session.Session {
	t.Helper()
	return openedWith(t, path, builtIn, statements...)
}

func openedWith(t testing.TB, path string, l library.Library, statements ...string) *session.Session {
	t.Helper()
	s := must.Get(session.Open(t.Context(), path, session.Options{Library: l}))(t)
	t.Cleanup(func() { sqltest.Close(t, s) })
	ran(t, s, statements...)
	return s
}

// ran runs statements, and returns the rows of the last, with a space between values.
func ran(t testing.TB, s *session.Session, statements ...string) []string {
	t.Helper()
	var rows []string
	for _, text := range statements {
		var err error
		if rows, err = run(t.Context(), s, text); err != nil {
			t.Fatal(text, ": ", sqltest.Explain(err))
		}
	}
	return rows
}

func run(ctx context.Context, s *session.Session, text string) (rows []string, err error) {
	_, err = s.Run(ctx, text, func(r duck.Result) error {
		return r.Each(func(row []any) error {
			rows = append(rows, strings.TrimSpace(fmt.Sprintln(row...)))
			return nil
		})
	})
	return rows, err
}

// refused returns the fault of a statement.
func refused(t testing.TB, s *session.Session, text string) *framework.Fault {
	t.Helper()
	rows, err := run(t.Context(), s, text)
	f := framework.AsFault(err)
	if f == nil {
		t.Fatal(text, ": ", rows, err)
	}
	return f
}

// same ends the test if two queries do not have the same rows.
func same(t testing.TB, s *session.Session, want, got string) {
	t.Helper()
	if a, b := ran(t, s, want), ran(t, s, got); !slices.Equal(a, b) {
		t.Fatalf("%s\n%.2000s\n\n%s\n%.2000s", want, strings.Join(a, "\n"), got, strings.Join(b, "\n"))
	}
}
