// Package functions adds the functions of clustering to SQL: cluster_fit,
// cluster_predict and those that look into what they return.
//
// # How
//
// A fit is an aggregate function, so that it sees what the statement sees: its common
// table expressions, temporary tables and rows that are not committed. DuckDB hands
// over the rows, which are gathered in a private database (gather.go); then a job of
// package job reads, fits and describes them as it does for the command, so that the
// bits and the errors are the same (fit.go), and its tables become one value: a struct
// with lists (value.go). What users call are macros over these functions, in
// surface.sql: they give arguments names and defaults.
//
// Aggregates belong to the database as long as it is open, macros to one connection.
// Neither leaves a trace in the file.
package functions

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/pattern"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// Functions are those of one session. Statements run one at a time.
type Functions struct {
	library library.Library
	kept    *library.Kept
	models  models
	prefix  string // of the names of aggregates: two sessions may share a database
	form    form
	calls   *calls // of an extension, whom nobody tells which statement runs; nil: of a session

	reading *store.DB  // private; what was gathered is read in it
	scoring sync.Mutex // held while a fit is a run there

	mu  sync.Mutex
	now *statement
}

// A statement is what the functions know of the one that runs.
type statement struct {
	ctx      context.Context
	text     string
	progress Progress
	threads  int // that fits of several groups are divided among
	gatherer *gatherer
	call     *call // that it is, in an extension

	mu    sync.Mutex
	fault *framework.Fault // the first
}

// Progress is told how far a statement is; each may be nil.
type Progress struct {
	Reading func(rows int)
	Fitting func(it fit.Iteration, restarts int)
	Trying  func(ended, of int) // fits of a path or a tuning
}

func (p Progress) tried(ended, of int) {
	if p.Trying != nil {
		p.Trying(ended, of)
	}
}

// sessions counts what has been added to databases of this process.
var sessions atomic.Int64

// Add adds the functions to a database, for the connection of db.
func Add(ctx context.Context, db *duck.DB, l library.Library) (*Functions, error) {
	f := &Functions{kept: &library.Kept{}, prefix: fmt.Sprintf("__sqlcluster_%d_", sessions.Add(1)), form: direct{}}
	f.library = f.kept.Library(l)
	f.now = f.statement(context.Background(), "", Progress{})
	var err error
	if f.reading, err = store.Open(ctx, "", store.ReadWrite); err != nil {
		return nil, err
	}
	aggregates := []duck.Aggregate{f.aggregate("rows", always(rowsType), eachAlone(gathered))}
	for _, w := range f.works() {
		aggregates = append(aggregates, f.aggregate(w.name, w.overloads, w.finish))
	}
	if err := f.register(ctx, db, aggregates, append(f.scalars(), f.scoreScalar(), f.enforceScalar())); err != nil {
		return nil, errors.Join(err, f.reading.Close())
	}
	return f, nil
}

// A work is what an aggregate of ours does with its groups.
type work struct {
	name      string
	overloads []duck.Overload
	finish    func(st *statement, groups []int64) ([][]duck.Field, error)
}

func (f *Functions) works() []work {
	return []work{
		{"fit", overloads(fitType), f.fit},
		{"path", always(pathType()), eachAlone(f.path)},
		{"tune", always(tuneType()), eachAlone(f.tune)},
		{"check", always(checkType), eachAlone(f.check)},
	}
}

// register adds functions to a database, and the macros that call them.
func (f *Functions) register(ctx context.Context, db *duck.DB, aggregates []duck.Aggregate, scalars []duck.Scalar) error {
	f.models.library = f.library
	if err := f.reading.ReadHeaps(); err != nil {
		return err
	}
	for _, a := range aggregates {
		if err := db.Register(a); err != nil {
			return err
		}
	}
	for _, s := range scalars {
		if err := db.RegisterScalar(s); err != nil {
			return err
		}
	}
	for _, l := range f.listed() {
		if err := db.RegisterListed(l); err != nil {
			return err
		}
	}
	for _, macro := range f.macros() {
		if err := db.Exec(ctx, macro); err != nil {
			return err
		}
	}
	return nil
}

// aggregate is one of ours: finish makes a value of each group.
func (f *Functions) aggregate(
	name string, o []duck.Overload, finish func(st *statement, groups []int64) ([][]duck.Field, error),
) duck.Aggregate {
	return duck.Aggregate{
		Name: f.prefix + name, Overloads: o,
		Update: func(args duck.Chunk, groups []*int64) error {
			st := f.running()
			return st.say(st.gatherer.update(name, args, groups))
		},
		Combine: func(from, into []*int64) { f.running().gatherer.combine(from, into) },
		Finish: func(groups []int64, out duck.Returned) error {
			st := f.running()
			if slices.Contains(groups, 0) {
				return st.say(framework.Faultf(framework.Data, "empty-relation", "the relation has no rows").At("relation"))
			}
			if err := st.gatherer.mixed(); err != nil {
				return st.say(err)
			}
			values, err := finish(st, groups)
			if err != nil {
				return st.say(err)
			}
			for i, v := range values {
				out.Set(i, v)
			}
			return nil
		},
	}
}

func (f *Functions) statement(ctx context.Context, text string, p Progress) *statement {
	return &statement{ctx: ctx, text: text, progress: p, threads: runtime.GOMAXPROCS(0), gatherer: &gatherer{f: f,
		gatherings: map[string]*gathering{}, options: map[string]*options{}, groups: make([]group, 1)}}
}

// within returns the same statement with a context of its own.
func (st *statement) within(ctx context.Context) *statement {
	return &statement{ctx: ctx, text: st.text, progress: st.progress, threads: st.threads, gatherer: st.gatherer, call: st.call}
}

func (f *Functions) running() *statement {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// Begin says that a statement is about to run. A context that is done ends its fits.
func (f *Functions) Begin(ctx context.Context, text string, p Progress) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.statement(ctx, text, p)
}

// End says that the statement has ended with an error, or nil. It returns the fault
// of ours that DuckDB tells of, or else that error.
func (f *Functions) End(err error) error {
	f.mu.Lock()
	st := f.now
	f.now = f.statement(context.Background(), "", Progress{})
	f.mu.Unlock()
	st.gatherer.drop()
	if said, ok := errors.AsType[duck.Error](err); ok && st.fault != nil && strings.Contains(string(said), Text(st.fault)) {
		return st.fault.Render(Setting)
	}
	return err
}

// Close ends the processes that are kept.
func (f *Functions) Close() error {
	err := f.kept.Close()
	return errors.Join(err, f.reading.Close())
}

// say makes DuckDB's error of an error.
func (st *statement) say(err error) error {
	if err == nil {
		return nil
	}
	f := framework.AsFault(err)
	if f == nil {
		return err
	}
	if f.Code == "unknown-algorithm" && f.Hint == "" {
		g := *f
		f = g.WithHint("FROM cluster_algorithms() lists them")
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.fault == nil {
		st.fault = f
	}
	return errors.New(Text(f))
}

// Text is a fault as an error of SQL says it.
func Text(f *framework.Fault) string {
	g := f.Render(Setting)
	lines := []string{g.Summary}
	if g.Where != "" {
		lines[0] += " (" + g.Where + ")"
	}
	if g.Err != nil {
		lines = append(lines, g.Err.Error())
	}
	lines = append(lines, g.Details...)
	if g.Similar != "" {
		lines = append(lines, "did you mean "+g.Similar+"?")
	}
	if g.Hint != "" {
		lines = append(lines, "hint: "+g.Hint)
	}
	return strings.Join(lines, "\n")
}

// Setting is a setting as SQL has it: nulls := 'drop'.
func Setting(setting, value string) string {
	if setting == "id" {
		setting = "key"
	}
	if value == "" {
		return setting
	}
	if !verbatim().MatchString(value) || takesColumns[setting] {
		value = schema.Text(value)
	}
	return quotedWord(setting) + " := " + value
}

// verbatim matches what is no text of SQL: a number, a truth value, a list, and a word that
// stands for what the user knows.
var verbatim = pattern.New(`^([-+]?[0-9.]+([eE][-+]?[0-9]+)?|true|false|\[.*\]|COLUMN|NAME|NUMBER|SHARE|VALUE)$`)

// takesColumns are the settings whose values are names of columns, which may be any of that.
var takesColumns = map[string]bool{"features": true, "exclude": true, "categorical": true}
