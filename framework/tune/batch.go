package tune

import (
	"context"
	"errors"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

const (
	// BatchTol takes the place of a Tol of 0 in the iterations over all rows that follow
	// batches: a fit that is to be quick does not go on until no row moves any more.
	BatchTol = 1e-5

	batchGrowth = 4   // a batch has so many times the rows of the one before,
	batchShare  = 8   // and at most this part of all rows, except the first
	batchNoise  = 0.1 // what an iteration must improve, in units of the noise
)

// Begin returns the start of a fit of many rows, made from batches of them, the first
// of which has about so many: see the package comment. The start has centers. It is
// none where a batch would have all rows, and where no feature gets a weight in the
// first one. The problem must have no links. The result does not depend on s.Threads.
func Begin(ctx context.Context, engine Engine, p framework.Problem, rows *matrix.Data, s fit.Settings, batch int) (start fit.Start,
	err error) {
	d := drawer{rows: rows, problem: p}
	if s.Empty == framework.Fail {
		s.Empty = framework.Reseed // a cluster without rows in a batch may have some in the table
	}
	n, tol := rows.Len(), s.Tol
	for size := batch; size < n && (size == batch || size <= n/batchShare); size *= batchGrowth {
		of := d.spread(size)
		if of.problem.N <= p.K {
			continue
		}
		s.Tol = max(tol, batchNoise*float64(p.K)/float64(of.problem.N))
		f, err := fitBatch(ctx, engine, of, start, s)
		if err = errors.Join(err, of.rows.Close()); err != nil {
			return start, err
		}
		if f.Stop == framework.AllZero {
			break
		}
		start = fit.Start{Centers: &f.Model.Centers}
	}
	return start, nil
}

// fitBatch fits a batch, within limits of labels that are scaled to its rows. Where none obey them,
// they are left to the fit of all rows.
func fitBatch(ctx context.Context, engine Engine, of dataset, start fit.Start, s fit.Settings) (Fit, error) {
	p, limited := of.problem, of.problem.Labels != nil
	var err error
	if p.Labels, err = of.labels(p.K); err != nil && !ofData(err) {
		return Fit{}, err
	}
	f, err := engine(ctx, p, of.rows, start, s)
	if limited && ofData(err) {
		p.Labels = nil
		return engine(ctx, p, of.rows, start, s)
	}
	return f, err
}

// spread draws one row from each of so many stretches of the table, which are equally
// long, without rows of weight 0: no part of a table that is in some order is left out.
// It reads no other rows.
func (d *drawer) spread(size int) dataset {
	n, weights, random := d.rows.Len(), d.rows.Weights(), framework.Rand(d.problem.Seed, "batch", uint64(size))
	from := make([]int32, 0, size)
	for i := range size {
		first, end := i*n/size, (i+1)*n/size
		if row := first + random.IntN(end-first); weights == nil || weights[row] > 0 {
			from = append(from, int32(row))
		}
	}
	return d.taken(from, new([]float64))
}
