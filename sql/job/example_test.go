package job_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/settings"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// A query of DuckDB in, result tables in a database out.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	check(err)
	defer func() { _ = os.RemoveAll(dir) }()
	db, err := store.Open(ctx, filepath.Join(dir, "shop.duckdb"), store.ReadWrite)
	check(err)
	defer func() { _ = db.Close() }()

	s := settings.Defaults()
	s.Relation = "SELECT i AS id, i % 2 * 10 + i / 100 AS spent, i % 3 AS visits FROM range(12) t(i)"
	s.ID, s.K, s.Algorithm = "id", 2, "skfr"
	s.Params = map[string]settings.Given{"sparsity": {Value: "1"}}
	j, err := job.New(s, library.Here(skfr.Algorithms()...))
	check(err)
	defer j.Close()
	check(j.Read(ctx, db, nil))
	fitted, err := j.Fit(ctx, nil)
	check(err)
	tables, err := j.Tables(fitted)
	check(err)
	check(db.Write(ctx, "segments", false, tables))

	runs, err := db.RunNames(ctx)
	check(err)
	fmt.Println(j.Size(), runs)
	for _, f := range tables.Features {
		fmt.Println(f.Feature, *f.Selected)
	}
	// Output:
	// 12 rows, 2 features, 2 clusters [segments]
	// spent true
	// visits false
}

// rows are a Source that needs no database. Its other methods, of the Source that it
// embeds, are for settings that name other relations.
type rows struct {
	job.Source
	sizesAndPrices [][]float64
}

func (r rows) Read(context.Context, input.Spec) (*input.Table, error) {
	names := []string{"size", "price"}
	x := framework.NewMatrix(len(r.sizesAndPrices), len(names))
	for i, row := range r.sizesAndPrices {
		copy(x.Row(i), row)
	}
	b, err := matrix.BuilderOf(x, nil, matrix.Options{})
	return &input.Table{Features: names, Builder: b, Sources: []matrix.Source{{Name: names[0]}, {Name: names[1]}},
		Keys: input.Numbered(x.Rows), KeyName: input.RowNumber, Missing: make([]int, len(names))}, err
}

func ExampleJob_Fit() {
	ctx := context.Background()
	s := settings.Defaults()
	s.K = 2
	j, err := job.New(s, library.Here(skfr.Algorithms()...))
	check(err)
	defer j.Close()
	check(j.Read(ctx, rows{sizesAndPrices: [][]float64{{1, 10}, {2, 11}, {1, 12}, {8, 90}, {9, 91}}}, nil))
	fitted, err := j.Fit(ctx, nil)
	check(err)
	tables, err := j.Tables(fitted)
	check(err)
	for _, c := range tables.Centers {
		fmt.Printf("cluster %d: %s %.2f\n", c.Cluster, c.Feature, c.Center)
	}
	// Output:
	// cluster 0: size 1.33
	// cluster 0: price 11.00
	// cluster 1: size 8.50
	// cluster 1: price 90.50
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
