package grouped

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// groupSource is the source of the run of a group, whose settings name what it reads beside
// its rows ([besides]). One relation beside the table is read at a time.
type groupSource struct {
	PartSource
	each  *Each
	group int
}

// Read implements Source.
func (s *groupSource) Read(ctx context.Context, spec input.Spec) (*input.Table, error) {
	return s.each.parts.Read(ctx, spec, s.group)
}

// ReadGroups implements Source.
func (s *groupSource) ReadGroups(ctx context.Context, relation string, t *input.Table) (map[string]framework.Group, error) {
	defer s.alone()()
	return s.PartSource.ReadGroups(ctx, relation, t)
}

// ReadPairs implements Source.
func (s *groupSource) ReadPairs(ctx context.Context, relation string, t *input.Table) (input.Pairs, error) {
	defer s.alone()()
	return s.PartSource.ReadPairs(ctx, relation, t)
}

// ReadLabels implements Source.
func (s *groupSource) ReadLabels(ctx context.Context, relation string, t *input.Table) (input.Labels, error) {
	defer s.alone()()
	return s.PartSource.ReadLabels(ctx, relation, t)
}

// ReadConstraints implements Source.
func (s *groupSource) ReadConstraints(ctx context.Context, relation string) ([]framework.ConstraintRow, error) {
	defer s.alone()()
	return s.PartSource.ReadConstraints(ctx, relation)
}

// ReadStart implements Source.
func (s *groupSource) ReadStart(ctx context.Context, relation string, t *input.Table, k int, zeros bool) (input.Start, error) {
	defer s.alone()()
	return s.PartSource.ReadStart(ctx, relation, t, k, zeros)
}

// alone begins reading, and returns what ends it.
func (s *groupSource) alone() (end func()) {
	s.each.beside.mu.Lock()
	return s.each.beside.mu.Unlock
}
