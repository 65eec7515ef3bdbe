package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// writeNumbers writes an .npy file of version 1: little-endian doubles in C
// order.
func writeNumbers(path string, rows, cols int, fill func(i int, row []float64)) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", rows, cols)
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	if _, err := fmt.Fprintf(w, "\x93NUMPY\x01\x00%c%c%s", byte(len(header)), byte(len(header)>>8), header); err != nil {
		return err
	}
	row, cells := make([]float64, cols), make([]byte, 8*cols)
	for i := range rows {
		fill(i, row)
		for l, v := range row {
			binary.LittleEndian.PutUint64(cells[8*l:], math.Float64bits(v))
		}
		if _, err := w.Write(cells); err != nil {
			return err
		}
	}
	return w.Flush()
}

// writeDatabase writes a database, replacing any that is there.
func writeDatabase(d design, s start, path string) error {
	for _, old := range []string{path, path + ".wal"} {
		if err := os.Remove(old); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	var db bindings.Database
	var conn bindings.Connection
	if bindings.Open(path, &db) == bindings.StateError || bindings.Connect(db, &conn) == bindings.StateError {
		return errors.New("cannot make " + path)
	}
	defer bindings.Close(&db)
	defer bindings.Disconnect(&conn)

	columns := []string{"id BIGINT"}
	for l := range d.p {
		columns = append(columns, fmt.Sprintf("x%d DOUBLE", l+1))
	}
	next := d.rows()
	row := make([]float64, d.p)
	err := table(conn, "rows", columns, d.n, func(i int, set func(column int, v any)) {
		next(i, row)
		set(0, int64(i))
		for l, v := range row {
			set(1+l, v)
		}
	})
	if err != nil {
		return err
	}
	err = table(conn, "labels", []string{"id BIGINT", "cluster BIGINT"}, d.n, func(i int, set func(int, any)) {
		set(0, int64(i))
		set(1, int64(s.labels[i]))
	})
	if err != nil {
		return err
	}
	err = table(conn, "start_numbers", []string{"cluster BIGINT", "number BIGINT", "center DOUBLE"}, d.k*d.p, func(i int, set func(int, any)) {
		set(0, int64(i/d.p))
		set(1, int64(i%d.p+1))
		set(2, s.centers[i])
	})
	if err != nil {
		return err
	}
	return execute(conn, `CREATE TABLE start AS SELECT cluster, 'x' || number AS feature, center FROM start_numbers;
		DROP TABLE start_numbers; CHECKPOINT`)
}

func execute(conn bindings.Connection, sql string) error {
	var result bindings.Result
	defer bindings.DestroyResult(&result)
	if bindings.Query(conn, sql, &result) == bindings.StateError {
		return errors.New(bindings.ResultError(&result))
	}
	return nil
}

// chunkRows is the size of DuckDB's chunks.
const chunkRows = 2048

// table creates a table of BIGINT and DOUBLE columns and appends n rows.
func table(conn bindings.Connection, name string, columns []string, n int, fill func(i int, set func(column int, v any))) error {
	if err := execute(conn, fmt.Sprintf("CREATE TABLE %s (%s)", name, strings.Join(columns, ", "))); err != nil {
		return err
	}
	var appender bindings.Appender
	defer bindings.AppenderDestroy(&appender)
	if bindings.AppenderCreate(conn, "", name, &appender) == bindings.StateError {
		return errors.New(bindings.AppenderError(appender))
	}
	types := make([]bindings.LogicalType, len(columns))
	for i := range types {
		types[i] = bindings.AppenderColumnType(appender, bindings.IdxT(i))
		defer bindings.DestroyLogicalType(&types[i])
	}
	chunk := bindings.CreateDataChunk(types)
	defer bindings.DestroyDataChunk(&chunk)
	cells := make([]unsafe.Pointer, len(columns))
	for from := 0; from < n; from += chunkRows {
		bindings.DataChunkReset(chunk)
		for l := range cells {
			cells[l] = bindings.VectorGetData(bindings.DataChunkGetVector(chunk, bindings.IdxT(l)))
		}
		rows := min(chunkRows, n-from)
		for i := range rows {
			fill(from+i, func(column int, v any) {
				at := unsafe.Add(cells[column], 8*i)
				switch v := v.(type) {
				case int64:
					*(*int64)(at) = v
				case float64:
					*(*float64)(at) = v
				}
			})
		}
		bindings.DataChunkSetSize(chunk, bindings.IdxT(rows))
		if bindings.AppendDataChunk(appender, chunk) == bindings.StateError {
			return errors.New(bindings.AppenderError(appender))
		}
	}
	if bindings.AppenderFlush(appender) == bindings.StateError {
		return errors.New(bindings.AppenderError(appender))
	}
	return nil
}
