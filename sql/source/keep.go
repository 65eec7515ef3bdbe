package source

import (
	"context"
	"os"

	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// keptBytes is the size of a CSV file up to which its rows are kept.
const keptBytes = 4 << 20

// keep copies the rows of a small CSV file to a temporary table. A query that names
// the file makes DuckDB find out how it is written, once when it is prepared and once
// more when it runs, which takes longer than to read the rows. It reports false when
// they cannot be kept; then nothing has changed, and who reads the file is told why it
// cannot be read.
func (db *DB) keep(ctx context.Context, r *Relation) bool {
	if !r.isCSV() || db.Transacting() { // a statement that fails would end the user's transaction
		return false
	}
	if info, err := os.Stat(r.text); err != nil || info.Size() > keptBytes {
		return false
	}
	name := "temp." + schema.Quote("sqlcluster_file")
	if db.ExecReading(ctx, "CREATE TEMP TABLE "+name+" AS SELECT * FROM "+r.From) != nil {
		return false // also when another one is in use
	}
	r.From, r.drop = name, "DROP TABLE IF EXISTS "+name
	return true
}
