package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// keyOf returns the column that was the row key of a run, if none is given now;
// "" if there was none.
func (a *app) keyOf(ctx context.Context, db *store.DB, run string) (string, error) {
	if a.settings.id != "" {
		return "", nil
	}
	stored, err := db.LoadModel(ctx, run)
	if err != nil {
		return "", err
	}
	var recorded struct{ ID struct{ Value string } }
	if err := json.Unmarshal([]byte(stored.Params), &recorded); err != nil {
		return "", damagedRun(run, fmt.Errorf("recorded parameters: %w", err))
	}
	return recorded.ID.Value, nil
}

// ofRunsKey says of what is wrong with a key that nobody has given where it comes
// from.
func ofRunsKey(err error, key string) error {
	f := framework.AsFault(err)
	if key == "" || f == nil || f.Where != framework.Setting("id") {
		return err
	}
	return f.WithWhere("the key of the run").
		WithHint("name another key with --id, or number the rows: SELECT * EXCLUDE (%s) FROM …", schema.Quote(key))
}
