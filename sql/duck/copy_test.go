package duck

import (
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// The texts of the values, as DuckDB makes them, before and after.
func TestAHeapKeepsTheValuesOfEachType(t *testing.T) {
	db := memory(t)
	must.Do(t, db.ReadHeaps())
	for _, value := range []string{
		"i % 2 = 0", "(i % 100)::TINYINT", "-i", "i::UHUGEINT", "i / 7", "i::FLOAT", "i::DECIMAL(4, 1)", "i::DECIMAL(30, 3)",
		"'t' || i", "repeat('long ', i % 9) || i", "''", "DATE '2024-01-01' + i::INTEGER", "TIMESTAMP '2024-01-01' + to_seconds(i)",
		"to_days(i::INTEGER)", "TIME '01:02:03'", "md5(i::VARCHAR)::UUID", "('\\x0' || i % 9)::BLOB", "i::BIT", "i::BIGNUM", "NULL",
		"if(i % 2 = 0, 'S', 'M')::ENUM('S', 'M')", "range(i % 4)", "[repeat('x', i), NULL]", "[[i], [], NULL]", "[i, -i]::INT[2]",
		"{'a': i, 'b': [i], 'c': {'d': 't' || i}}", "MAP {i: 't' || i}", "union_value(n := i)::UNION(n BIGINT, s VARCHAR)",
		"[i, NULL, 3]::INT[3]", "MAP([i, i + 1], [[i], NULL])"} {
		some := "if(i % 3 = 2, NULL, " + value + ")"
		if strings.HasSuffix(value, "]") && strings.Contains(value, "::INT[") { // of which DuckDB has no conditional expressions
			some = value
		}
		query := "SELECT i, " + some + " AS v FROM range(300) r(i) WHERE i % 2 = 0"
		var h *Heap
		must.Do(t, db.Stream(t.Context(), query, func(c Chunk) error {
			columns := []Vector{c.Column(0), c.Column(1)}
			if h == nil {
				h = NewHeap(columns)
			}
			if err := h.Add(make([]int64, c.Rows), columns); err != nil {
				return err
			}
			return h.AddOne(1, columns, 1) // once more, in another place
		}))
		want := must.Get(db.Rows(t.Context(), "SELECT i, v::VARCHAR FROM ("+query+")"))(t)
		got := must.Get(db.Rows(t.Context(), "SELECT c0, c1::VARCHAR FROM "+h.Relation()))(t)
		h.Drop()
		want = append(want, want[1])
		if len(got) != len(want) {
			t.Fatalf("%s: %d rows, want %d", value, len(got), len(want))
		}
		for i := range want {
			if got[i][0] != want[i][0] || got[i][1] != want[i][1] {
				t.Errorf("%s: %v, want %v", value, got[i], want[i])
				break
			}
		}
	}
}
