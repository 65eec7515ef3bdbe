package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// A relation becomes a matrix, with the rows in the order of their keys. The database
// has no runs: nothing was fitted yet.
func Example() {
	if err := look(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// [age spend]
	// ann [36 2.25]
	// bea [41 7.5]
	// 0 runs
}

func look(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	db, err := store.Open(ctx, filepath.Join(dir, "shop.duckdb"), store.ReadWrite)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.Exec(ctx, "CREATE TABLE customers AS FROM (VALUES ('bea', 41, 7.5), ('ann', 36, 2.25)) t(name, age, spend)"); err != nil {
		return err
	}
	table, err := db.Read(ctx, input.Spec{Relation: "SELECT * FROM customers WHERE age > 30", ID: "name"})
	if err != nil {
		return err
	}
	defer table.Close()
	fmt.Println(table.Features)
	for i := range table.Keys.Len() {
		fmt.Println(table.Keys.Text(i), table.Builder.Values().Row(i))
	}
	runs, err := db.RunNames(ctx)
	fmt.Println(len(runs), "runs")
	return err
}
