package model

import (
	"context"
	"fmt"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// A ScoreSource reads what the rows of a relation and of a run have in common.
type ScoreSource interface {
	Source
	ReadTruth(ctx context.Context, run, relation, column string) (*input.Truth, error)
	KeepClustered(ctx context.Context, run string, t *input.Table) (*input.Common, error)
}

// ScoreOptions say which rows are scored, and how.
type ScoreOptions struct {
	Relation string // a query, a table or view, or a file
	Truth    string // column of the relation with the known classes; "": none
	Sample   int    // number of rows whose silhouette is averaged; 0: all
	Rows     bool   // return the silhouette of each row, of which that of the clusters is the mean
	Threads  int    // changes no result

	Storage matrix.Storage // of the rows; "": Auto
	Most    int64          // bytes of them, where there is to be no file

	Reading   func(rows int)     // called now and then with the rows read so far; may be nil
	Measuring func(done, of int) // called now and then while the silhouette is measured; may be nil
}

// DefaultSample is the number of rows whose silhouette is averaged, if none is given.
const DefaultSample = 2000

// Scores say how good the clusters of a run are.
type Scores struct {
	All   []Score
	Rows  *result.Silhouettes // of ScoreOptions.Rows; else nil
	Notes []string
}

// A Score is one of them, of a number of rows.
type Score struct {
	Name   string
	Value  float64
	Better string // higher, lower
	Rows   int
}

const higher, lower = "higher", "lower"

// Score compares the clusters of the run with known classes, if there are any, and
// measures how far apart they are: in the space of the fit, with the feature weights
// of the model and the row weights of the fit.
func (m *Model) Score(ctx context.Context, src ScoreSource, o ScoreOptions) (*Scores, error) {
	truth, err := src.ReadTruth(ctx, m.run, o.Relation, o.Truth)
	if err != nil {
		return nil, err
	}
	var s Scores
	if o.Truth != "" {
		var counts score.Counts
		for _, c := range truth.Cells {
			if err := m.checkLabels(c.Cluster); err != nil {
				return nil, err
			}
			counts.Add(c.Class, c.Cluster, c.Rows)
		}
		s.Compare(counts.Table())
	}
	table, data, common, err := m.clustered(ctx, src, truth.KeyName, o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = data.Close() }()
	if err := m.silhouette(ctx, &s, data, common.Labels, o); err != nil {
		return nil, err
	}
	if o.Rows {
		s.Rows.Run, s.Rows.KeyName, s.Rows.Keys = m.run, table.KeyName, table.Keys
	}
	explained := score.ExplainedVariance(data, common.Labels, m.model.FeatureWeights)
	s.All = append(s.All, Score{"explained_variance", explained, higher, data.Len()},
		Score{"calinski_harabasz", score.CalinskiHarabasz(data, common.Labels), higher, data.Len()},
		Score{"davies_bouldin", score.DaviesBouldin(data, common.Labels), lower, data.Len()})
	s.noteCommon(common)
	return &s, nil
}

// checkLabels refuses labels in a run's table that do not name one of its clusters.
func (m *Model) checkLabels(labels ...int32) error {
	for _, j := range labels {
		if int(j) >= m.problem.K {
			return Damaged(m.run, fmt.Errorf("a row has a cluster that is not one of its %d", m.problem.K))
		}
	}
	return nil
}

// Compare adds the scores against classes.
func (s *Scores) Compare(t score.Table) {
	n := t.Rows()
	s.All = append(s.All, Score{"pairwise_f", t.PairwiseF(), higher, n}, Score{"ari", t.ARI(), higher, n})
	for _, norm := range score.Norms() {
		s.All = append(s.All, Score{"nmi_" + string(norm), t.NMI(norm), higher, n})
	}
	clusters, rows := t.Mixed()
	s.All = append(s.All, Score{"nvi", t.NVI(), lower, n}, Score{"rand", t.Rand(), higher, n}, Score{"cer", t.CER(), lower, n},
		Score{"majority_error", t.MajorityError(), lower, n}, Score{"purity", t.Purity(), higher, n},
		Score{"mixed_clusters", float64(clusters), lower, n}, Score{"mixed_rows", float64(rows), lower, n})
}

// clustered reads the rows that have a cluster in the run, scaled as those of the fit
// were.
func (m *Model) clustered(
	ctx context.Context, src ScoreSource, key string, o ScoreOptions,
) (*input.Table, *matrix.Data, *input.Common, error) {
	table, err := src.Read(ctx, m.Scored(key, o))
	if f := framework.AsFault(err); f != nil && f.Where == framework.Setting("id") { // which is not a setting here
		return nil, nil, nil, f.WithWhere("the key of the run")
	}
	if err != nil {
		return nil, nil, nil, err
	}
	common, err := src.KeepClustered(ctx, m.run, table)
	if err == nil {
		err = m.checkLabels(common.Labels...)
	}
	if err != nil {
		_ = table.Close()
		return nil, nil, nil, err
	}
	data, err := m.Replay(table, matrix.UnseenError)
	return table, data, common, err
}

// Scored says how Score reads rows, by the name of the key of the run.
func (m *Model) Scored(key string, o ScoreOptions) input.Spec {
	spec := m.Want(input.Spec{Relation: o.Relation, Weight: m.Weight, Storage: o.Storage, Most: o.Most, Progress: o.Reading})
	if key != input.RowNumber {
		spec.ID = key
	}
	spec.Long = m.long
	if !m.MissingOK() {
		spec.Nulls = "drop" // as the fit must have done
	}
	return spec
}

// silhouettes measures those of the rows or of a sample. Where there are many rows they
// are measured against a sample, too, of about the size that it returns; 0: against all.
func (m *Model) silhouettes(
	ctx context.Context, data *matrix.Data, labels []int32, o ScoreOptions,
) (rows score.RowSilhouettes, reference int, err error) {
	of := score.SilhouetteOptions{Weights: m.model.FeatureWeights, Sample: o.Sample, Seed: 1, Threads: o.Threads, Progress: o.Measuring}
	n := o.measured(data.Len())
	if o.Rows {
		of.Sample = 0
	}
	if o.Sample > 0 && (n < data.Len() || o.Rows) {
		of.Reference = score.Reference(n, data.Len(), data.Block(0).X.Cols, m.problem.K)
	}
	rows, err = score.Silhouettes(ctx, data, labels, of)
	return rows, of.Reference, err
}

// measured is the number of rows, of all, whose silhouettes are measured.
func (o ScoreOptions) measured(all int) int {
	if o.Rows || o.Sample == 0 {
		return all
	}
	return min(all, o.Sample)
}

// silhouette adds the mean silhouette, and those of the rows if they are asked for.
func (m *Model) silhouette(ctx context.Context, s *Scores, data *matrix.Data, labels []int32, o ScoreOptions) error {
	rows, reference, err := m.silhouettes(ctx, data, labels, o)
	if err != nil {
		return err
	}
	n := o.measured(data.Len())
	if o.Rows {
		s.Rows = &result.Silhouettes{Labels: labels, Nearest: rows.Nearest, Values: rows.Values}
	}
	if reference > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("silhouette: %d rows, each measured against about %d of %d rows, drawn from every cluster; "+
			"%s uses all rows, which takes longer", n, reference, data.Len(), framework.SettingTo("sample", 0)))
	}
	s.All = append(s.All, Score{"silhouette", rows.Mean, higher, n})
	return nil
}

// noteCommon says which rows are not scored.
func (s *Scores) noteCommon(c *input.Common) {
	if c.NotInRun > 0 || c.NotInTable > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s not in the run, and %s not in the relation: only those in both are scored",
			input.Counted(c.NotInRun, "row of the relation is", "rows of the relation are"),
			input.Counted(c.NotInTable, "row of the run is", "rows of the run are")))
	}
	if c.Unclustered > 0 {
		s.Notes = append(s.Notes, input.Counted(c.Unclustered, "row has no cluster in the run, and is left out",
			"rows have no cluster in the run, and are left out"))
	}
	if c.Dropped > 0 {
		s.Notes = append(s.Notes, input.Counted(c.Dropped, "row has", "rows have")+
			" a NULL in the relation: left out of the scores of the rows")
	}
}
