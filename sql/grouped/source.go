package grouped

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// groupSource is the source of the run of a group. A relation beside the table that has
// the columns of the groups is read for each group: the rows with its values, without these
// columns. One that does not have them holds for all groups alike.
type groupSource struct {
	PartSource
	each  *Each
	group int
}

// besides are the relations beside the table.
type besides struct {
	source PartSource

	mu     sync.Mutex
	looked map[string]string // the SQL of each that has the columns of the groups; "": it has not
}

// Read implements Source.
func (s *groupSource) Read(ctx context.Context, spec input.Spec) (*input.Table, error) {
	return s.each.parts.Read(ctx, spec, s.group)
}

// ReadGroups implements Source.
func (s *groupSource) ReadGroups(ctx context.Context, relation string, t *input.Table) (map[string]framework.Group, error) {
	return beside(ctx, s, relation, "groups", func(relation string) (map[string]framework.Group, error) {
		return s.PartSource.ReadGroups(ctx, relation, t)
	})
}

// ReadPairs implements Source. A group may have no pairs.
func (s *groupSource) ReadPairs(ctx context.Context, relation string, t *input.Table) (input.Pairs, error) {
	return beside(ctx, s, relation, "pairs", func(own string) (input.Pairs, error) {
		p, err := s.PartSource.ReadPairs(ctx, own, t)
		if f := framework.AsFault(err); f != nil && f.Code == "empty-relation" && own != relation {
			return input.Pairs{}, nil
		}
		return p, err
	})
}

// ReadLabels implements Source.
func (s *groupSource) ReadLabels(ctx context.Context, relation string, t *input.Table) (input.Labels, error) {
	return beside(ctx, s, relation, "labels", func(relation string) (input.Labels, error) {
		return s.PartSource.ReadLabels(ctx, relation, t)
	})
}

// ReadConstraints implements Source.
func (s *groupSource) ReadConstraints(ctx context.Context, relation string) ([]framework.ConstraintRow, error) {
	return beside(ctx, s, relation, "constraints", func(relation string) ([]framework.ConstraintRow, error) {
		return s.PartSource.ReadConstraints(ctx, relation)
	})
}

// ReadStart implements Source.
func (s *groupSource) ReadStart(ctx context.Context, relation string, t *input.Table, k int, zeros bool) (input.Start, error) {
	return beside(ctx, s, relation, "start", func(relation string) (input.Start, error) {
		return s.PartSource.ReadStart(ctx, relation, t, k, zeros)
	})
}

// beside reads what a relation has for a group. One is read at a time.
func beside[T any](ctx context.Context, s *groupSource, relation, setting string, read func(relation string) (T, error)) (T, error) {
	b := &s.each.beside
	b.mu.Lock()
	defer b.mu.Unlock()
	from, known := b.looked[relation]
	if !known {
		source, names, err := b.source.Columns(ctx, relation, framework.Setting(setting))
		if err != nil {
			var none T
			return none, err
		}
		has := func(name string) bool {
			return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
		}
		if !slices.ContainsFunc(s.each.Groups().Names(), func(name string) bool { return !has(name) }) {
			from = "(" + source + ")"
		}
		if b.looked == nil {
			b.looked = map[string]string{}
		}
		b.looked[relation] = from
	}
	if from == "" {
		return read(relation)
	}
	return read(s.each.Groups().Where(from, s.group))
}
