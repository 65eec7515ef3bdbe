package labelset

import (
	"fmt"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Held returns the labels that hold some rows: row i has labels[i], unless that is −1. It has no
// rows of a declaration. It panics if a label is not below k.
func Held(labels []int32, k int) framework.LabelSet {
	s := &set{n: len(labels), k: k, kind: "held", held: labels}
	for i, j := range labels {
		if j < -1 || int(j) >= k {
			panic(fmt.Sprintf("labelset: label %d of row %d, of %d clusters", j, i, k))
		}
	}
	return s
}
