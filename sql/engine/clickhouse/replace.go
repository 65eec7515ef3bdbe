package clickhouse

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/engine"
)

var _ engine.Replacer = (*Engine)(nil)

// Replace implements engine.Replacer: the rows go into a table of another name, which gets
// its name when it has all of them. What a statement that was cut off has left of such a table is dropped.
func (e *Engine) Replace(ctx context.Context, table, query string, replace bool) error {
	d := e.Dialect()
	name, staged, former := d.Quote(table), d.Quote(table+"_staging"), d.Quote(table+"_former")
	rows, err := e.Query(ctx, "SELECT count() FROM system.tables WHERE database = currentDatabase() AND name = "+d.Literal(table))
	if err != nil {
		return err
	}
	there := len(rows) == 1 && len(rows[0]) == 1 && rows[0][0] != int64(0)
	if there && !replace {
		return framework.Faultf(framework.Data, "table-exists", "table %s already exists in %s", table, e).At("into").
			WithHint("%s replaces it, or choose another name", framework.Setting("replace"))
	}
	statements := []string{"DROP TABLE IF EXISTS " + staged, "CREATE TABLE " + staged + " ENGINE = MergeTree ORDER BY tuple() AS " + query}
	if there {
		statements = append(statements, "DROP TABLE IF EXISTS "+former, "RENAME TABLE "+name+" TO "+former+", "+staged+" TO "+name,
			"DROP TABLE "+former)
	} else {
		statements = append(statements, "RENAME TABLE "+staged+" TO "+name)
	}
	for _, s := range statements {
		if err := e.Exec(ctx, s); err != nil {
			return err
		}
	}
	return nil
}
