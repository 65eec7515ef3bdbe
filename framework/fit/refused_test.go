package fit

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// barred has labels in which the last row is not in cluster 1.
type barred struct{ framework.LabelSet }

func (barred) Violation(labels []int32) float64 {
	if labels[len(labels)-1] == 1 {
		return 1
	}
	return 0
}

func TestARowThatMayNotGoToOneEmptyClusterMayGoToAnother(t *testing.T) {
	data := matrix.FromMatrix(framework.Matrix{Rows: 3, Cols: 1, Data: []float64{0, 1, 9}}, nil, 0)
	defer func() { must.Do(t, data.Close()) }()
	r := &run{state: &state{rows: data, labels: make([]int32, 3), sizes: []int{3, 0, 0}, limits: &limits{set: barred{}}}}
	distance := []float64{2, 1, 5}
	must.Equal(t, 0, r.farthestThatMay(distance, nil, 1))
	must.Equal(t, 2, r.farthestThatMay(distance, []int{0}, 2))
}

func TestCostsForWhichThereIsNoMemoryAreRefusedBeforeTheyAreMade(t *testing.T) {
	err := roomFor(1<<40, 1000) // 24 × 10¹⁵ bytes
	if must.Fault(t, err, "no-memory"); roomFor(3, 2) != nil {
		t.Error("there is memory for six costs")
	}
}
