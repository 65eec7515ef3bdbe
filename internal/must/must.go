// Package must ends a test: at an error that it is not about, at a difference, or
// where an error is another one than expected.
package must

import (
	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
)

// T is the part of testing.T, testing.B and rapid.T that is used.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Get takes what a call returns, and then the test, which ends if the call failed:
//
//	recipe := must.Get(matrix.Learn(builder, names, scaling))(t)
func Get[V any](v V, err error) func(T) V {
	return func(t T) V {
		t.Helper()
		Do(t, err)
		return v
	}
}

// Do ends the test if err is not nil.
func Do(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Equal ends the test if cmp.Diff finds a difference.
func Equal(t T, want, got any, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Fatal(diff)
	}
}

// Fault ends the test unless err is a Fault with this code, which it returns.
func Fault(t T, err error, code string) *framework.Fault {
	t.Helper()
	f := framework.AsFault(err)
	if f == nil || f.Code != code {
		t.Fatal("got ", err, ", want ", code)
	}
	return f
}

// Fail ends the test unless err has this text.
func Fail(t T, err error, text string) {
	t.Helper()
	if err == nil || err.Error() != text {
		t.Fatal("got ", err, "\nwant ", text)
	}
}
