package links_test

import (
	"fmt"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/links"
)

// Rows 0 and 1 belong together, and so do 1 and 2. Row 3 belongs apart from row
// 0, and so from all three.
func Example() {
	hard := math.Inf(1)
	given := []framework.Link{{A: 0, B: 1, Weight: hard}, {A: 1, B: 2, Weight: hard}, {A: 0, B: 3, Cannot: true, Weight: hard}}
	derived, err := links.Derived(given, 4, false)
	if err != nil {
		fmt.Println(err)
	}
	for _, l := range derived {
		fmt.Println(l.Kind(), l.A, l.B)
	}
	_, _, err = links.Check(given, 4, 1, func(i int32) string { return fmt.Sprint("row ", i) })
	fmt.Println(err)
	// Output:
	// must 0 2
	// cannot 1 3
	// cannot 2 3
	// infeasible-links: this hard pair cannot be kept with 1 cluster
}
