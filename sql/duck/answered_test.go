package duck

import (
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestAPanicOfATableFunctionEndsItsStatementAlone(t *testing.T) {
	db := memory(t)
	must.Do(t, db.RegisterListed(Listed{Name: "wrong_rows", Columns: []ListedColumn{{Name: "a"}},
		Rows: func([]string) ([][]any, error) { panic("no rows") }}))
	must.Do(t, db.RegisterListed(Listed{Name: "short_rows", Columns: []ListedColumn{{Name: "a"}, {Name: "b"}},
		Rows: func([]string) ([][]any, error) { return [][]any{{"one cell"}}, nil }}))
	must.Do(t, db.RegisterTokens(Tokens{Name: "wrong_token", Begin: func() int64 { panic("no token") }, End: func(int64) {}, Gone: func() {}}))
	for query, want := range map[string]string{
		"FROM wrong_rows()":  "internal error: no rows",
		"FROM short_rows()":  "internal error: runtime error: index out of range",
		"FROM wrong_token()": "internal error: no token",
	} {
		_, err := db.Rows(t.Context(), query)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", query, err, want)
		}
	}
	must.Equal(t, [][]any{{int64(1)}}, must.Get(db.Rows(t.Context(), "SELECT 1"))(t))
}
