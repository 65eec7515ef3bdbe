// Package must ends a test at an error that the test is not about.
package must

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
