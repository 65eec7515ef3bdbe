package transport_test

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/transport"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestAContradictionIsASentence(t *testing.T) {
	many := make([]int, 13)
	for j := range many {
		many[j] = j
	}
	for want, e := range map[string]transport.Infeasible{
		"row 3 may be in no cluster":                                                   {Row: 3},
		"clusters 1 and 2 need 4 rows, and 3 may be there":                             {Clusters: []int{1, 2}, Lo: true, Bound: 4, Rows: 3},
		"cluster 1 needs 1 row, and 0 may be there":                                    {Clusters: []int{1}, Lo: true, Bound: 1},
		"1 row must be in cluster 0, which may have 0":                                 {Clusters: []int{0}, Rows: 1},
		"5 rows of one value must be in clusters 0, 1 and 2, which may have 3 of them": {Clusters: many[:3], Rows: 5, Bound: 3, Grouped: true},
		"9 rows must be in clusters 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 3 more, " +
			"which may have 8": {Clusters: many, Rows: 9, Bound: 8},
	} {
		must.Equal(t, want, e.Error())
	}
}
