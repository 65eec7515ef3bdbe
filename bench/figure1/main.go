// Figure1 repeats the experiment of figure 1 of Vouros and Vasilaki (2020), A
// semi-supervised sparse k-means algorithm, https://arxiv.org/abs/2003.06973, on
// two of its data sets, and compares the scores with those of the reference.
//
//	go run ./bench/figure1 [-runs N] [-only fisheriris|ionosphere] [-workers N]
//
// Its README describes the experiment and the results.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "figure1:", err)
		os.Exit(1)
	}
}

func run() error {
	data := flag.String("data", "plugins/pcskm/testdata/reference/_data", "directory of the data sets")
	reference := flag.String("reference", "bench/figure1/testdata", "directory of the reference's scores")
	only := flag.String("only", "", "data set: fisheriris or ionosphere; both if empty")
	runs := flag.Int("runs", 0, "draws of pairs for each fold; 0: as many as the reference")
	seed := flag.Uint64("seed", 1, "of the folds and the pairs")
	workers := flag.Int("workers", runtime.NumCPU(), "fits at the same time; changes no result")
	flag.Parse()
	outside, all := 0, 0
	for _, name := range []string{"fisheriris", "ionosphere"} {
		if *only != "" && *only != name {
			continue
		}
		points, err := readReference(*reference + "/figure1_" + name + ".csv")
		if err != nil {
			return err
		}
		d, err := readDataset(*data+"/"+name, *seed)
		if err != nil {
			return err
		}
		fmt.Printf("\n## %s\n\n%s\n", name, tableHead)
		for _, p := range points {
			if *runs > 0 {
				p.runs = *runs
			}
			scores, err := d.experiment(context.Background(), p.setting, *workers)
			if err != nil {
				return err
			}
			for _, c := range compare(p, scores) {
				fmt.Println(c)
				all++
				if !c.within() {
					outside++
				}
			}
		}
	}
	fmt.Printf("\n%d of %d scores are within two standard errors.\n", all-outside, all)
	return nil
}
