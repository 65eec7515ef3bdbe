package framework

import (
	"errors"
	"fmt"
	"strings"
)

// A Class says whose turn it is to act on a Fault, and so the exit code of the
// command.
type Class int

// The classes.
const (
	Internal Class = iota // I/O, or a bug
	Usage                 // the command line or the configuration is wrong, whatever the data are
	Data                  // the data are wrong, or do not have what is asked of them
	Plugin                // a plugin process
)

// A Fault is an error for a user: what is wrong, where, and what to do next.
type Fault struct {
	Class   Class
	Code    string   // kebab-case, stable: "column-not-found"
	Summary string   // one sentence, no full stop
	Details []string // further lines, such as the offending rows
	Similar string   // "did you mean"
	Where   string   // the flag, column or row
	Hint    string   // the next command or flag to try
	Err     error    // cause, if any
}

// Error returns the code and the sentence on one line.
func (f *Fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", f.Code, f.Summary)
	if f.Err != nil {
		fmt.Fprintf(&b, ": %v", f.Err)
	}
	return b.String()
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Faultf returns a Fault with a formatted summary.
func Faultf(class Class, code, format string, args ...any) *Fault {
	return &Fault{Class: class, Code: code, Summary: fmt.Sprintf(format, args...)}
}

// WithWhere returns f with its place set.
func (f *Fault) WithWhere(format string, args ...any) *Fault {
	f.Where = fmt.Sprintf(format, args...)
	return f
}

// WithHint returns f with its hint set.
func (f *Fault) WithHint(format string, args ...any) *Fault {
	f.Hint = fmt.Sprintf(format, args...)
	return f
}

// AsFault returns the Fault in err's chain, or nil.
func AsFault(err error) *Fault {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f
	}
	return nil
}
