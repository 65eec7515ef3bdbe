package job

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// A Source reads relations. Only Read is called where the settings name no other
// relation. What each method returns, and refuses, is said in package store, which
// reads from DuckDB.
type Source interface {
	Read(ctx context.Context, spec input.Spec) (*input.Table, error)
	ReadGroups(ctx context.Context, relation string, t *input.Table) (map[string]framework.Group, error)
	ReadPairs(ctx context.Context, relation string, t *input.Table) (input.Pairs, error)
	ReadConstraints(ctx context.Context, relation string) ([]framework.ConstraintRow, error)
	ReadLabels(ctx context.Context, relation string, t *input.Table) (input.Labels, error)
	ReadColumns(ctx context.Context, relation string, wanted []input.Beside, t *input.Table) ([]framework.LabelColumn, error)
	ReadStart(ctx context.Context, relation string, t *input.Table, k int, zeros bool) (input.Start, error)
}
