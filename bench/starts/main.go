// Starts compares the units in which starts are made: the flag --init-space.
//
//	go run ./bench/starts [-drop A,B] [-seeds N] [-draws N] [-csv FILE] [KIND=]FILE.csv...
//
// Its README describes the experiment and the results.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "starts:", err)
		os.Exit(1)
	}
}

func run() error {
	drop := flag.String("drop", "id,class", "columns to leave out, with commas")
	seeds := flag.Int("seeds", 3, "seeds for each data set; one for those of more than 100 000 cells")
	draws := flag.Int("draws", 3, "data sets of each made-up kind")
	out := flag.String("csv", "", "file for the objectives of all cases")
	flag.Parse()
	var all []dataset
	for _, argument := range flag.Args() {
		kind, path, named := strings.Cut(argument, "=")
		if !named {
			kind, path = "measured", argument
		}
		d, err := readCSV(path, strings.Split(*drop, ","))
		if err != nil {
			return err
		}
		d.kind = kind
		all = append(all, d)
	}
	all = append(all, madeUp(*draws)...)
	var cases []comparison
	for _, d := range all {
		of, err := d.compare(context.Background(), *seeds)
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
		cases = append(cases, of...)
		fmt.Fprintf(os.Stderr, "%s: %d rows, %d columns, %d cases\n", d.name, len(d.rows), len(d.rows[0]), len(of))
	}
	if *out != "" {
		if err := writeCSV(*out, cases); err != nil {
			return err
		}
	}
	for _, by := range []struct {
		title string
		key   func(comparison) string
	}{
		{"kind of data", func(c comparison) string { return c.kind }},
		{"data", func(c comparison) string { return c.data }},
		{"algorithm", func(c comparison) string { return c.algorithm }},
		{"k", func(c comparison) string { return fmt.Sprintf("%2d", c.k) }},
		{"all", func(comparison) string { return "all" }},
	} {
		printTable(by.title, cases, by.key)
	}
	return nil
}

// compare runs the fits of a data set.
func (d dataset) compare(ctx context.Context, seeds int) ([]comparison, error) {
	rows, p, err := d.standardised()
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	large := p.N*p.P > 100_000
	if large {
		seeds = 1
	}
	var all []comparison
	for _, a := range algorithms(p.P) {
		if large && p.P > 1000 && a.name != "kmeans" && !strings.HasPrefix(a.name, "skfr") {
			continue
		}
		for _, k := range []int{2, 3, 5, 8, 12} {
			for seed := range seeds {
				p.K, p.Seed = k, uint64(seed+1)
				c, err := a.compare(ctx, p, rows)
				if f := framework.AsFault(err); f != nil && (f.Code == "missing-values" || f.Code == "too-few-rows") {
					continue
				}
				if err != nil {
					return nil, errors.Join(fmt.Errorf("%s, k = %d", a.name, k), err)
				}
				c.kind, c.data = d.kind, d.name
				all = append(all, c)
			}
		}
	}
	return all, nil
}
