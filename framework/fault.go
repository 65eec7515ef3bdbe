package framework

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
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
//
// The user may be at a command line, in SQL or writing Go, and each of these has
// its own way to give a setting: --nulls drop, nulls := 'drop', Nulls: "drop".
// So the texts of a Fault name settings with Setting and SettingTo, and whoever
// shows the Fault says how they are given: see Render. They name no commands.
type Fault struct {
	Class   Class
	Code    string   // kebab-case, stable: "column-not-found"
	Summary string   // one sentence, no full stop
	Details []string // further lines, such as the offending rows
	Similar string   // "did you mean"
	Where   string   // the setting, column or row
	Hint    string   // what to try next
	Err     error    // cause, if any
}

// Error returns the code and the sentence on one line, with settings in plain
// words: missing, or missing = kpod.
func (f *Fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", f.Code, Say(f.Summary, nil))
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

// WithCause returns f with the error that caused it.
func (f *Fault) WithCause(err error) *Fault {
	f.Err = err
	return f
}

// WithSimilar returns f with what may have been meant; "" is nothing.
func (f *Fault) WithSimilar(meant string) *Fault {
	f.Similar = meant
	return f
}

// WithDetails returns f with further lines.
func (f *Fault) WithDetails(lines []string) *Fault {
	f.Details = lines
	return f
}

// At returns f with a setting as its place.
func (f *Fault) At(setting string) *Fault {
	f.Where = Setting(setting)
	return f
}

// Render returns a copy of f with say(setting, value) for each setting that its
// texts name, as Say has them.
func (f *Fault) Render(say func(setting, value string) string) *Fault {
	g := *f
	g.Summary, g.Where, g.Hint, g.Details = Say(f.Summary, say), Say(f.Where, say), Say(f.Hint, say), slices.Clone(f.Details)
	for i, d := range g.Details {
		g.Details[i] = Say(d, say)
	}
	return &g
}

// A setting stands between two characters that Unicode keeps for the use of
// programs, so that text has none of them. Data that do can name a setting where
// none is meant, which looks odd and does nothing else.
var settingMark = regexp.MustCompile("\uFDD0([^=\uFDD0\uFDD1]*)=?([^\uFDD0\uFDD1]*)\uFDD1")

// Setting names a setting, such as a parameter of an algorithm, in a text of a
// Fault. The name is that of Param: max_iter.
func Setting(name string) string { return "\uFDD0" + name + "\uFDD1" }

// SettingTo names a setting with a value, or with a word in capitals for one.
func SettingTo(name string, value any) string { return fmt.Sprintf("\uFDD0%s=%v\uFDD1", name, value) }

// Say returns text with say(setting, value) for each setting that it names; the
// value is empty where it has none. If say is nil, they are in plain words.
func Say(text string, say func(setting, value string) string) string {
	if say == nil {
		say = func(setting, value string) string { return strings.TrimSuffix(setting+" = "+value, " = ") }
	}
	return settingMark.ReplaceAllStringFunc(text, func(mark string) string {
		m := settingMark.FindStringSubmatch(mark)
		return say(m[1], m[2])
	})
}

// AsFault returns the Fault in err's chain, or nil.
func AsFault(err error) *Fault {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f
	}
	return nil
}
