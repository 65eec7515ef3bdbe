package processes

import (
	"context"
	"fmt"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// Remote returns one algorithm of the process.
func (h *Holder) Remote(ctx context.Context, name string) testbed.Subject {
	return remote{h, ctx, name}
}

// remote is one algorithm of the process.
type remote struct {
	*Holder
	ctx  context.Context
	name string
}

func (r remote) Served() bool { return true }

func (r remote) Describe() (framework.Description, error) {
	process, err := r.running(r.ctx)
	if err != nil {
		return framework.Description{}, err
	}
	all, err := process.Describe(r.ctx)
	if err != nil {
		return framework.Description{}, err
	}
	i := slices.IndexFunc(all, func(d framework.Description) bool { return d.Name == r.name })
	if i < 0 {
		return framework.Description{}, fmt.Errorf("the algorithm %s is not described any more", r.name)
	}
	return all[i], nil
}

func (r remote) Open(p framework.Problem, rows cases.Sample) (framework.Clusterer, *matrix.Data, func(), error) {
	process, err := r.running(r.ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	data, release, err := share(rows)
	if err != nil {
		return nil, nil, nil, err
	}
	session, err := process.Open(r.ctx, r.name, p, data.Handle())
	if err != nil {
		release()
		return nil, nil, nil, err
	}
	return session.Clusterer(), data, func() { _ = session.Close(); release() }, nil
}

// shareSparse is share of sparse rows.
func shareSparse(rows cases.Sample) (*matrix.Data, func(), error) {
	own := testbed.Data(rows)
	if err := own.Share(); err != nil {
		return nil, nil, err
	}
	data, err := matrix.Open(own.Handle())
	if err != nil {
		_ = own.Close()
		return nil, nil, err
	}
	return data, func() { _ = data.Close(); _ = own.Close() }, nil
}

// share puts rows where another process can see them.
func share(rows cases.Sample) (*matrix.Data, func(), error) {
	if rows.Base != nil {
		return shareSparse(rows)
	}
	b, err := matrix.BuilderOf(rows.X, rows.Weights, matrix.Options{Storage: matrix.Memory})
	if err != nil {
		return nil, nil, err
	}
	sealed, err := b.Seal()
	if err != nil {
		return nil, nil, err
	}
	handle := sealed.Handle()
	handle.BlockRows = rows.BlockRows
	data, err := matrix.Open(handle)
	if err != nil {
		_ = sealed.Close()
		return nil, nil, err
	}
	return data, func() { _ = data.Close(); _ = sealed.Close() }, nil
}
