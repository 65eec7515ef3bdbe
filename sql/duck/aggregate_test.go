package duck

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// gathered is an aggregate whose value is what it was given: the number of rows, of
// NULLs, and a list of the texts. Its rows are kept in heaps.
type gathered struct {
	mu     sync.Mutex
	heap   *Heap
	groups []map[int64]bool // the groups that each has taken in, from 1
	wrong  string           // the call that fails
	reader *DB
}

func (g *gathered) fail(call string) error {
	switch g.wrong {
	case call + " panics":
		panic("out of order")
	case call:
		return errors.New("nothing works in " + call)
	}
	return nil
}

func (g *gathered) update(args Chunk, groups []*int64) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	columns := []Vector{args.Column(0), args.Column(1)}
	if g.heap == nil {
		g.heap = NewHeap(columns)
	}
	numbers := make([]int64, len(groups))
	for i, state := range groups {
		if *state == 0 {
			g.groups = append(g.groups, map[int64]bool{int64(len(g.groups) + 1): true})
			*state = int64(len(g.groups))
		}
		numbers[i] = *state
	}
	if err := g.heap.Add(numbers, columns); err != nil {
		return err
	}
	return g.fail("update")
}

func (g *gathered) combine(from, into []*int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	_ = g.fail("combine")
	for i, a := range from {
		if *into[i] == 0 {
			*into[i] = *a
		} else if *a > 0 {
			for m := range g.groups[*a-1] {
				g.groups[*into[i]-1][m] = true
			}
		}
	}
}

func (g *gathered) finish(groups []int64, out Returned) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, number := range groups {
		var texts []string
		nulls := 0
		if number > 0 {
			rows, err := g.reader.Rows(context.Background(), "SELECT g, c0 FROM "+g.heap.Relation()+" ORDER BY c0")
			if err != nil {
				return err
			}
			for _, row := range rows {
				if text, ok := row[1].(string); g.groups[number-1][row[0].(int64)] && ok {
					texts = append(texts, text)
				} else if g.groups[number-1][row[0].(int64)] {
					nulls++
				}
			}
		}
		out.Set(i, []Field{{Cell: Bigints(func(int) int { return len(texts) + nulls })}, {Cell: Integers(1, func(int) int { return nulls })},
			{List: &List{Entries: len(texts), Columns: []Cells{Texts(func(i int) string { return texts[i] })}}}, {},
			{List: &List{Entries: nulls, Columns: []Cells{Bigints(func(i int) int { return i }), Nulls}}}})
	}
	return g.fail("finish")
}

func registered(t *testing.T) (*DB, *gathered) {
	t.Helper()
	db, g := memory(t), &gathered{reader: memory(t)}
	must.Do(t, g.reader.ReadHeaps())
	value := "STRUCT(n BIGINT, nulls INTEGER, texts VARCHAR[], none DOUBLE[], places STRUCT(i BIGINT, z DOUBLE)[])"
	must.Do(t, db.Register(Aggregate{Name: "gathered", Update: g.update, Combine: g.combine, Finish: g.finish,
		Overloads: []Overload{{[]string{"VARCHAR", "ANY"}, value}}}))
	t.Cleanup(func() {
		if g.heap != nil {
			g.heap.Drop()
		}
	})
	return db, g
}

// The counts and texts are DuckDB's own.
func TestAnAggregateIsGivenEachRowOnce(t *testing.T) {
	for name, text := range map[string]string{
		"few groups":  "i % 3 AS g, if(i % 7 = 0, NULL, repeat('text ', i % 5) || i) AS x FROM range(7000) r(i)",
		"no group":    "1 AS g, if(i = 63, NULL, 'x' || i) AS x FROM range(2049) r(i)",
		"a long text": "i AS g, repeat('x', 1000000) || i AS x FROM range(3) r(i)",
		"nothing":     "1 AS g, 'x' AS x FROM range(9) r(i) WHERE i > 8",
	} {
		db, _ := registered(t)
		must.Do(t, db.Exec(t.Context(), "SET threads = 4; CREATE TABLE t AS SELECT "+text))
		for _, statement := range []string{
			"SELECT count(*) FROM (SELECT g, gathered(x, [{a: x}]) AS v, count(*) AS n, count(*) - count(x) AS z, list_sort(list(x) FILTER (x " +
				"IS NOT NULL)) AS l FROM t GROUP BY g) WHERE v.n <> n OR v.nulls IS DISTINCT FROM nullif(z, 0) OR v.texts IS DISTINCT FROM l OR " +
				"v.none IS NOT NULL OR v.places::VARCHAR <> list_transform(range(z), lambda i: {i: i, z: NULL})::VARCHAR",
			"SELECT v.n - (SELECT count(*) FROM t WHERE g < 2) FROM (SELECT gathered(x, [{a: x}]) FILTER (g < 2) AS v FROM t)",
		} {
			rows := must.Get(db.Rows(t.Context(), statement))(t)
			if got := fmt.Sprint(rows); got != "[[0]]" {
				t.Errorf("%s: %s: %s", name, statement, got)
			}
		}
	}
}

func TestWhatAnAggregateFailsInEndsTheStatementAlone(t *testing.T) {
	db, g := registered(t)
	// more than one thread reads
	must.Do(t, db.Exec(t.Context(), "SET threads = 4; CREATE TABLE t AS SELECT i AS g, 'x' || i AS x FROM range(130000) r(i)"))
	for _, g.wrong = range []string{"update", "update panics", "combine panics", "finish", "finish panics"} {
		call, _, panics := strings.Cut(g.wrong, " ")
		want := map[bool]string{false: "nothing works in " + call, true: "internal error: out of order"}[panics]
		if _, err := db.Rows(t.Context(), "SELECT gathered(x, [{a: x}]).n FROM t"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", g.wrong, err)
		}
	}
	g.wrong = ""
	must.Get(db.Rows(t.Context(), "SELECT gathered(x, [{a: x}]).n FROM t LIMIT 1"))(t)
}

// What is added after a query was made is none of its rows, and rows that are dropped
// are gone.
func TestAHeapIsReadAsItWas(t *testing.T) {
	db := memory(t, "CREATE TABLE t AS SELECT i, 'text number ' || i AS x FROM range(5000) r(i)")
	must.Do(t, db.ReadHeaps())
	var h *Heap
	var before []string
	source := memory(t, "CREATE TABLE t AS SELECT i, if(i % 3 = 0, NULL, 'text number ' || i) AS x, [i] AS l FROM range(5000) r(i)")
	must.Do(t, source.Stream(t.Context(), "FROM t", func(c Chunk) error {
		columns := []Vector{c.Column(0), c.Column(1), c.Column(2)}
		if h == nil {
			h = NewHeap(columns)
		}
		before = append(before, h.Relation())
		must.Do(t, h.Add(make([]int64, c.Rows), columns))
		must.Do(t, h.AddOne(7, columns, c.Rows-1))
		return nil
	}))
	for i, relation := range append(before, h.Relation()) {
		n := must.Get(db.Rows(t.Context(),
			"SELECT count(*), count(g), count(c0), count(c1), sum(g), sum(c2[1] - c0), count(*) FROM "+relation))(t)
		if want := min(i*ChunkRows, 5000) + i; n[0][0] != int64(want) || n[0][1] != int64(want) || i > 0 && n[0][5] != "0" {
			t.Errorf("%s: %v, want %d rows", relation, n, want)
		}
	}
	h.Drop()
	h.Drop()
	if _, err := db.Rows(t.Context(), "FROM "+before[1]); err == nil || !strings.Contains(err.Error(), "these rows are gone") {
		t.Error(err)
	}
}
