package main

import (
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

const printed = `goos: linux
BenchmarkNearest/kernel=avx2/s=10/k=10-2      	     100	      1200 ns/op	        20.00 GFLOP/s
BenchmarkNearest/kernel=avx2/s=10/k=10-2      	     100	      1000 ns/op	        24.00 GFLOP/s
BenchmarkNearest/kernel=portable/s=10/k=10-2  	     100	      4000 ns/op	         6.00 GFLOP/s
BenchmarkRead-2                               	       3	      9000 ns/op	         1.20 time-ratio
BenchmarkRead-2                               	       3	      9000 ns/op	         1.40 time-ratio
BenchmarkRead-2                               	       3	      9000 ns/op	         0.70 time-ratio
PASS
`

func TestRatiosAreOfTheBestOfEachAndOtherwiseTheMedian(t *testing.T) {
	all := readRuns("./k", []byte(printed))
	for name, c := range map[string]struct {
		ratio ratio
		want  float64 // from the lines above; NaN: it is not there
	}{
		"a rate": {ratio{pkg: "./k", above: number{"BenchmarkNearest/kernel=avx2/s=10/k=10", "GFLOP/s"},
			below: number{"BenchmarkNearest/kernel=portable/s=10/k=10", "GFLOP/s"}}, 4},
		"times": {ratio{pkg: "./k", above: number{"BenchmarkNearest/kernel=portable/s=10/k=10", "ns/op"},
			below: number{"BenchmarkNearest/kernel=avx2/s=10/k=10", "ns/op"}}, 4},
		"one number": {ratio{pkg: "./k", above: number{"BenchmarkRead", "time-ratio"}}, 1.2},
		"another kernel": {ratio{pkg: "./k", above: number{"BenchmarkNearest/kernel=neon/s=10/k=10", "GFLOP/s"},
			below: number{"BenchmarkNearest/kernel=portable/s=10/k=10", "GFLOP/s"}}, math.NaN()},
		"another package": {ratio{pkg: "./other", above: number{"BenchmarkRead", "time-ratio"}}, math.NaN()},
	} {
		got, found := c.ratio.measure(all)
		if found == math.IsNaN(c.want) || found && math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v (%v), and not %v", name, got, found, c.want)
		}
	}
}

func TestARatioIsWorseInTheDirectionThatIsNotBetter(t *testing.T) {
	for _, c := range []struct {
		better string
		now    float64
		worse  bool
	}{{"high", 3.1, false}, {"high", 2.9, true}, {"high", 9, false}, {"low", 5.2, false}, {"low", 5.5, true}, {"low", 1, false}} {
		if r := (ratio{better: c.better, stored: 4}); r.isWorse(c.now, 0.25) != c.worse { // 3 and 5.33 are the limits
			t.Errorf("%s: %v after 4", c.better, c.now)
		}
	}
}

func TestTheStoredRatiosAreReadAndWrittenAsTheyAre(t *testing.T) {
	file := must.Get(os.ReadFile("ratios.tsv"))(t)
	ratios := must.Get(parse(file))(t)
	if len(ratios) < 10 {
		t.Errorf("only %d ratios", len(ratios))
	}
	if diff := cmp.Diff(string(file), string(format(ratios))); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"a\tb", "a\tb\tc\td\te\tf\tup\t1", "a\tb\tc\td\te\tf\tlow\tx"} {
		if _, err := parse([]byte(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}
