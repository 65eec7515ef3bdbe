package distant

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// Predict labels rows that stay in an engine, as Model.Predict would: the
// assignments are those of a query.
func Predict(ctx context.Context, m *model.Model, rows Relation, spec input.Spec, unseen matrix.Unseen) (*model.Predicted, error) {
	if err := m.CheckUnseen(unseen); err != nil {
		return nil, err
	}
	of, t, bound, err := looked(ctx, m, rows, m.Wanted(spec), unseen)
	if err != nil {
		return nil, err
	}
	none := input.NoKeys{SQL: t.KeyType}
	p := &model.Predicted{Assignments: result.Assignments{KeyName: t.KeyName, Keys: none, Dropped: none, By: of.Run}, Notes: notes(of, t)}
	p.Assignments.From, err = bound.Assignments(of.Model)
	return p, err
}

// WritePredicted labels rows that stay in an engine, and writes the assignments to a table
// there. It returns their number.
func WritePredicted(ctx context.Context, m *model.Model, rows Relation, spec input.Spec, unseen matrix.Unseen, table string, replace bool,
) (n int, said []string, err error) {
	if err := m.CheckUnseen(unseen); err != nil {
		return 0, nil, err
	}
	of, t, bound, err := looked(ctx, m, rows, m.Wanted(spec), unseen)
	if err != nil {
		return 0, nil, err
	}
	w, err := WriterOf(bound)
	if err != nil {
		return 0, nil, err
	}
	n, err = w.WriteAssignments(ctx, of.Model, table, replace)
	return n, notes(of, t), err
}

// looked looks at a relation for a model.
func looked(ctx context.Context, m *model.Model, rows Relation, spec input.Spec, unseen matrix.Unseen,
) (*model.Afar, *input.Table, Bound, error) {
	of, err := m.Afar()
	if err != nil {
		return nil, nil, nil, err
	}
	spec.Long = nil // a relation of triples has other columns, which is said
	t, err := rows.Use(ctx, spec, of.Recipe, unseen)
	if err != nil {
		return nil, nil, nil, err
	}
	if of.Farthest != nil && len(t.Absent) > 0 {
		return nil, nil, nil, framework.Faultf(framework.Data, "flag-needs-columns",
			"the relation does not have %s: its distances are over fewer "+
				"columns than those of the fitted rows", input.ColumnNames(t.Absent)).At("flag")
	}
	bound, err := rows.Bind(of.Formula, of.Problem)
	if err == nil && of.Farthest != nil {
		bound.Flag(*of.Farthest)
	}
	return of, t, bound, err
}

// notes say what a user should know of rows that a model has labelled.
func notes(of *model.Afar, t *input.Table) []string {
	all := t.Warnings
	if len(t.Absent) > 0 {
		all = append(all, fmt.Sprintf("the relation does not have %s; labels do not depend on that, and distances are over the other columns",
			input.ColumnNames(t.Absent)))
	}
	if of.Farthest != nil {
		all = append(all, fmt.Sprintf("rows farther than %.4g from all centers are outliers", *of.Farthest))
	}
	return all
}

// Score says how good the clusters are that a model makes of rows which stay in an
// engine.
func Score(ctx context.Context, m *model.Model, rows Relation, o model.ScoreOptions) (*model.Scores, error) {
	if o.Rows {
		return nil, NeedsRows("rows", "each row is measured against a sample of all others")
	}
	of, _, bound, err := looked(ctx, m, rows, m.Scored(m.Key, o), matrix.UnseenError)
	if err != nil {
		return nil, err
	}
	sums, err := bound.Summarise(ctx, of.Model)
	if err != nil {
		return nil, err
	}
	s := &model.Scores{Notes: []string{"rows are labelled by the model, as predict labels them"}}
	if o.Truth != "" {
		cells, err := bound.Classes(ctx, of.Model, o.Truth)
		if err != nil {
			return nil, err
		}
		var counts score.Counts
		for _, c := range cells {
			counts.Add(c.Class, c.Cluster, c.Rows)
		}
		s.Compare(counts.Table())
	}
	l := scored(of, bound, sums)
	value, measured, err := l.Silhouette(ctx, of.Model, 1, o.Threads)
	if err != nil {
		return nil, err
	}
	n := l.Problem.N
	if measured == 0 {
		measured = n
	}
	add := func(name string, v float64, better string) {
		s.All = append(s.All, model.Score{Name: name, Value: v, Better: better, Rows: n})
	}
	s.All = append(s.All, model.Score{Name: "silhouette", Value: value, Better: "higher", Rows: measured})
	if sums.Square != nil {
		add("explained_variance", l.Squares(&sums).Explained(of.Model.FeatureWeights), "higher")
		add("calinski_harabasz", l.CalinskiHarabasz(&sums), "higher")
	}
	value, err = l.DaviesBouldin(ctx, of.Model, &sums)
	if !math.IsNaN(value) {
		add("davies_bouldin", value, "lower")
	}
	return s, err
}

// scored returns the rows that a model has labelled, with the problem as their sums have it.
func scored(of *model.Afar, rows Bound, sums result.Summary) Labelled {
	p := of.Problem
	p.N, p.Columns = sums.Untold, slices.Clone(p.Columns)
	for _, n := range sums.Sizes {
		p.N += n
	}
	for l := range p.Columns {
		c := &p.Columns[l]
		c.Mass, c.Mean, c.SumSq = 0, 0, 0
		for j := range p.K {
			c.Mass += sums.CellWeight(j, l)
			c.Mean += sums.Sum.Row(j)[l]
		}
		if c.Mass > 0 {
			c.Mean /= c.Mass
		}
		if sums.Square != nil {
			c.SumSq = max(0, sums.Square[l]-float64(c.Mass*c.Mean*c.Mean))
		}
	}
	return Labelled{Problem: p, Clusterer: of.Clusterer, Rows: rows}
}
