package grouped

import (
	"context"
	"slices"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A ScoreSource also reads what the rows of a relation and of a run with groups have in
// common, of all groups at once. What it returns may be called by several goroutines.
type ScoreSource interface {
	PartSource
	// TruthOfGroups returns the classes of the rows of each group. column may be "".
	TruthOfGroups(ctx context.Context, run, relation, column string) (of func(group int) (*input.Truth, error), err error)
	// ClusteredGroups returns what leaves in the table of a group the rows that have a
	// cluster; t is one of these tables.
	ClusteredGroups(ctx context.Context, run string, t *input.Table) (keep func(group int, t *input.Table) (*input.Common, error), err error)
}

// A Scoring is of the clusters of each model of a run with groups.
type Scoring struct {
	Run
	Options  model.ScoreOptions
	Progress func(done, of int) // called as groups end; may be nil
}

// Score scores the clusters of each group that has a model: what model.Score returns for
// it alone. The relation is read once, and so are the rows of the run. notes are about all
// groups.
func (s *Scoring) Score(ctx context.Context, l library.Library, src ScoreSource) (r *result.Grouped[*model.Scores], notes []string,
	err error) {
	defer s.open(l)()
	m, first, err := s.first(ctx, "score that")
	if err != nil {
		return nil, nil, err
	}
	if s.Options.Relation == "" {
		s.Options.Relation, _ = s.Groups.Whole(s.Fits[first].Source, first)
	}
	truth, err := src.TruthOfGroups(ctx, s.Name, s.Options.Relation, s.Options.Truth)
	if err != nil {
		return nil, nil, err
	}
	known, err := truth(first)
	if known == nil {
		return nil, nil, err
	}
	spec := m.Scored(known.KeyName, s.Options)
	spec.Results = []string{}
	parts, err := src.Parts(ctx, spec, input.NamesOf(s.Groups.Names(), schema.Quote))
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = parts.Close() }() // it has been read
	part := map[string]int{}
	for g := range parts.Groups().Len() {
		part[parts.Groups().Item(g)] = g
	}
	of := &scoredGroups{parts: parts, truth: truth}
	if err := s.rows(ctx, src, of, part); err != nil {
		return nil, nil, err
	}
	var told sync.Mutex
	done := 0
	r = emptyResult[*model.Scores](s.Groups)
	err = overGroups(ctx, r, 0, s.Groups.Len(), s.Options.Threads, func() {
		told.Lock()
		defer told.Unlock()
		if done++; s.Progress != nil {
			s.Progress(done, s.Groups.Len())
		}
	}, func(ctx context.Context, group, threads int) (*model.Scores, result.Model, error) {
		if !isModel(s.Fits[group]) {
			return nil, result.Model{}, nil
		}
		at, has := part[s.Groups.Item(group)]
		if !has {
			return nil, result.Model{}, framework.Faultf(framework.Data, "empty-relation", "the relation has no row of it")
		}
		m, err := s.one(ctx, group, "score that")
		if err != nil {
			return nil, result.Model{}, err
		}
		o := s.Options
		o.Threads, o.Reading, o.Measuring = threads, nil, nil
		scores, err := m.Score(ctx, scoredGroup{of, group, at}, o)
		if err != nil {
			return nil, result.Model{}, err
		}
		return scores, result.Model{Status: result.Fitted, Notes: scores.Notes}, nil
	})
	if err != nil {
		return nil, nil, err
	}
	if slices.ContainsFunc(r.Faults, func(f *framework.Fault) bool { return f != nil }) {
		notes = otherTypes(s.Groups, parts.Groups())
	}
	return r, notes, noneDone(r, "scored")
}

// rows reads the rows of the run. Their keys become those of the relation, whose type the
// first table tells that can be read. Nothing else is read meanwhile.
func (s *Scoring) rows(ctx context.Context, src ScoreSource, of *scoredGroups, part map[string]int) error {
	for g := range s.Groups.Len() {
		at, has := part[s.Groups.Item(g)]
		if !has || !isModel(s.Fits[g]) {
			continue
		}
		m, err := s.one(ctx, g, "score that")
		if err != nil {
			continue // as this group is told
		}
		known, _ := of.truth(g)
		t, err := of.parts.Read(ctx, m.Scored(known.KeyName, s.Options), at)
		if err != nil {
			continue
		}
		of.keep, err = src.ClusteredGroups(ctx, s.Name, t)
		_ = t.Close() // it has been read
		return err
	}
	return ctx.Err()
}

// scoredGroups are the rows of the groups that are scored.
type scoredGroups struct {
	parts input.Parts
	truth func(group int) (*input.Truth, error)
	keep  func(group int, t *input.Table) (*input.Common, error)
}

// scoredGroup is one of them, as the source of its model.
type scoredGroup struct {
	*scoredGroups
	group, part int // in the run, and in the relation
}

var _ model.ScoreSource = scoredGroup{}

func (s scoredGroup) Read(ctx context.Context, spec input.Spec) (*input.Table, error) {
	return s.parts.Read(ctx, spec, s.part)
}

func (s scoredGroup) ReadTruth(context.Context, string, string, string) (*input.Truth, error) {
	return s.truth(s.group)
}

func (s scoredGroup) KeepClustered(_ context.Context, _ string, t *input.Table) (*input.Common, error) {
	return s.keep(s.group, t)
}
