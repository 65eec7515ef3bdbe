package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/summary"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

func (a *app) scoreCommand() *cobra.Command {
	truth, sample := "", 0
	c := &cobra.Command{
		Use:   "score RUN [RELATION]",
		Short: "Say how good the clusters of a run are",
		Long: `Compare the clusters of a run with known classes, the values of a column of any
type (NULL: no class), and measure how far apart the clusters are. By default
RELATION is the one that the run was fitted to. Its rows are matched by the key of
the run, and those that have a cluster in the run are scored. If the run had row
weights, the scores of how far apart the clusters are use them too.`,
		Example: `  sqlcluster score segments --truth region --db shop.duckdb`,
		Args:    help.Takes("RUN", "[RELATION]"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withRuns(c.Context(), "score", false, func(db *store.DB) error {
				return a.score(c.Context(), db, args[0], strings.Join(args[1:], ""), truth, sample)
			})
		},
	}
	c.Flags().StringVar(&truth, "truth", "", "`column` of the relation with the known classes")
	c.Flags().IntVar(&sample, "sample", 2000, "`number` of rows whose silhouette is averaged; 0: all")
	flags.In(c.Flags(), flags.GroupInput, "truth")
	flags.In(c.Flags(), flags.GroupExpert, "sample")
	return c
}

func (a *app) score(ctx context.Context, db *store.DB, run, relation, column string, sample int) error {
	m, err := a.Flags.Library().Load(ctx, db, run, "score that")
	if err != nil {
		return err
	}
	given := relation != ""
	if !given {
		relation = m.Fit.Source
	}
	truth, err := db.ReadTruth(ctx, run, relation, column)
	if err != nil {
		return ofFittedRelation(err, run, given)
	}
	var s summary.Scores
	if column != "" {
		var counts score.Counts
		for _, c := range truth.Cells {
			if err := checkLabels(m, run, []int32{c.Cluster}); err != nil {
				return err
			}
			counts.Add(c.Class, c.Cluster, c.Rows)
		}
		s.Compare(counts.Table())
	}
	if err := a.measured(ctx, db, &s, m, run, relation, truth, sample); err != nil {
		return ofFittedRelation(err, run, given)
	}
	return a.ShowScores(&s)
}

// noSuchFile is what DuckDB says of a file that is not there.
var noSuchFile = regexp.MustCompile(`No files found that match the pattern "([^"]+)"`)

// ofFittedRelation explains that a file is not found because the run was fitted to a
// path relative to another directory. given says that the user named the relation.
func ofFittedRelation(err error, run string, given bool) error {
	f := framework.AsFault(err)
	if given || f == nil || f.Err == nil {
		return err
	}
	found := noSuchFile.FindStringSubmatch(f.Err.Error())
	if found == nil || filepath.IsAbs(found[1]) || strings.Contains(found[1], "://") {
		return err
	}
	return framework.Faultf(framework.Data, "file-not-found", "there is no file %s here, and run %q was fitted to this relative path",
		found[1], run).At("relation").WithHint("run score from the directory of the fit, or give RELATION")
}

// checkLabels refuses labels in a run's table that do not name one of its clusters.
func checkLabels(m *job.Model, run string, labels []int32) error {
	for _, j := range labels {
		if int(j) >= m.K() {
			return job.Damaged(run, fmt.Errorf("a row has a cluster that is not one of its %d", m.K()))
		}
	}
	return nil
}

// measured adds the scores of the rows themselves, in the space of the fit with
// the model's feature weights and the row weights of the fit.
func (a *app) measured(ctx context.Context, db *store.DB, s *summary.Scores, m *job.Model, run, relation string, truth *store.Truth,
	sample int) error {
	spec := m.Want(input.Spec{Relation: relation, Weight: m.Weight, Storage: matrix.Auto})
	if truth.KeyName != input.RowNumber {
		spec.ID = truth.KeyName
	}
	if !m.MissingOK() {
		spec.Nulls = "drop" // as the fit must have done
	}
	var table *input.Table
	err := a.read(ctx, db, func(ctx context.Context, source job.Source, progress func(int)) (err error) {
		spec.Progress = progress
		table, err = source.Read(ctx, spec)
		return err
	})
	if err != nil {
		if f := framework.AsFault(err); f != nil && f.Where == framework.Setting("id") { // which score does not have
			return f.WithWhere("the key of the run")
		}
		return err
	}
	common, err := db.KeepClustered(ctx, run, table)
	if err != nil {
		_ = table.Close()
		return err
	}
	if err := checkLabels(m, run, common.Labels); err != nil {
		_ = table.Close()
		return err
	}
	data, err := m.Replay(table, matrix.UnseenError)
	if err != nil {
		return err
	}
	defer func() { _ = data.Close() }()
	silhouette, of, err := a.silhouette(ctx, data, common.Labels, m, sample)
	if err != nil {
		return err
	}
	a.CommonNotes(common)
	s.Add("silhouette", silhouette, "higher", of)
	s.Add("explained_variance", score.ExplainedVariance(data, common.Labels, m.FeatureWeights()), "higher", data.Len())
	return nil
}

// silhouette measures a sample of the rows, and returns of how many it is. Where
// there are many rows they are measured against a sample, too.
func (a *app) silhouette(ctx context.Context, data *matrix.Data, labels []int32, m *job.Model, sample int) (value float64, of int,
	err error) {
	o := score.SilhouetteOptions{Weights: m.FeatureWeights(), Sample: sample, Seed: 1, Threads: a.Flags.Threads}
	of = data.Len()
	if sample > 0 && sample < of {
		of = sample
		o.Reference = score.Reference(sample, data.Len(), data.Block(0).X.Cols, m.K())
	}
	err = a.Stage("silhouette", func(say func(string, ...any)) error {
		o.Progress = func(done, of int) { say("%d of %d rows", done, of) }
		value, err = score.Silhouette(ctx, data, labels, o)
		return err
	})
	if err == nil && o.Reference > 0 {
		a.Note("note: silhouette: %d rows, each measured against about %d of %d rows, drawn from every cluster; "+
			"--sample 0 uses all rows, which takes longer", of, o.Reference, data.Len())
	}
	return value, of, err
}
