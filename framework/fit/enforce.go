package fit

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Enforce labels rows as Predict does, but all together: by those labels of a set of labels of these
// rows that cost least, where a label costs what Distances says. Rows count alike, whatever they weigh.
// What a framework.LabelCharger charges for labels is not added: it belongs to the rows of a fit. Of a
// model in which rows may be noise, or without memory for the costs of all labels, it returns a Fault.
// The result does not depend on threads.
func Enforce(ctx context.Context, c framework.Clusterer, m *framework.Model, set framework.LabelSet, rows framework.Rows, threads int) (
	*Prediction, error) {
	if err := roomFor(rows.Len(), m.Centers.Rows); err != nil {
		return nil, err.At("enforce").WithHint("label fewer rows together")
	}
	st := newState(c, m.Centers.Rows, rows, threads)
	defer st.close()
	if st.plan.Noise {
		return nil, framework.Faultf(framework.Usage, "limits-with-noise",
			"limits count all rows, and this algorithm leaves rows without a cluster").At("enforce")
	}
	st.model = m
	st.prepare()
	if err := feasible(ctx, set); err != nil {
		return nil, err
	}
	at := framework.LabelCosts{Costs: framework.NewMatrix(rows.Len(), m.Centers.Rows), Threads: st.pool.Workers()}
	err := st.eachBlock(ctx, func(_ int, b framework.Block) error {
		return c.Distances(m, b, at.Costs.Slice(b.Row0, b.Row0+b.X.Rows))
	})
	if err != nil {
		return nil, err
	}
	p := newPrediction(make([]int32, rows.Len()))
	for i := range p.Labels {
		p.Labels[i] = -1
	}
	if _, err := set.Project(ctx, p.Labels, at); err != nil {
		return nil, err
	}
	for i, j := range p.Labels {
		p.set(i, framework.Between(at.Costs.Row(i), int(j)), st.plan.Squared)
	}
	return p, nil
}
