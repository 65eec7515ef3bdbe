package session_test

import (
	"context"
	"fmt"
	"log"

	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/session"
)

// Statements run one after the other, and rows come as DuckDB makes them.
func Example() {
	ctx := context.Background()
	s, err := session.Open(ctx, "", session.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	done, err := s.Run(ctx, "CREATE TABLE t AS SELECT i, [i, i * i] AS squares FROM range(3) r(i)", nil)
	fmt.Println(done.Rows, err)
	_, err = s.Run(ctx, "FROM t", func(r duck.Result) error {
		fmt.Println(r.Columns)
		return r.Each(func(row []any) error {
			fmt.Println(row...)
			return nil
		})
	})
	fmt.Println(err)
	// Output:
	// 3 <nil>
	// [i squares]
	// 0 [0, 0]
	// 1 [1, 1]
	// 2 [2, 4]
	// <nil>
}
