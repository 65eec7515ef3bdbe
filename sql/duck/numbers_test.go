package duck

import (
	"fmt"
	"math"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// 2000 whole numbers of up to so many digits become numbers of each type: with a point
// before the last ones, and every seventh NULL. DuckDB casts them to DOUBLE itself.
func TestNumbersAreWhatDuckDBCastsToDouble(t *testing.T) {
	db := memory(t)
	for _, c := range []struct {
		typ            string
		digits, behind int
		unsigned       bool
	}{
		{"TINYINT", 2, 0, false}, {"SMALLINT", 4, 0, false}, {"INTEGER", 9, 0, false}, {"BIGINT", 18, 0, false}, {"UTINYINT", 2, 0, true},
		{"USMALLINT", 4, 0, true}, {"UINTEGER", 9, 0, true}, {"UBIGINT", 19, 0, true}, {"HUGEINT", 3, 0, false}, {"HUGEINT", 19, 0, false},
		{"FLOAT", 18, 6, false}, {"DOUBLE", 18, 9, false}, {"DECIMAL(4,1)", 4, 1, false}, {"DECIMAL(9,4)", 9, 4, false},
		{"DECIMAL(18,0)", 18, 0, false}, {"DECIMAL(18,3)", 16, 3, false}, {"DECIMAL(18,6)", 17, 6, false}, {"DECIMAL(18,17)", 18, 17, false},
	} {
		t.Run(fmt.Sprint(c.typ, " of ", c.digits), func(t *testing.T) {
			whole := fmt.Sprintf("(hash(i) %% 1e%d::HUGEINT)::HUGEINT", c.digits)
			if !c.unsigned {
				whole = fmt.Sprintf("%s * CASE WHEN i %% 2 = 0 THEN 1 ELSE -1 END", whole)
			}
			point := fmt.Sprintf("CAST('1e-%d' AS DECIMAL(18,%[1]d))", c.behind)
			query := fmt.Sprintf("SELECT x, CAST(x AS DOUBLE) FROM (SELECT CASE WHEN i %% 7 > 0 THEN "+
				"CAST(CAST(%s AS DECIMAL(20,0)) * %s AS %s) END AS x FROM range(2000) r(i))", whole, point, c.typ)
			must.Do(t, db.Stream(t.Context(), query, func(chunk Chunk) error {
				got, want := make([]float64, 2*chunk.Rows), View[float64](chunk.Column(1), chunk.Rows)
				if !chunk.Column(0).Numbers(got[1:], 2, chunk.Rows) {
					t.Fatal("no number")
				}
				for i, x := range want {
					if chunk.Column(1).Null(i) {
						x = math.NaN()
					}
					if g := got[2*i+1]; g != x && (g == g || x == x) || got[2*i] != 0 {
						t.Fatalf("%v, not %v", g, x)
					}
				}
				return nil
			}))
		})
	}
}

// Such numbers are left to DuckDB, and so is what is no number.
func TestNumbersThatAreNotPlainAreRefused(t *testing.T) {
	db := memory(t)
	for _, x := range []string{"'nan'::DOUBLE", "'nan'::FLOAT", "(1e25)::HUGEINT", "(-1e25)::HUGEINT", "1::UHUGEINT", "1::DECIMAL(19,0)",
		"true", "'1'", "DATE '2001-02-03'", "[1]", "{a: 1}", "INTERVAL 1 DAY"} {
		query := fmt.Sprintf("SELECT CASE WHEN i = 1 THEN %s END FROM range(3) r(i)", x)
		must.Do(t, db.Stream(t.Context(), query, func(c Chunk) error {
			if c.Column(0).Numbers(make([]float64, c.Rows), 1, c.Rows) {
				t.Error(x)
			}
			return nil
		}))
	}
}

func TestKeysAreFollowedByThoseOfMoreWhereverChunksEnd(t *testing.T) {
	db := memory(t)
	for _, kept := range []int{0, 1, ChunkRows - 1, ChunkRows, ChunkRows + 1} {
		for _, more := range []int{0, 1, ChunkRows, 3*ChunkRows + 5} {
			numbers := func(from, n int) *Keys {
				k := RowNumbers(n)
				for i := range n {
					k.AddNumber(int64(from + i))
				}
				return k
			}
			for typ, keys := range map[string][2]*Keys{
				"BIGINT":  {numbers(0, kept), numbers(kept, more)},
				"VARCHAR": {TextKeys(numbers(0, kept)), TextKeys(numbers(kept, more))},
			} {
				must.Do(t, db.Exec(t.Context(), "CREATE OR REPLACE TABLE keys (i BIGINT, key "+typ+")"))
				cells := []Cells{Bigints(func(i int) int { return i }), KeysThen(keys[0], keys[1])}
				must.Do(t, db.Append(t.Context(), "main", "keys", kept+more, cells))
				got := must.Get(db.Rows(t.Context(), "SELECT count(*), count(*) FILTER (key = i::"+typ+") FROM keys"))(t)
				must.Equal(t, [][]any{{int64(kept + more), int64(kept + more)}}, got)
			}
		}
	}
}
