package conformance_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/sqlcluster/sqlcluster/conformance"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

// upwards claims to be the set of centers that are not negative, but moves negative
// entries past 0.
type upwards struct{ constraint.NonNegative }

func (u upwards) Project(dst framework.Matrix, at framework.Point) error {
	if err := u.NonNegative.Project(dst, at); err != nil {
		return err
	}
	for i, v := range at.X.Data {
		dst.Data[i] = max(v, -v)
	}
	return nil
}

// In a Go test of your own, RunSet does the same, each law as a subtest.
func ExampleCheckSet() {
	target := conformance.SetTarget{Name: "upwards", New: func(*rand.Rand, int, int) framework.Set { return upwards{} }}
	report, err := conformance.CheckSet(context.Background(), target,
		conformance.Options{Laws: []string{"set/feasible", "set/closest-made"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range report.Verdicts {
		if v.Status != conformance.Disabled {
			fmt.Println(v.Status, v.Name)
		}
	}
	// Output:
	// passed set/feasible
	// failed set/closest-made
}
