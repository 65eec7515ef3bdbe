//go:build duckdb_extension

// Extension is the loadable extension of DuckDB: LOAD sqlcluster gives every client the
// functions of package functions.
//
// It is a shared library of C that has one function (init.c), which DuckDB calls with a
// table of its own functions. The bindings find them by the names that they have in
// DuckDB's library (forward.c), so that everything below is the same code as in the
// command, and nothing of DuckDB is linked. Only the part of the table that DuckDB keeps
// stable is used: one file serves all versions from 1.2 on.
//
// It is built by make extension, with the tags duckdb_extension and duckdb_use_static_lib.
package main

/*
#include <stdlib.h>
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/version"
	"github.com/sqlcluster/sqlcluster/plugins"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/functions"
	"github.com/sqlcluster/sqlcluster/sql/library"
)

func main() {} // of a library, which nobody calls

func init() { means.UseBestKernel() } // the environment is that of another program

// catalogue is where every connection finds the functions: sqlcluster.cluster_fit.
const catalogue = "sqlcluster"

// program ends with the program.
var program, leave = context.WithCancel(context.Background())

//export sqlclusterLoad
func sqlclusterLoad(connection unsafe.Pointer) (failed *C.char) {
	defer func() {
		if r := recover(); r != nil {
			failed = C.CString(fmt.Sprintf("sqlcluster: internal error: %v", r))
		}
	}()
	if err := load(duck.On(connection)); err != nil {
		return C.CString("sqlcluster: " + err.Error())
	}
	return nil
}

func load(db *duck.DB) error {
	if err := db.Exec(program, "ATTACH ':memory:' AS "+catalogue+" (READ_WRITE)"); err != nil {
		return fmt.Errorf("the functions need the name %s for a catalogue of their own: %w\n"+
			"hint: a database of yours can have another name: ATTACH 'FILE' AS NAME in a session that has loaded the extension", catalogue, err)
	}
	err := functions.AddTo(program, db, catalogue, algorithms())
	if err != nil {
		err = errors.Join(err, db.Exec(program, "DETACH "+catalogue))
	}
	return err
}

//export sqlclusterLeave
func sqlclusterLeave() {
	defer func() { _ = recover() }() // the program ends
	leave()
	functions.Wait(time.Second)
}

// algorithms are those that come with sqlcluster, in this process: starting others from
// within another program is not safe.
func algorithms() library.Library {
	l := library.Library{Version: version.Current().Name}
	for _, b := range plugins.BuiltIns() {
		here := fit.Here(b.Algorithms...)
		for _, a := range b.Algorithms {
			l.Algorithms = append(l.Algorithms, library.Algorithm{Description: a.Describe(), Plugin: b.Name, Local: a,
				Host: func(context.Context) (fit.Host, error) { return here, nil }})
		}
	}
	return l
}
