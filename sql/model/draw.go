package model

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/score"
)

// Drawn are some rows of a relation, with their clusters in a run: for pictures.
type Drawn struct {
	Features []string         // that tell the clusters apart
	X        framework.Matrix // rows × Features: in the space of the fit, times the root of the feature weight
	Labels   []int32
	Centers  framework.Matrix // k × Features, in the same space
	Weighted bool             // there are feature weights
	Of       int              // rows of the relation that have a cluster

	Silhouettes []float64 // of the rows, as Score measures them; NaN: none
	Mean        float64   // silhouette, as Score has it for as many rows
	Explained   float64   // variance of all rows, as Score has it; NaN: not defined
}

// mostDrawn is how many cells drawn rows have at most: 256 MiB.
const mostDrawn = 1 << 25

// Draw reads the rows of a relation that have a cluster in the run, and draws some
// of them. They are the same for the same rows. The relation and the key are found
// as Score finds them.
func (m *Model) Draw(ctx context.Context, src ScoreSource, o ScoreOptions) (*Drawn, error) {
	truth, err := src.ReadTruth(ctx, m.run, o.Relation, "")
	if err != nil {
		return nil, err
	}
	_, data, common, err := m.clustered(ctx, src, truth.KeyName, o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = data.Close() }()
	rows, _, err := m.silhouettes(ctx, data, common.Labels, o)
	if err != nil {
		return nil, err
	}
	return m.Picked(data, common.Labels, rows, o.Sample), nil
}

// Picked takes the rows of fitted data whose silhouettes were measured. If there are none,
// since there is one cluster, it draws some.
func (m *Model) Picked(data *matrix.Data, labels []int32, rows score.RowSilhouettes, sample int) *Drawn {
	var chosen []int
	for i, v := range rows.Values {
		if v == v {
			chosen = append(chosen, i)
		}
	}
	if chosen == nil {
		chosen = framework.Rand(1, "drawn rows").Perm(data.Len())
		chosen = chosen[:min(sample, len(chosen))]
		slices.Sort(chosen)
	}
	var columns []int
	d := &Drawn{Of: data.Len(), Mean: rows.Mean, Weighted: len(m.model.FeatureWeights) > 0,
		Explained: score.ExplainedVariance(data, labels, m.model.FeatureWeights)}
	for l, tells := range fit.Telling(m.model) {
		if tells {
			columns, d.Features = append(columns, l), append(d.Features, m.stored.Recipe.Features[l].Name)
		}
	}
	take := func(to, row []float64) {
		for i, l := range columns {
			if to[i] = row[l]; d.Weighted {
				to[i] *= math.Sqrt(m.model.FeatureWeights[l])
			}
		}
	}
	if most := max(1, mostDrawn/max(1, len(columns))); len(chosen) > most {
		framework.Rand(1, "fewer drawn rows").Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		chosen = chosen[:most]
		slices.Sort(chosen)
	}
	d.X, d.Centers = framework.NewMatrix(len(chosen), len(columns)), framework.NewMatrix(m.problem.K, len(columns))
	for j := range m.problem.K {
		take(d.Centers.Row(j), m.model.Centers.Row(j))
	}
	room := make([]float64, data.Matrix().Cols)
	for t, i := range chosen {
		block, at := framework.Locate(data, i)
		take(d.X.Row(t), block.Cells(at, room))
		d.Labels, d.Silhouettes = append(d.Labels, labels[i]), append(d.Silhouettes, rows.Values[i])
	}
	return d
}
