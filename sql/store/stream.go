package store

import (
	"context"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/sqlcluster/sqlcluster/framework"
)

// vectorSize is the largest number of rows in a chunk of DuckDB.
const vectorSize = 2048

// A chunk is some rows of a streamed result; it is valid during one callback.
type chunk struct {
	rows int
	raw  bindings.DataChunk
}

// stream runs a query and calls each chunk of its result. DuckDB computes
// further chunks while one is handled, and holds few of them. A stream that
// ends early, because memory ran out, say, looks like one that is complete: only
// the error of the result tells, and it is checked.
func (db *DB) stream(ctx context.Context, query string, each func(chunk) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var conn bindings.Connection
	if bindings.Connect(db.raw, &conn) == bindings.StateError {
		return framework.Faultf(framework.Internal, "database", "cannot connect to DuckDB")
	}
	defer bindings.Disconnect(&conn)
	stop := context.AfterFunc(ctx, func() { bindings.Interrupt(conn) })
	defer stop()
	fault := func(text string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return duckFault(framework.Data, "read-failed", "reading the relation failed", text)
	}

	var statement bindings.PreparedStatement
	defer bindings.DestroyPrepare(&statement)
	if bindings.Prepare(conn, query, &statement) == bindings.StateError {
		return fault(bindings.PrepareError(statement))
	}
	var pending bindings.PendingResult
	defer bindings.DestroyPending(&pending)
	if bindings.PendingPreparedStreaming(statement, &pending) == bindings.StateError {
		return fault(bindings.PendingError(pending))
	}
	var result bindings.Result
	defer bindings.DestroyResult(&result)
	if bindings.ExecutePending(pending, &result) == bindings.StateError {
		return fault(bindings.ResultError(&result))
	}
	for {
		raw := bindings.FetchChunk(result)
		if raw.Ptr == nil {
			break
		}
		rows := int(bindings.DataChunkGetSize(raw))
		var err error
		if rows > 0 {
			err = each(chunk{rows, raw})
		}
		bindings.DestroyDataChunk(&raw)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || rows == 0 {
			if err != nil {
				return err
			}
			break
		}
	}
	if text := bindings.ResultError(&result); text != "" {
		return fault(text)
	}
	return ctx.Err()
}

// doubles returns a DOUBLE column, and its validity mask (nil: no NULLs).
func (c chunk) doubles(column int) ([]float64, unsafe.Pointer) {
	v := bindings.DataChunkGetVector(c.raw, bindings.IdxT(column))
	return unsafe.Slice((*float64)(bindings.VectorGetData(v)), c.rows), bindings.VectorGetValidity(v)
}

// integers returns a BIGINT column.
func (c chunk) integers(column int) ([]int64, unsafe.Pointer) {
	v := bindings.DataChunkGetVector(c.raw, bindings.IdxT(column))
	return unsafe.Slice((*int64)(bindings.VectorGetData(v)), c.rows), bindings.VectorGetValidity(v)
}

// texts appends a VARCHAR column to dst; NULL becomes "".
func (c chunk) texts(dst []string, column int) ([]string, unsafe.Pointer) {
	v := bindings.DataChunkGetVector(c.raw, bindings.IdxT(column))
	mask := bindings.VectorGetValidity(v)
	data := unsafe.Slice((*bindings.StringT)(bindings.VectorGetData(v)), c.rows)
	for i := range data {
		if isNull(mask, i) {
			dst = append(dst, "")
			continue
		}
		dst = append(dst, bindings.StringTData(&data[i]))
	}
	return dst, mask
}

// isNull looks a row up in a validity mask.
func isNull(mask unsafe.Pointer, row int) bool {
	if mask == nil {
		return false
	}
	words := (*[vectorSize / 64]uint64)(mask)
	return words[row/64]>>(row%64)&1 == 0
}
