package cli

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

func (a *app) scoreCommand() *cobra.Command {
	var o job.ScoreOptions
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
				o.Relation = strings.Join(args[1:], "")
				return a.score(c.Context(), db, args[0], o)
			})
		},
	}
	c.Flags().StringVar(&o.Truth, "truth", "", "`column` of the relation with the known classes")
	c.Flags().IntVar(&o.Sample, "sample", job.DefaultSample, "`number` of rows whose silhouette is averaged; 0: all")
	flags.In(c.Flags(), flags.GroupInput, "truth")
	flags.In(c.Flags(), flags.GroupExpert, "sample")
	return c
}

func (a *app) score(ctx context.Context, db *store.DB, run string, o job.ScoreOptions) error {
	m, err := a.Flags.Library().Load(ctx, db, run, "score that")
	if err != nil {
		return err
	}
	given := o.Relation != ""
	if !given {
		o.Relation = m.Fit.Source
	}
	o.Threads = a.Flags.Threads
	var s *job.Scores
	err = a.Stage("reading", func(reading func(string, ...any)) error {
		return a.Stage("silhouette", func(measuring func(string, ...any)) (err error) {
			o.Reading = func(rows int) { reading("%d rows", rows) }
			o.Measuring = func(done, of int) { measuring("%d of %d rows", done, of) }
			s, err = m.Score(ctx, db, o)
			return err
		})
	})
	if err != nil {
		return ofFittedRelation(err, run, given)
	}
	return a.ShowScores(s)
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
