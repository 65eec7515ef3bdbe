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
	"github.com/sqlcluster/sqlcluster/framework/seeding"
)

var update = flag.Bool("update", false, "rewrite testdata/labels.golden")

// TestLabelsGolden holds labels to the bits of the first version, which had one
// plain chain of fused operations for each row and chosen row. A line is the
// case and the FNV-1a hash of its labels.
func TestLabelsGolden(t *testing.T) {
	const path = "testdata/labels.golden"
	var got strings.Builder
	for _, method := range []string{"kmeans++", "random", "maximin"} {
		for _, p := range []int{1, 3, 16, 65, 200} {
			for kind := range 8 {
				data, space := goldenData(p, kind)
				labels, err := seeding.Labels(context.Background(), method, data, seeding.Options{K: 23, Seed: 5, Restart: 2, Space: space, Threads: 2})
				if err != nil {
					t.Fatal(err)
				}
				hash := fnv.New64a()
				_ = binary.Write(hash, binary.LittleEndian, labels)
				fmt.Fprintf(&got, "%s p=%d missing=%t space=%t weight=%t %016x\n", method, p, kind&1 != 0, kind&2 != 0, kind&4 != 0, hash.Sum64())
			}
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("labels (-golden +got):\n%s", diff)
	}
}

// goldenData returns 2200 rows, and a space if bit 1 of the kind is set; bit 0
// makes cells missing, bit 2 gives weights.
func goldenData(p, kind int) (data cut, space []float64) {
	const n = 2200
	r := rand.New(rand.NewPCG(uint64(p), uint64(kind)))
	data = cut{x: framework.NewMatrix(n, p), block: 300}
	for i := range data.x.Data {
		data.x.Data[i] = math.Ldexp(r.Float64()-0.5, r.IntN(8)) + float64(i/p%7)
		if kind&1 != 0 && r.IntN(12) == 0 {
			data.x.Data[i] = math.NaN()
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
		data.weight = make([]float64, n)
		for i := range data.weight {
			if r.IntN(6) > 0 {
				data.weight[i] = r.ExpFloat64()
			}
		}
	}
	return data, space
}
