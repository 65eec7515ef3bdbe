//go:build engines

package clickhouse

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse/internal/clickhousetest"
	"github.com/sqlcluster/sqlcluster/sql/engine/internal/enginetest"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// A watched engine notes what it was asked.
type watched struct {
	*Engine
	servers []*clickhousetest.Server
	asked   []string
}

func (w *watched) Query(ctx context.Context, statement string) ([][]any, error) {
	w.asked = append(w.asked, statement)
	return w.Engine.Query(ctx, statement)
}

// finished is a statement that has ended, as logs of servers have it.
const finished = " FROM system.query_log WHERE type = 2 AND "

// sentHome returns what the second server has sent the first one for a statement: how many
// answers, and their rows and bytes.
func (w *watched) sentHome(t *testing.T, statement string) (answers, rows, bytes int) {
	t.Helper()
	for _, s := range w.servers {
		s.Until("SELECT count() FROM system.tables WHERE database = 'system' AND name = 'query_log'", "1", 10*time.Second)
	}
	first := finished + "is_initial_query AND query = " + w.Dialect().Literal(statement)
	w.servers[0].Until("SELECT count() > 0"+first, "1", 10*time.Second)
	var all [3]int
	for _, id := range strings.Fields(w.servers[0].Do("SELECT query_id" + first)) {
		of := finished + "NOT is_initial_query AND initial_query_id = '" + id + "'"
		w.servers[1].Until("SELECT count() > 0"+of, "1", 10*time.Second)
		for i, n := range strings.Fields(w.servers[1].Do("SELECT count(), sum(result_rows), sum(result_bytes)" + of)) {
			all[i] += must.Get(strconv.Atoi(n))(t)
		}
	}
	return all[0], all[1], all[2]
}

// points makes a Distributed table of rows with a key, a class and features.
func points(t *testing.T, rows, features int) *watched {
	t.Helper()
	servers := clickhousetest.Start(t, 2)
	columns, cells := "id UInt64, class String", "number AS id, toString(id % 3)"
	for l := range features {
		columns += fmt.Sprintf(", f%d Float64", l)
		cells += fmt.Sprintf(", intHash64(id * 32 + %d) %% 1000 / 1000 + intHash64(id) %% %d", l, 3+l)
	}
	for i, s := range servers {
		s.Do("CREATE TABLE part (" + columns + ") ENGINE = MergeTree ORDER BY id")
		s.Do(fmt.Sprintf("INSERT INTO part SELECT %s FROM (SELECT number + %d AS number FROM numbers(%d))", cells, i*rows/2, rows/2))
		s.Do("CREATE TABLE points AS part ENGINE = Distributed(" + clickhousetest.Cluster + ", default, part)")
	}
	return &watched{Engine: opened(t, servers[0].URL(""), time.Second), servers: servers}
}

// kmeansOfPoints is their fit.
func kmeansOfPoints(k int) enginetest.Case {
	return enginetest.Case{Algorithm: "kmeans", K: k, Spec: input.Spec{Exclude: []string{"class"}}}
}

// What a server sends home of its rows are sums, a row for each cluster. In its memory they
// take pages of 4096 bytes for each column, whatever the number of rows; the cells are more.
func TestServersSendSumsHomeAndNotRows(t *testing.T) {
	const rows, features, k = 40_000, 10, 4
	const cells = 8 * rows / 2 * features
	w := points(t, rows, features)
	asked := 0
	check := func(t *testing.T, most int) {
		t.Helper()
		for _, statement := range w.asked[asked:] {
			answers, n, bytes := w.sentHome(t, statement)
			if answers != 1 || n > most || bytes > cells/5 {
				t.Errorf("%d answers, of %d rows and %d bytes, for %d: %.300s…", answers, n, bytes, most, statement)
			}
			t.Logf("%d rows, %d bytes: %.80s…", n, bytes, statement)
		}
		asked = len(w.asked)
	}
	p := kmeansOfPoints(k).There(t, w, "points")
	t.Run("recipe", func(t *testing.T) {
		for i, statement := range w.asked {
			if strings.Contains(statement, "HAVING") { // whether keys are unique is known where all keys are
				w.asked = append(w.asked[:i:i], w.asked[i+1:]...)
				break
			}
		}
		check(t, 1)
	})
	m := p.Other.Begin()
	for j := range k {
		for l := range features {
			m.Centers.Row(j)[l] = float64(j+l%3) / 2
		}
	}
	before := m.Clone()
	before.Centers.Data[0]++
	b := p.Bound
	for _, c := range []struct {
		name string
		ask  func() error
		most int // rows
	}{
		{"first pass", func() error { _, err := b.Assign(t.Context(), m, nil); return err }, k},
		{"pass", func() error { _, err := b.Assign(t.Context(), m, before); return err }, k},
		{"farthest rows", func() error { _, err := b.Farthest(t.Context(), m, m, 2); return err }, 4},
		{"summary", func() error { _, err := b.Summarise(t.Context(), m); return err }, k},
		{"spreads", func() error { _, err := b.Spread(t.Context(), m, m.Centers); return err }, k},
		{"two models", func() error { _, err := b.Crosstab(t.Context(), m, before); return err }, k * k},
		{"classes", func() error { _, err := b.Classes(t.Context(), m, "class"); return err }, 3 * k},
		{"sample", func() error { _, _, err := b.Sample(t.Context(), 100, 1); return err }, 100},
		{"different rows", func() error { _, err := b.Distinct(t.Context(), 50); return err }, 1500}, // of 1000 and 10 for each
		{"start", func() error { _, err := b.Begin(t.Context(), "kmeans||", fit.Raw, 1, 0); return err }, 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.ask(); err != nil {
				t.Fatalf("%v: %s", err, w.asked[len(w.asked)-1])
			}
			check(t, c.most)
		})
	}
}

// An iteration is one statement, and one answer of each server.
func TestAnIterationIsOneStatement(t *testing.T) {
	const iterations = 4
	w := points(t, 4000, 5)
	p := kmeansOfPoints(6).There(t, w, "points")
	start := must.Get(p.Bound.Begin(t.Context(), "random", fit.Raw, 1, 0))(t)
	w.asked = nil
	settings := p.Case.Settings()
	settings.MaxIter = iterations
	r := must.Get(fit.Elsewhere(t.Context(), p.Other, p.Distant, p.From(*start.Centers), settings, nil))(t)
	if r.Iterations != iterations || r.Converged {
		t.Fatalf("%s after %d iterations", r.Stop, r.Iterations)
	}
	must.Equal(t, iterations+1, len(w.asked)) // and one that ends the start
	for _, statement := range w.asked {
		if answers, _, _ := w.sentHome(t, statement); answers != 1 {
			t.Errorf("%d answers", answers)
		}
	}
}

// A view on each server takes part of the rows, and a Distributed table over the views shares the work out.
func TestADistributedTableOfViewsSharesTheWorkOut(t *testing.T) {
	w := points(t, 4000, 5)
	for _, s := range w.servers {
		s.Do("CREATE VIEW half AS SELECT id, f0 + f1 AS a, f2 AS b FROM part WHERE id % 2 = 0")
		s.Do("CREATE TABLE halves (id UInt64, a Float64, b Float64) ENGINE = Distributed(" + clickhousetest.Cluster + ", default, half)")
	}
	c := enginetest.Case{Algorithm: "kmeans", K: 3}
	p := c.There(t, w, "halves")
	must.Equal(t, 2000, p.Problem.N)
	m := p.Other.Begin()
	for i := range m.Centers.Data {
		m.Centers.Data[i] = float64(i)
	}
	w.asked = nil
	pass := must.Get(p.Bound.Assign(t.Context(), m, nil))(t)
	must.Equal(t, 2000, pass.Moved)
	if answers, rows, _ := w.sentHome(t, w.asked[0]); answers != 1 || rows > 3 {
		t.Errorf("%d answers with %d rows", answers, rows)
	}
}
