package seeding_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

var update = flag.Bool("update", false, "rewrite testdata/labels.golden")

// TestLabelsGolden holds labels to the bits of the first version of each method
// (for kmeans++ and maximin one plain chain of fused operations for each row and
// chosen row), with every kernel. A line is the case and the FNV-1a hash of its
// labels.
func TestLabelsGolden(t *testing.T) {
	const path = "testdata/labels.golden"
	if *update {
		must.Do(t, os.WriteFile(path, []byte(goldenLabels(t)), 0o644))
	}
	want := must.Get(os.ReadFile(path))(t)
	for _, name := range kernel.Names() {
		t.Run("kernel="+name, func(t *testing.T) {
			defer kernel.Use(name)()
			if diff := cmp.Diff(string(want), goldenLabels(t)); diff != "" {
				t.Errorf("labels (-golden +got):\n%s", diff)
			}
		})
	}
}

func goldenLabels(t *testing.T) string {
	var text strings.Builder
	features := map[string][]int{"kmeans||": {1, 3, 16}} // many candidates take long in plain Go
	for _, method := range []string{"kmeans++", "random", "maximin", "kmeans||"} {
		if features[method] == nil {
			features[method] = []int{1, 3, 16, 65, 200}
		}
		for _, p := range features[method] {
			for kind := range 8 {
				c := goldenData(p, kind)
				got := must.Get(labels(context.Background(), method, c.data, seeding.Options{K: 23, Seed: 5, Space: c.space, Threads: 2}, 2))(t)
				hash := fnv.New64a()
				_ = binary.Write(hash, binary.LittleEndian, got)
				fmt.Fprintf(&text, "%s p=%d missing=%t space=%t weight=%t %016x\n", method, p, kind&1 != 0, kind&2 != 0, kind&4 != 0, hash.Sum64())
			}
		}
	}
	return text.String()
}

type goldenCase struct {
	data  clustertest.Rows
	space []float64
}

// goldenCases are those that have been drawn, which takes longer than to label
// them with a fast kernel.
var goldenCases = map[[2]int]goldenCase{}

// goldenData returns 2200 rows, and a space if bit 1 of the kind is set; bit 0
// makes cells missing, bit 2 gives weights.
func goldenData(p, kind int) goldenCase {
	if c, drawn := goldenCases[[2]int{p, kind}]; drawn {
		return c
	}
	data, space := drawGolden(p, kind)
	goldenCases[[2]int{p, kind}] = goldenCase{data, space}
	return goldenCase{data, space}
}

func drawGolden(p, kind int) (data clustertest.Rows, space []float64) {
	const n = 2200
	r := rand.New(rand.NewPCG(uint64(p), uint64(kind)))
	data = clustertest.Rows{X: framework.NewMatrix(n, p), Size: 300}
	for i := range data.X.Data {
		data.X.Data[i] = math.Ldexp(r.Float64()-0.5, r.IntN(8)) + float64(i/p%7)
		if kind&1 != 0 && r.IntN(12) == 0 {
			data.X.Data[i] = math.NaN()
		}
	}
	if kind&2 != 0 {
		space = make([]float64, p)
		for l := range space {
			if space[l] = r.ExpFloat64(); l > 0 && r.IntN(4) == 0 {
				space[l] = 0
			}
		}
	}
	if kind&4 != 0 {
		data.Weights = make([]float64, n)
		for i := range data.Weights {
			if r.IntN(6) > 0 {
				data.Weights[i] = r.ExpFloat64()
			}
		}
	}
	return data, space
}
