package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/sqlcluster/sqlcluster/framework"
)

// An output is where results go. It keeps the first error, so that no result is
// lost in silence.
type output struct {
	w      io.Writer
	failed error
}

func (o *output) Write(text []byte) (int, error) {
	if o.failed != nil {
		return 0, o.failed
	}
	n, err := o.w.Write(text)
	o.failed = err
	return n, err
}

// Width is that of the terminal that results go to; what is not a terminal has lines
// of any length. COLUMNS says how wide a terminal is to be taken for.
func (o *output) Width() int {
	const narrowest = 20
	f, ok := o.w.(*os.File)
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

// fault says that results could not be written.
func (o *output) fault(stored string) error {
	f := framework.Faultf(framework.Internal, "output-unwritable", "the results cannot be written to standard output").WithWhere("standard output")
	f.Err = o.failed
	if at, ok := errors.AsType[*fs.PathError](o.failed); ok {
		f.Err = at.Err // the place has been said
	}
	if stored != "" {
		f.Details = []string{"they are in the tables of " + stored}
	}
	return f
}
