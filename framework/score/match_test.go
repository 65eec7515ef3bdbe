package score

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMatchesTakeTheLargestOverlapFirst(t *testing.T) {
	// Counted by hand. The second is where the greedy choice, 5 rows, is not the best: 4 + 4.
	for name, c := range map[string]struct {
		cells [][3]int
		want  []Match
	}{
		"renumbered":       {[][3]int{{0, 1, 7}, {1, 0, 3}}, []Match{{0, 1, 7}, {1, 0, 3}}},
		"greedy":           {[][3]int{{0, 0, 5}, {0, 1, 4}, {1, 0, 4}}, []Match{{0, 0, 5}}},
		"ties, low first":  {[][3]int{{1, 1, 2}, {0, 1, 2}, {1, 0, 2}, {0, 0, 2}}, []Match{{0, 0, 2}, {1, 1, 2}}},
		"more of one":      {[][3]int{{0, 0, 2}, {1, 0, 3}, {2, 0, 1}}, []Match{{1, 0, 3}}},
		"rows without one": {[][3]int{{-1, 0, 9}, {0, -1, 9}}, nil},
	} {
		var counts Counts
		for _, cell := range c.cells {
			counts.Add(int32(cell[0]), int32(cell[1]), cell[2])
		}
		if diff := cmp.Diff(c.want, counts.Table().Matches()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestMatchesOfRenumberedLabelsMoveNoRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.SliceOfN(rapid.Int32Range(0, 5), 1, 40).Draw(t, "labels")
		number := rapid.Permutation([]int32{0, 1, 2, 3, 4, 5}).Draw(t, "number")
		renumbered := slices.Clone(labels)
		for i, j := range labels {
			renumbered[i] = number[j]
		}
		rows := 0
		for _, m := range NewTable(labels, renumbered).Matches() {
			if rows += m.Rows; number[m.Class] != m.Cluster {
				t.Errorf("%d is matched with %d, and was renumbered %d", m.Class, m.Cluster, number[m.Class])
			}
		}
		if rows != len(labels) {
			t.Errorf("%d of %d rows are matched", rows, len(labels))
		}
	})
}
