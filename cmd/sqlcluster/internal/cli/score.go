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
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

func (a *app) scoreCommand() *cobra.Command {
	var o model.ScoreOptions
	c := &cobra.Command{
		Use:   "score RUN [RELATION]",
		Short: "Say how good the clusters of a run are",
		Long: `Compare the clusters of a run with known classes, the values of a column of any
type (NULL: no class), and measure how far apart the clusters are. By default
RELATION is the one that the run was fitted to. Its rows are matched by the key of
the run, and those that have a cluster in the run are scored. If the run had row
weights, the scores of how far apart the clusters are use them too.
With --rows, the silhouette of each row is shown in place of the scores, with the
other cluster that is nearest to it; or it is written to NAME_silhouettes, with
--into NAME. If NAME is RUN, that is one more table of the run.
With --engine the rows stay where they are, and are labelled there by the model.`,
		Example: `  sqlcluster score segments --truth region --db shop.duckdb
  sqlcluster score segments --rows --into segments --db shop.duckdb`,
		Args: help.Takes("RUN", "[RELATION]"),
		RunE: func(c *cobra.Command, args []string) error {
			if a.Flags.Into != "" && !o.Rows {
				return framework.Faultf(framework.Usage, "bad-flag", "--into writes the silhouettes of rows, and needs --rows").At("into").
					WithHint("add --rows; the scores are written by -o csv > FILE")
			}
			return a.withRuns(c.Context(), "score", a.Flags.Into != "", func(db *store.DB) error {
				o.Relation = strings.Join(args[1:], "")
				return a.score(c.Context(), db, args[0], o)
			})
		},
	}
	c.Flags().StringVar(&o.Truth, "truth", "", "`column` of the relation with the known classes")
	c.Flags().IntVar(&o.Sample, "sample", model.DefaultSample, "`number` of rows whose silhouette is averaged; 0: all")
	c.Flags().BoolVar(&o.Rows, "rows", false, "show the silhouette of each row, or write it with --into")
	a.Flags.AddWriting(c.Flags(), "write the silhouettes of the rows to the table NAME_silhouettes of --db: `NAME` or SCHEMA.NAME")
	flags.In(c.Flags(), flags.GroupInput, "truth")
	flags.In(c.Flags(), flags.GroupOutput, "rows")
	flags.In(c.Flags(), flags.GroupExpert, "sample")
	a.Flags.AddModel(c.Flags())
	a.Flags.AddEngine(c.Flags())
	return c
}

func (a *app) score(ctx context.Context, db *store.DB, run string, o model.ScoreOptions) error {
	m, err := model.Load(ctx, a.Flags.Library(), db, run, "score that")
	if store.IsGrouped(err) && !o.Rows && a.Flags.Engine == "" {
		return a.scoreGroups(ctx, db, run, o)
	}
	if err != nil {
		return err
	}
	given := o.Relation != ""
	if !given {
		o.Relation = m.Fit.Source
	}
	if a.Flags.Into != "" {
		err := db.CheckSilhouettes(ctx, run, a.Flags.Into, a.Flags.Replace)
		if err == nil {
			err = a.checkNotRead(ctx, db, o.Relation, schema.Silhouettes)
		}
		if err != nil {
			return err
		}
	}
	if a.Flags.Engine != "" {
		return a.scoreThere(ctx, db, m, o)
	}
	if err := a.checkNotThere(); err != nil {
		return err
	}
	o.Threads = a.Flags.Threads
	var s *model.Scores
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
	if err := written(ctx, a, db.WriteSilhouettes, s.Rows); err != nil {
		return err
	}
	if err := a.ShowScores(s); err != nil || a.Flags.Into == "" {
		return err
	}
	a.WrittenTo(input.Counted(len(s.Rows.Labels), "silhouette", "silhouettes"), a.Flags.Into+"_"+schema.Silhouettes)
	return nil
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
