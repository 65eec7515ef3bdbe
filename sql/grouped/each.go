package grouped

import (
	"context"
	"slices"
	"sync"

	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// A PartSource also reads relations in parts.
type PartSource interface {
	job.ClassSource
	Parts(ctx context.Context, spec input.Spec, by []string) (input.Parts, error)
	Columns(ctx context.Context, relation, where string) (from string, names, types []string, err error)
	Rows(ctx context.Context, query string) ([][]any, error)
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
	asks    bool     // runs read more than their rows
	told    sync.Mutex
	done    int
}

// newEach returns runs that are still without their groups.
func newEach(s settings.Settings, l library.Library) *Each {
	e := &Each{Settings: s}
	e.library = e.kept.Library(l.InThisProcess())
	return e
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

// held reports whether runs have all that they read in memory.
func (e *Each) held() bool {
	s := &e.Settings
	return !e.asks && e.parts.Held() && s.Groups+s.Pairs+s.Labels+s.Constraints+s.Start == ""
}

// ofGroup returns the settings of a run of a group alone, and the source that it reads.
func (e *Each) ofGroup(ctx context.Context, group, threads int) (settings.Settings, *groupSource, error) {
	s := e.Settings
	s.By, s.Relation, s.Threads = nil, e.parts.Query(group), threads
	err := e.beside.ofGroup(ctx, e, &s, group)
	return s, &groupSource{PartSource: e.source, each: e, group: group}, err
}

// key is the column of the keys of rows; "" if there is none.
func (e *Each) key() string {
	if l, err := input.LongOf(e.Settings.Long); l != nil && err == nil {
		return l.Key
	}
	return e.Settings.ID
}

// tell says how many runs have ended.
func (e *Each) tell(of int) {
	e.told.Lock()
	defer e.told.Unlock()
	if e.done++; e.Progress != nil {
		e.Progress(e.done, of)
	}
}
