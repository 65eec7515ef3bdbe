package seeding_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
)

func BenchmarkLabels(b *testing.B) {
	const n, p, k = 200_000, 50, 20
	data := cut{x: framework.NewMatrix(n, p), block: 2048} // 0.8 MiB a block
	r := rand.New(rand.NewPCG(1, 2))
	for i := range data.x.Data {
		data.x.Data[i] = r.NormFloat64()
	}
	for _, name := range seeding.Names() {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/n=200k/p=50/k=20/threads=%d", name, threads), func(b *testing.B) {
				for b.Loop() {
					if _, err := seeding.Labels(context.Background(), name, data, seeding.Options{K: k, Threads: threads}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
