// Package summary writes what commands have found out: tables for programs and for
// people, and notes for people.
package summary

import (
	"fmt"
	"io"
	"math"
	"strings"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// A Writer writes results to Out, in the format that the flags ask for, and notes
// and progress to Err.
type Writer struct {
	Out, Err io.Writer
	Flags    *flags.Values

	stage atomic.Pointer[render.Progress] // the one that is under way
}

// Write writes tables.
func (w *Writer) Write(tables ...render.Table) error {
	return render.Write(w.Out, w.Flags.Output, tables...)
}

// Tabular reports whether people read the result in a terminal, and not a program.
func (w *Writer) Tabular() bool { return w.Flags.Output == "table" }

// People reports whether people read the result somewhere.
func (w *Writer) People() bool { return w.Tabular() || w.Flags.Output == "markdown" }

// Note writes a line for people, unless --quiet.
func (w *Writer) Note(format string, args ...any) {
	if !w.Flags.Quiet {
		fmt.Fprintln(w.Err, render.Safe(framework.Say(fmt.Sprintf(format, args...), flags.Text)))
	}
}

// Notes writes what a user should know, unless --quiet.
func (w *Writer) Notes(all []string) {
	for _, n := range all {
		w.Note("note: %s", n)
	}
}

// Stage does a part of the work, and says how far it is unless --quiet.
func (w *Writer) Stage(name string, work func(say func(format string, args ...any)) error) error {
	line := w.Progress(name)
	outer := w.stage.Swap(line)
	defer func() {
		w.stage.Store(outer)
		line.End()
	}()
	return work(line.Say)
}

// Waiting says what the stage that is under way waits for.
func (w *Writer) Waiting(why string) {
	if line := w.stage.Load(); line != nil {
		line.Halt(why)
	}
}

// Progress returns a line that says how far something is, until it is ended.
func (w *Writer) Progress(name string) *render.Progress {
	to := w.Err
	if w.Flags.Quiet {
		to = io.Discard
	}
	return render.NewProgress(to, name)
}

// written says which tables of a run were written, and how to see one of them.
func (w *Writer) written(shown string, tables ...string) {
	into, db := w.Flags.Into, w.Flags.DB
	w.Note("written to %s: %s_%s", db, into, strings.Join(tables, ", _"))
	w.Note("next: sqlcluster show %s %s --db %s", framework.ShellWord(into), shown, framework.ShellWord(db))
}

// WrittenTo says in which table what was found is.
func (w *Writer) WrittenTo(what, table string) {
	w.Note("%s; written to the table %s of %s", what, table, w.Flags.DB)
}

// WriteFirst writes a table of which people see at most limit rows, 0 for all, and says
// how to see the others.
func (w *Writer) WriteFirst(t render.Table, rows, limit int, remedy string) error {
	if err := w.Write(t); err != nil {
		return err
	}
	if limit > 0 && w.Tabular() {
		w.more(rows-limit, "row", "; "+remedy)
	}
	return nil
}

// more says that there are n more of something, if there are.
func (w *Writer) more(n int, what, remedy string) {
	if n > 0 {
		fmt.Fprintf(w.Out, "… and %s%s\n", input.Counted(n, "more "+what, "more "+what+"s"), remedy)
	}
}

// Most returns the number of rows that are shown; a limit of 0 is none.
func Most(rows, limit int) int {
	if limit == 0 {
		return rows
	}
	return min(rows, limit)
}

// number is a cell that has no value if it is NaN.
func number(v float64) any {
	if math.IsNaN(v) {
		return nil
	}
	return v
}

// text is a cell that has no value if it is empty.
func text(v string) any {
	if v == "" {
		return nil
	}
	return v
}

// index is a cell that has no value if it is negative.
func index(i int) any {
	if i < 0 {
		return nil
	}
	return i
}

// value is a cell that has no value if there is nothing to point to.
func value[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}
