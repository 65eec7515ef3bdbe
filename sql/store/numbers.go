package store

import (
	"context"
	"fmt"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// numberFault explains why a relation cannot be read of which these columns,
// where it has them, were read as numbers: it names the first that holds
// something else. Text that is a number is one.
func (db *DB) numberFault(ctx context.Context, err error, r *relation, where string, columns ...string) error {
	for _, name := range columns {
		c, missing := r.column(name, where)
		if missing != nil {
			continue
		}
		if class, _ := classify(c.typ); class == number {
			continue
		}
		quoted := schema.Quote(c.name)
		rows, unread := db.Rows(ctx, "SELECT min(CAST("+quoted+" AS VARCHAR)) FROM "+r.from+" WHERE "+quoted+" IS NOT NULL AND TRY_CAST("+quoted+" AS DOUBLE) IS NULL")
		if unread == nil && rows[0][0] == nil {
			continue
		}
		f := framework.Faultf(framework.Data, "column-not-numeric", "column %q of %s is %s, and must be a number", c.name, r.label, shortType(c.typ)).
			WithWhere("%s", where).WithHint("%s", c.advice())
		if unread == nil { // else nothing of this type is a number
			f.Details = []string{fmt.Sprintf("it has the value %q", rows[0][0])}
		}
		return f
	}
	return relationFault(err, r.label, where)
}
