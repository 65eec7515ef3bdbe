package job

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// columnCodes are those of faults that have to do with columns, and not with the rows of a
// group.
var columnCodes = []string{"column-not-categorical", "column-not-found", "column-not-numeric", "feature-names-collide", "key-name-taken",
	"key-type-unsupported", "no-features", "pattern-matches-nothing", "weight-not-numeric", "constraint-columns", "groups-columns",
	"pairs-columns", "start-columns"}

// OfColumns reports whether a fault has to do with columns: all groups of rows have it.
func OfColumns(f *framework.Fault) bool { return slices.Contains(columnCodes, f.Code) }

// SideBySide does some work n times, on so many threads. After an error no work of a higher
// number is begun; the error is that of the least number which has one. A panic is one, too.
func SideBySide(n, threads int, work func(i int) error) error {
	errs := make([]error, n)
	guarded := func(i int) { // a panic here would end the program
		defer func() {
			if r := recover(); r != nil {
				errs[i] = fmt.Errorf("internal error: %v", r)
			}
		}()
		errs[i] = work(i)
	}
	var next, end atomic.Int64 // end: n, or the least number that failed
	end.Store(int64(n))
	var all sync.WaitGroup
	for range min(n, max(threads, 1)) {
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if int64(i) >= end.Load() {
					return
				}
				if guarded(i); errs[i] == nil {
					continue
				}
				for least := end.Load(); int64(i) < least && !end.CompareAndSwap(least, int64(i)); {
					least = end.Load()
				}
			}
		})
	}
	all.Wait()
	if least := end.Load(); least < int64(n) {
		return errs[least]
	}
	return nil
}

// A PartSource also reads relations in parts.
type PartSource interface {
	ClassSource
	Parts(ctx context.Context, spec input.Spec, by []string) (input.Parts, error)
	Columns(ctx context.Context, relation, where string) (from string, names []string, err error)
}

// Each is runs of one kind, one for each group of the rows of a relation. Close it.
type Each struct {
	Settings settings.Settings
	Progress func(done, of int) // called as runs end; may be nil

	library library.Library
	kept    library.Kept
	parts   input.Parts
	source  PartSource
	beside  besides
	results []string // result tables that the runs may have
	told    sync.Mutex
	done    int
}

// NewEach returns runs whose settings are possible, as far as they go without data.
func NewEach(s settings.Settings, l library.Library) (*Each, error) {
	e := &Each{Settings: s}
	e.library = e.kept.Library(l.InThisProcess())
	if len(s.Long) > 0 {
		return nil, framework.Faultf(framework.Usage, "no-groups", "%s is not possible with relations of triples", framework.Setting("by")).At("by").
			WithHint("fit one group after the other: a query can choose the triples of its rows")
	}
	return e, nil
}

// Read finds the groups, and reads their rows if that is simple. spec says how a group is
// read. progress is called with the rows read so far; it may be nil.
func (e *Each) Read(ctx context.Context, src PartSource, spec input.Spec, progress func(rows int)) error {
	spec.Progress, spec.Results = progress, slices.Concat(e.results, []string{schema.Models, schema.Run})
	e.source, e.beside = src, besides{source: src}
	var err error
	e.parts, err = src.Parts(ctx, spec, e.Settings.By)
	return err
}

// Groups lists the groups, after Read.
func (e *Each) Groups() *input.Groups { return e.parts.Groups() }

// Close ends what runs, and frees the rows; it comes before the source is closed.
func (e *Each) Close() {
	_ = e.kept.Close()
	if e.parts != nil {
		_ = e.parts.Close()
	}
	e.parts = nil
}

// ofFit lists the result tables that fits may have.
func ofFit(s settings.Settings) []string {
	return slices.DeleteFunc(append(schema.OfFit(), schema.Distances), func(name string) bool {
		switch name {
		case schema.Distances:
			return s.Distances == 0
		case schema.Limits:
			return s.Constraints == ""
		case schema.Violations:
			return s.Pairs == "" && (s.Labels == "" || s.LabelsAs != settings.LabelsPairs)
		}
		return false
	})
}

// ofGroup returns the settings of a run of a group alone, and the source that it reads.
func (e *Each) ofGroup(group, threads int) (settings.Settings, *groupSource) {
	s := e.Settings
	s.By, s.Relation, s.Threads = nil, e.parts.Query(group), threads
	return s, &groupSource{PartSource: e.source, each: e, group: group}
}

// aLot is how many rows a group has at least that is given more than one thread.
const aLot = 10_000

// RunEach makes the run of each group: those with more rows than a thread should have one
// after the other, on all threads, and then the others side by side. The result of a
// group depends on none of that. A group that fails does not end the others, unless its
// fault is one that all have, or none of theirs.
func RunEach[T any](ctx context.Context, e *Each, run func(ctx context.Context, group, threads int) (T, result.Model, error)) (
	*result.Grouped[T], error) {
	groups := e.Groups()
	n, threads, all := groups.Len(), max(e.Settings.Threads, 1), 0
	r := &result.Grouped[T]{Groups: groups, Of: make([]T, n), Faults: make([]*framework.Fault, n), Models: make([]result.Model, n)}
	order := make([]int, n) // the largest first
	for g := range order {
		order[g] = g
		all += groups.Sizes[g]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(groups.Sizes[b], groups.Sizes[a]) })
	one := func(g, threads int) (err error) {
		r.Of[g], r.Models[g], err = run(ctx, g, threads)
		if f := framework.AsFault(err); f != nil && isOfGroup(f) && ctx.Err() == nil {
			r.Faults[g] = f
			r.Models[g] = result.Model{Status: f.Code, Message: whole(f), Objective: math.NaN(), Iterations: -1}
			err = nil
		}
		r.Models[g].Rows = groups.Sizes[g]
		e.tell(n)
		return err
	}
	large := 0
	for large < n && groups.Sizes[order[large]] > max(all/threads-1, aLot) {
		large++
	}
	for _, g := range order[:large] {
		if err := SideBySide(1, 1, func(int) error { return one(g, threads) }); err != nil {
			return nil, err
		}
	}
	if err := SideBySide(n-large, threads, func(i int) error { return one(order[large+i], 1) }); err != nil {
		return nil, err
	}
	return r, noneFitted(r)
}

// tell says how many runs have ended.
func (e *Each) tell(of int) {
	e.told.Lock()
	defer e.told.Unlock()
	if e.done++; e.Progress != nil {
		e.Progress(e.done, of)
	}
}

// isOfGroup reports whether a fault is that of a group, and others may have none.
func isOfGroup(f *framework.Fault) bool {
	return (f.Class == framework.Data || f.Class == framework.Plugin) && !OfColumns(f)
}

// noneFitted is the fault of runs all of which have failed.
func noneFitted[T any](r *result.Grouped[T]) error {
	if r.Failed() < r.Groups.Len() {
		return nil
	}
	if r.Groups.Len() == 1 {
		return r.Faults[0]
	}
	f := framework.Faultf(r.Faults[0].Class, "no-group-fitted", "none of the %d groups could be fitted", r.Groups.Len())
	return f.WithDetails(WhyFailed(r))
}

// mostDetails is how many details of a fault are said in its line.
const mostDetails = 3

// whole says in one line what a fault is: with its details, and the setting that they are of.
func whole(f *framework.Fault) string {
	line := f.Summary
	if n := len(f.Details); n > 0 {
		line += ": " + strings.Join(f.Details[:min(n, mostDetails)], "; ")
		if n > mostDetails {
			line += fmt.Sprintf("; and %d more", n-mostDetails)
		}
	}
	if setting := framework.Say(f.Where, nil) != f.Where; setting && len(f.Details) > 0 {
		line += " (" + f.Where + ")"
	}
	return line
}

// mostReasons is how many kinds of faults are listed.
const mostReasons = 5

// WhyFailed lists the faults of groups: a sentence for each kind, with the first groups
// that have it.
func WhyFailed[T any](r *result.Grouped[T]) []string {
	var order, lines []string
	of := map[string][]int{}
	for g, f := range r.Faults {
		if f != nil {
			if of[f.Code] == nil {
				order = append(order, f.Code)
			}
			of[f.Code] = append(of[f.Code], g)
		}
	}
	for i, code := range order {
		if i == mostReasons {
			return append(lines, fmt.Sprintf("… and %s", input.Counted(len(order)-i, "other reason", "other reasons")))
		}
		names := input.NamesOf(of[code], r.Groups.Text)
		line := names[0] + ": " + whole(r.Faults[of[code][0]])
		if more := names[1:]; len(more) > 0 {
			line += fmt.Sprintf(" (%s, in %s more: %s)", code, input.Counted(len(more), "group", "groups"),
				strings.Join(input.FirstOf(more, 3), "; "))
		}
		lines = append(lines, line)
	}
	return lines
}
