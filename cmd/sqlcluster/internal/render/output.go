package render

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/sqlcluster/sqlcluster/framework"
)

// An Output is where results go. It keeps the first error, so that no result is
// lost in silence.
type Output struct {
	To     io.Writer
	Failed error
}

func (o *Output) Write(text []byte) (int, error) {
	if o.Failed != nil {
		return 0, o.Failed
	}
	n, err := o.To.Write(text)
	o.Failed = err
	return n, err
}

// Width is the width of the terminal that results go to, or of COLUMNS. It is 0, for
// no limit, if they do not go to a terminal.
func (o *Output) Width() int {
	const narrowest = 20
	f, ok := o.To.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return max(n, narrowest)
	}
	n, _, err := term.GetSize(int(f.Fd()))
	if err != nil || n <= 0 {
		return 0
	}
	return max(n, narrowest)
}

// Fault says that results could not be written. If they were stored in a database,
// it says which.
func (o *Output) Fault(stored string) error {
	f := framework.Faultf(framework.Internal, "output-unwritable", "the results cannot be written to standard output").
		WithWhere("standard output")
	f.Err = o.Failed
	if at, ok := errors.AsType[*fs.PathError](o.Failed); ok {
		f.Err = at.Err // the place has been said
	}
	if stored != "" {
		f.Details = []string{"they are in the tables of " + stored}
	}
	return f
}

// Colored reports whether errors are written in color: auto means on a terminal
// that is not dumb, unless NO_COLOR (https://no-color.org) is set.
func Colored(w io.Writer, when string) bool {
	return when == "always" || when != "never" && os.Getenv("NO_COLOR") == "" && isTerminal(w)
}

// isTerminal reports whether w is a terminal that can move its cursor.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}
