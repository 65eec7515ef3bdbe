package cli

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

func (a *app) openEngine(ctx context.Context, db *store.DB) (job.Distant, func() error, error) {
	return nil, nil, framework.Faultf(framework.Internal, "internal", "no engine")
}
