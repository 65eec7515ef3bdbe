package store

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

func TestWriteCancelledBetweenChunksLeavesNothing(t *testing.T) {
	db := memory(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a := result.Assignments{KeyName: input.RowNumber, Keys: input.Numbered(3 * duck.ChunkRows)}
	n, columns := assignmentCells(a)
	columns["cluster"] = duck.Integers(0, func(i int) int {
		if i == duck.ChunkRows { // the second of three chunks
			cancel()
		}
		return 0
	})
	tables := []newTable{{result: schema.Assignments, name: "labels", rows: n, columns: columns}}
	err := db.create(ctx, "main", tables, tables, false, keyed{name: a.KeyName, typ: a.Keys.Type()})
	if !sqltest.IsCancelled(err) {
		t.Error(sqltest.Explain(err))
	}
	if n := tableCount(t, db); n != 0 {
		t.Errorf("%d tables", n)
	}
	write(t, db, "iris", false, sample()) // the connection is usable
}

// A cancelledAt context is cancelled from the given look at it on.
type cancelledAt struct {
	context.Context
	look  int64
	looks *atomic.Int64
}

func (c cancelledAt) Err() error {
	if c.looks.Add(1) >= c.look {
		return context.Canceled
	}
	return nil
}

func TestWriteIsCancelledExactlyIfNothingWasWritten(t *testing.T) {
	db := memory(t)
	for look := int64(1); ; look++ {
		ctx := cancelledAt{t.Context(), look, new(atomic.Int64)}
		err := db.Write(ctx, "iris", false, sample())
		n := tableCount(t, db) // the connection is usable
		switch {
		case err == nil && n != len(schema.OfFit()):
			t.Fatalf("cancelled at look %d: no error, but %d tables", look, n)
		case err != nil && (n != 0 || !sqltest.IsCancelled(err)):
			t.Fatalf("cancelled at look %d: %s, and %d tables", look, sqltest.Explain(err), n)
		}
		if ctx.looks.Load() < look {
			return // no look was the last
		}
		if err == nil { // cancelled after the commit
			must.Get(db.Drop(t.Context(), "iris"))(t)
		}
	}
}
