package clickhouse

import (
	"context"

	"github.com/sqlcluster/sqlcluster/sql/engine"
)

var _ engine.Streamer = (*Engine)(nil)

// Stream implements engine.Streamer. The server has the whole answer before it sends the
// first row.
func (e *Engine) Stream(ctx context.Context, statement string, use func(row []any) error) error {
	given := false
	var ended error
	t := try{statement: statement, use: func(row []any) error {
		given = true
		ended = use(row)
		return ended
	}}
	_, err := e.run(ctx, t, func() bool { return given })
	if ended != nil {
		return ended
	}
	return err
}
