package sets

import (
	"math/rand/v2"
	"strings"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
)

// makes is how a kind makes sets, wherever it is.
type makes func(rows []framework.ConstraintRow, clusters int, columns []framework.Column) (framework.Set, error)

// A Kind is a kind to be checked.
type Kind struct {
	Description framework.SetDescription
	Make        makes
}

// Target makes a kind a target for the laws of sets, which are checked on sets like the
// description's Example.
func (k Kind) Target() Target {
	example := func() framework.Set {
		set, err := k.Make(k.Description.Example, framework.ExampleClusters, framework.ExampleColumns())
		if err != nil {
			panic(judge.Failure{Message: "its Example makes no set: " + said(err)})
		}
		return set
	}
	return Target{
		Name: k.Description.Kind, Rows: framework.ExampleClusters, Cols: len(framework.ExampleColumns()),
		New: func(*rand.Rand, int, int) framework.Set { return example() },
		similar: func(c *judge.Trial) (framework.Set, int, int) {
			rows, clusters, columns := cases.Like(c, k.Description)
			set, err := k.Make(rows, clusters, columns)
			switch f := framework.AsFault(err); {
			case err == nil:
				return set, clusters, len(columns)
			case f != nil && f.Class == framework.Data: // not every kind takes other features, clusters or units
				return example(), framework.ExampleClusters, len(framework.ExampleColumns())
			}
			panic(judge.Failure{Message: "a set like its Example is not made: " + said(err)})
		},
	}
}

// said is the text of an error, with the details of a Fault.
func said(err error) string {
	f := framework.AsFault(err)
	if f == nil || len(f.Details) == 0 {
		return err.Error()
	}
	return err.Error() + ": " + strings.Join(f.Render(nil).Details, "; ")
}
