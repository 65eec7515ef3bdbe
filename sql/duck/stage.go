package duck

import (
	"context"
	"fmt"
	"strings"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A Stage is a table that takes vectors of another database, as they are. Its first
// column g has a number for each row, and the others are called c0, c1, ...
type Stage struct {
	db       *DB
	name     string
	appender bindings.Appender
	chunk    bindings.DataChunk
}

// NewStage makes a table with columns of these types, written as SQL.
func (db *DB) NewStage(ctx context.Context, name string, types []string) (*Stage, error) {
	columns := []string{"g BIGINT"}
	for i, t := range types {
		columns = append(columns, fmt.Sprintf("c%d %s", i, t))
	}
	if err := db.Exec(ctx, "CREATE TABLE "+schema.Quote(name)+" ("+strings.Join(columns, ", ")+")"); err != nil {
		return nil, err
	}
	s := &Stage{db: db, name: name}
	return s, db.locked(ctx, func() error {
		if bindings.AppenderCreateExt(db.conn, "", "", name, &s.appender) == bindings.StateError {
			return s.failure()
		}
		all := make([]bindings.LogicalType, len(columns))
		for i := range all {
			all[i] = bindings.AppenderColumnType(s.appender, bindings.IdxT(i))
			defer bindings.DestroyLogicalType(&all[i])
		}
		s.chunk = bindings.CreateDataChunk(all)
		return nil
	})
}

func (s *Stage) failure() error { return Error(bindings.AppenderError(s.appender)) }

// Append appends the rows of vectors, with a number for each row.
func (s *Stage) Append(ctx context.Context, numbers []int64, columns []Vector) error {
	return s.append(ctx, numbers, func(i int) {
		bindings.VectorReferenceVector(bindings.DataChunkGetVector(s.chunk, bindings.IdxT(i+1)), columns[i].handle)
	}, len(columns))
}

// AppendOne appends one row, of which column i is entry at of a vector.
func (s *Stage) AppendOne(ctx context.Context, number int64, columns []Vector, at int) error {
	one := bindings.CreateSelectionVector(1)
	defer bindings.DestroySelectionVector(&one)
	*bindings.SelectionVectorGetDataPtr(one) = bindings.SelT(at)
	return s.append(ctx, []int64{number}, func(i int) {
		bindings.VectorCopySel(columns[i].handle, bindings.DataChunkGetVector(s.chunk, bindings.IdxT(i+1)), one, 1, 0, 0)
	}, len(columns))
}

func (s *Stage) append(ctx context.Context, numbers []int64, fill func(i int), columns int) error {
	return s.db.locked(ctx, func() error {
		bindings.DataChunkReset(s.chunk)
		Fixed(func(i int) (int64, bool) { return numbers[i], true })(
			targetAt(bindings.DataChunkGetVector(s.chunk, 0), 0, len(numbers)), 0, len(numbers))
		for i := range columns {
			fill(i)
		}
		bindings.DataChunkSetSize(s.chunk, bindings.IdxT(len(numbers)))
		if bindings.AppendDataChunk(s.appender, s.chunk) == bindings.StateError {
			return s.failure()
		}
		return nil
	})
}

// Flush makes what has been appended visible to queries.
func (s *Stage) Flush(ctx context.Context) error {
	return s.db.locked(ctx, func() error {
		if bindings.AppenderFlush(s.appender) == bindings.StateError {
			return s.failure()
		}
		return nil
	})
}

// Drop removes the table with its rows.
func (s *Stage) Drop() error {
	ctx := context.Background()
	_ = s.db.locked(ctx, func() error {
		bindings.DestroyDataChunk(&s.chunk)
		bindings.AppenderClear(s.appender) // or else destroying it would write the rest
		bindings.AppenderDestroy(&s.appender)
		return nil
	})
	return s.db.Exec(ctx, "DROP TABLE IF EXISTS "+schema.Quote(s.name))
}
