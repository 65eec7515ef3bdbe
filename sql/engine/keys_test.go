package engine_test

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/engine/duckdb"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

func TestKeysThatAreLookedAtInSharesAreFoundTwiceOrOnce(t *testing.T) {
	defer engine.HoldKeys(100)()
	e := must.Get(duckdb.Open(t.Context(), "", duck.ReadWrite))(t)
	defer func() { _ = e.Close() }()
	for _, key := range []string{
		"i", "-i", "i::HUGEINT", "i::UTINYINT", "'k' || i", "i * 0.5::DOUBLE", "i::DECIMAL(9, 2)", "DATE '2024-01-01' + i::INTEGER",
	} {
		for rows, want := range map[string]string{"range(250) t(i)": "", "(FROM range(250) UNION ALL SELECT 249) t(i)": "duplicate-keys"} {
			spec := input.Spec{Relation: "SELECT " + key + " AS id, i AS a FROM " + rows, ID: "id"}
			_, _, _, _, err := engine.On(e).Learn(t.Context(), spec, matrix.Scaling{Center: "mean", Scale: "sd"})
			code := ""
			if f := framework.AsFault(err); f != nil {
				code = f.Code
			}
			if code != want {
				t.Errorf("%s, %s: %q, want %q (%v)", key, rows, code, want, err)
			}
		}
	}
}
