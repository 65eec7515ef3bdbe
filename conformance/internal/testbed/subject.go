package testbed

import (
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// A Subject is an algorithm to be checked, in this process or in another.
type Subject interface {
	Describe() (framework.Description, error)
	// Open binds the algorithm to a problem and its rows.
	Open(p framework.Problem, rows cases.Sample) (framework.Clusterer, *matrix.Data, func(), error)
	// Served reports whether steps are calls to another process, which take longer
	// but cannot write where they should not.
	Served() bool
}

// Describe returns the subject's description.
func Describe(c *judge.Trial, s Subject) framework.Description {
	d, err := s.Describe()
	c.Must(err)
	return d
}

// Here returns an algorithm in this process as a subject.
func Here(a framework.Algorithm) Subject { return inProcess{a} }

// inProcess is an algorithm in this process.
type inProcess struct{ framework.Algorithm }

func (a inProcess) Describe() (framework.Description, error) { return a.Algorithm.Describe(), nil }

func (a inProcess) Served() bool { return false }

func (a inProcess) Open(p framework.Problem, rows cases.Sample) (framework.Clusterer, *matrix.Data, func(), error) {
	c, err := a.New(p)
	if err != nil {
		return nil, nil, nil, err
	}
	return c, Data(rows), func() {}, nil
}

// Data returns copies of the rows as data in plain memory.
func Data(rows cases.Sample) *matrix.Data {
	if rows.Base != nil {
		return matrix.FromSparse(rows.Sparse(), slices.Clone(rows.Weights), rows.BlockRows)
	}
	return matrix.FromMatrix(rows.X.Clone(), slices.Clone(rows.Weights), rows.BlockRows)
}
