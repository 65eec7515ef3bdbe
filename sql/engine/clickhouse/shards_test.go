//go:build engines

package clickhouse

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse/internal/clickhousetest"
)

// rowsOfShard are the rows of each shard, and sums the statement that all tests here ask.
const (
	rowsOfShard = 200_000
	sums        = "SELECT id % 7 AS label, count() AS n, sumForEach([x, y]) AS s FROM points GROUP BY label ORDER BY label"
)

// sharded starts two servers with a table of whole numbers on each, and a Distributed one.
func sharded(t *testing.T) []*clickhousetest.Server {
	t.Helper()
	servers := clickhousetest.Start(t, 2)
	for i, s := range servers {
		s.Do("CREATE TABLE part (id UInt64, x Float64, y Float64) ENGINE = MergeTree PARTITION BY tuple() ORDER BY id")
		s.Do(fmt.Sprintf("INSERT INTO part SELECT number + %d AS id, id %% 1000 AS x, intDiv(id, 3) AS y FROM numbers(%d)",
			i*rowsOfShard, rowsOfShard))
		s.Do("CREATE TABLE points AS part ENGINE = Distributed(" + clickhousetest.Cluster + ", default, part)")
	}
	return servers
}

// expected are the sums of all rows, which are whole numbers and so exact in any order.
func expected() [][]any {
	var rows [][]any
	for label := range 7 {
		var n int64
		s := []float64{0, 0}
		for id := label; id < 2*rowsOfShard; id += 7 {
			n++
			s[0] += float64(id % 1000)
			s[1] += float64(id / 3)
		}
		rows = append(rows, []any{int64(label), n, s})
	}
	return rows
}

func TestShardsAreSummedOnceEach(t *testing.T) {
	e := opened(t, sharded(t)[0].URL(""), time.Second)
	if diff := cmp.Diff(expected(), asked(t, e, sums)); diff != "" {
		t.Error(diff)
	}
}

func TestKilledServersLeaveNoPartialAnswer(t *testing.T) {
	servers := sharded(t)
	for name, killed := range map[string]*clickhousetest.Server{"the other shard": servers[1], "the one that is asked": servers[0]} {
		t.Run(name, func(t *testing.T) {
			e := opened(t, servers[0].URL(""), 500*time.Millisecond)
			killed.Kill()
			rows, err := e.Query(t.Context(), sums)
			var f *framework.Fault
			if rows != nil || !errors.As(err, &f) || f.Class != framework.Internal {
				t.Errorf("%v, %v", rows, err)
			}
			killed.Restart()
			if diff := cmp.Diff(expected(), asked(t, e, sums)); diff != "" {
				t.Error("after the restart", diff)
			}
		})
	}
}

func TestServersThatAreKilledInAStatementLeaveNoPartialAnswer(t *testing.T) {
	servers := sharded(t)
	slow := "SELECT count() AS n, sum(sleepEachRow(0.00002)) AS s FROM points" // 4 s a shard
	for name, killed := range map[string]*clickhousetest.Server{"the other shard": servers[1], "the one that is asked": servers[0]} {
		t.Run(name, func(t *testing.T) {
			e := opened(t, servers[0].URL("?max_block_size=1000&preferred_block_size_bytes=0&max_threads=1"), time.Millisecond)
			failed := make(chan error, 1)
			go func() {
				rows, err := e.Query(t.Context(), slow)
				if err == nil {
					err = fmt.Errorf("it answered %v", rows)
				}
				failed <- err
			}()
			servers[1].Until("SELECT count() FROM system.processes WHERE query LIKE '%sleepEachRow%' AND query NOT LIKE '%processes%'",
				"1", 10*time.Second)
			killed.Kill()
			var f *framework.Fault
			if err := <-failed; !errors.As(err, &f) {
				t.Error(err)
			}
			killed.Restart()
			if diff := cmp.Diff(expected(), asked(t, e, sums)); diff != "" {
				t.Error("after the restart", diff)
			}
		})
	}
}

func TestAServerThatComesBackIsWaitedFor(t *testing.T) {
	servers := sharded(t)
	e := opened(t, servers[0].URL(""), time.Minute)
	servers[0].Kill()
	answered := make(chan [][]any, 1)
	go func() {
		rows, _ := e.Query(t.Context(), sums)
		answered <- rows
	}()
	servers[0].Restart()
	if diff := cmp.Diff(expected(), <-answered); diff != "" {
		t.Error(diff)
	}
}

func TestAConnectionThatIsCutAnywhereLeavesAnErrorOrTheWholeAnswer(t *testing.T) {
	p := clickhousetest.NewProxy(t, clickhousetest.Start(t, 1)[0].Address)
	e := opened(t, p.URL(""), time.Millisecond)
	statement := "SELECT number, number / 3 AS third, [number * 0.1, 2e0] AS list FROM numbers(10)"
	want := asked(t, e, statement)
	cut, whole := 0, 0
	for at := 0; whole < 3; at++ {
		e.client.close() // the next statement has a connection of its own
		p.Cut(at, 2)
		rows, err := e.Query(t.Context(), statement)
		if err != nil {
			cut++
			continue
		}
		whole++
		if diff := cmp.Diff(want, rows); diff != "" {
			t.Fatalf("cut behind byte %d: %s", at, diff)
		}
	}
	if cut < 400 { // the answer and its headers are longer
		t.Errorf("only %d answers were cut", cut)
	}
}

func TestConnectionsThatAreLostAreMadeAgain(t *testing.T) {
	servers := sharded(t)
	p := clickhousetest.NewProxy(t, servers[0].Address)
	e := opened(t, p.URL(""), time.Minute)
	e.client.close()
	p.Cut(100, 1)
	if diff := cmp.Diff(expected(), asked(t, e, sums)); diff != "" {
		t.Error(diff)
	}
	p.Drop()
	if diff := cmp.Diff(expected(), asked(t, e, sums)); diff != "" {
		t.Error(diff)
	}
}

func TestStatementsThatWriteAreSentOnce(t *testing.T) {
	servers := sharded(t)
	p := clickhousetest.NewProxy(t, servers[0].Address)
	e := opened(t, p.URL(""), time.Minute)
	servers[0].Do("CREATE TABLE written (a UInt64) ENGINE = Log")
	p.Cut(10, 1)
	if err := e.Exec(t.Context(), "INSERT INTO written SELECT number FROM numbers(3)"); err == nil {
		t.Error("an answer that was cut is no error")
	}
	servers[0].Until("SELECT count() FROM written", "3", 5*time.Second)
	if err := e.Exec(t.Context(), "INSERT INTO written SELECT number FROM numbers(2)"); err != nil {
		t.Error(err)
	}
	if n := servers[0].Do("SELECT count() FROM written"); n != "5" {
		t.Error(n)
	}
}
