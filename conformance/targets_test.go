package conformance_test

import (
	"math/rand/v2"

	"github.com/sqlcluster/sqlcluster/conformance"
	"github.com/sqlcluster/sqlcluster/framework"
)

// sparse is a family of sets that keep at most s entries, columns or groups.
func sparse(name string, set func(s int) framework.Set) conformance.SetTarget {
	return conformance.SetTarget{
		Name: name,
		New:  func(r *rand.Rand, _, cols int) framework.Set { return set(1 + r.IntN(max(cols, 1))) },
		Nested: func(_, cols int) []framework.Set {
			all := make([]framework.Set, cols+1)
			for s := range all {
				all[s] = set(s)
			}
			return all
		},
	}
}
