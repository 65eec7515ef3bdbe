//go:build campaign

package functions_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/model"
)

// A million rows of 20 columns, some of them NULL, have the same labels, distances and
// margins whichever way they are predicted:
//
//	go test -tags campaign -run CampaignOfPredictions -v ./sql/functions
func TestCampaignOfPredictions(t *testing.T) {
	var columns []string
	for j := range 20 {
		columns = append(columns, fmt.Sprintf("CASE WHEN hash(i + %d) %% 50 > 0 THEN sin(i * %[1]d.0) + i %% 5 END AS x%[1]d", j+1))
	}
	db, s := both(t, fmt.Sprintf("CREATE TABLE wide AS SELECT i AS id, %s FROM range(1000000) r(i)", strings.Join(columns, ", ")))
	ran(t, s, "CREATE TABLE few AS FROM wide LIMIT 5000",
		"CREATE TABLE m AS FROM cluster_fit(few, 'id', k := 8, algorithm := 'skfr', sparsity := 9)")
	m := must.Get(model.Decode(builtIn, ran(t, s, "SELECT model FROM m")[0]))(t)
	spec := input.Spec{Relation: "wide", ID: "id", Storage: matrix.Auto}
	timed := func(name string, f func()) {
		start := time.Now()
		f()
		t.Log(name, time.Since(start))
	}
	timed("job", func() {
		p := must.Get(m.Predict(t.Context(), db, spec, runtime.NumCPU(), matrix.UnseenError))(t)
		must.Do(t, db.WriteAssignments(t.Context(), "want", true, p.Assignments))
	})
	for threads := 1; threads <= 4; threads++ {
		ran(t, s, fmt.Sprintf("SET threads = %d", threads))
		timed(fmt.Sprintf("scalar on %d threads", threads), func() {
			ran(t, s, "CREATE OR REPLACE TABLE scalar AS SELECT id, cluster_predict(m.model, w) AS cluster FROM wide w, m")
		})
		timed(fmt.Sprintf("table on %d threads", threads), func() {
			ran(t, s, "CREATE OR REPLACE TABLE got AS FROM cluster_predict(m, wide, 'id')")
		})
		for want, got := range map[string]string{"id, cluster": "id, cluster FROM scalar",
			"id, cluster, distance, second_cluster, margin": "key, cluster, distance, second_cluster, margin FROM got"} {
			must.Equal(t, []string{"0"}, ran(t, s, fmt.Sprintf("SELECT count(*) FROM (SELECT %s FROM want EXCEPT ALL SELECT %s)", want, got)))
		}
	}
}
