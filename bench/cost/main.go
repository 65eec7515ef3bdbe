// Command cost fits what an iteration costs to the times that bench/engine has measured
// (measured.tsv), shows how far they are from it, and extends it to more rows and servers.
//
//	go run ./bench/cost [measured.tsv]
package main

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strconv"
	"strings"
)

//go:embed measured.tsv
var measured string

// A line is a measurement.
type line struct {
	engine              string
	servers, rows, p, k float64
	cpu                 float64 // seconds of processors, of all servers, for an iteration
}

func main() {
	log.SetFlags(0)
	text := measured
	if len(os.Args) > 1 {
		b, err := os.ReadFile(os.Args[1])
		if err != nil {
			log.Fatal(err)
		}
		text = string(b)
	}
	lines, err := parse(strings.NewReader(text))
	if err != nil {
		log.Fatal(err)
	}
	var engines []string
	for _, l := range lines {
		if !slices.Contains(engines, l.engine) {
			engines = append(engines, l.engine)
		}
	}
	for _, e := range engines {
		var of []line
		for _, l := range lines {
			if l.engine == e {
				of = append(of, l)
			}
		}
		m := fitted(of)
		fmt.Printf("%s: processor seconds of an iteration =\n%s\n", e, m)
		fmt.Println(residuals(m, of))
		fmt.Println(extended(m, e))
	}
}

// parse reads the lines that bench/engine prints, below their heading.
func parse(r io.Reader) ([]line, error) {
	c := csv.NewReader(r)
	c.Comma, c.Comment = '\t', '#'
	rows, err := c.ReadAll()
	if err != nil {
		return nil, err
	}
	var lines []line
	for _, row := range rows[1:] {
		v := make([]float64, len(row))
		for i, text := range row[1:] {
			if v[i+1], err = strconv.ParseFloat(text, 64); err != nil {
				return nil, fmt.Errorf("%v: %w", row, err)
			}
		}
		at := func(name string) float64 { return v[slices.Index(rows[0], name)] }
		lines = append(lines, line{engine: row[0], servers: at("servers"), rows: at("rows"), p: at("features"), k: at("k"),
			cpu: at("iteration_cpu")})
	}
	return lines, nil
}
