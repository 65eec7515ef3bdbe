package export

import (
	"fmt"

	"github.com/sqlcluster/sqlcluster/sql/dialect"
)

// cast returns a cell as a number, or as the text of a category. ref is the text of
// its column.
func (w *writer) cast(c *column, ref string) string {
	if c.element > 0 {
		ref = fmt.Sprintf("(%s)[%d]", ref, c.element)
	}
	if c.categorical {
		return w.Text(ref)
	}
	return w.Float(ref)
}

// The databases; of each, package dialect knows how it writes.
const (
	DuckDB     = dialect.DuckDB
	PostgreSQL = dialect.PostgreSQL
	ClickHouse = dialect.ClickHouse
)

// Dialects lists them.
func Dialects() []string { return dialect.Names() }
