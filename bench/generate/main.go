// Generate writes the designs of docs/performance.md to files: a DuckDB database for
// sqlcluster, and .npy files for the programs with which it is compared. A design
// has the same bits on every machine.
//
//	go run ./bench/generate -dir DIR [-mnist FILE] [-table-only] DESIGN…
//
// DIR/NAME.duckdb has the tables rows (id, x1, …), start (cluster, feature,
// center) and labels (id, cluster); DIR/NAME.npy the rows, NAME.start.npy the
// k centers of the start, and NAME.labels.npy its labels.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run() error {
	dir := flag.String("dir", ".", "directory to write to")
	mnist := flag.String("mnist", "", "train-images-idx3-ubyte of MNIST, unpacked, as design D")
	tableOnly := flag.Bool("table-only", false, "write no .npy files")
	flag.Parse()
	if flag.NArg() == 0 {
		return errors.New("which designs? " + strings.Join(names(), ", ") + ", or ROWSxCOLUMNSxK")
	}
	if err := os.MkdirAll(*dir, 0o755); err != nil {
		return err
	}
	for _, name := range flag.Args() {
		d, err := find(name)
		if err != nil {
			return err
		}
		if d.name == "D" && *mnist != "" {
			if d, err = fromMNIST(*mnist); err != nil {
				return err
			}
		}
		if err := write(d, filepath.Join(*dir, d.name), *tableOnly); err != nil {
			return fmt.Errorf("design %s: %w", d.name, err)
		}
		fmt.Printf("%s: %d × %d, k %d\n", d.name, d.n, d.p, d.k)
	}
	return nil
}

// write writes one design. Rows are drawn again for each file, and never held all at
// once.
func write(d design, base string, tableOnly bool) error {
	s := newStart(d)
	if err := writeDatabase(d, s, base+".duckdb"); err != nil {
		return err
	}
	if tableOnly {
		return nil
	}
	if err := writeNumbers(base+".start.npy", d.k, d.p, func(i int, row []float64) { copy(row, s.centers[i*d.p:]) }); err != nil {
		return err
	}
	if err := writeNumbers(base+".labels.npy", d.n, 1, func(i int, row []float64) { row[0] = float64(s.labels[i]) }); err != nil {
		return err
	}
	return writeNumbers(base+".npy", d.n, d.p, d.rows())
}
