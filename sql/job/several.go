package job

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// startOf is what a fit records whose start is that of another algorithm.
const startOf = "start-of"

// Several are fits of the same rows by several algorithms, from one start: that of the
// first. Close it.
type Several struct {
	Jobs   []*Job
	Fitted []*Fitted
	Tables []*result.Tables

	// Scores of the clusters that each has found, over all columns, unweighted, as
	// they are scaled for the first.
	Silhouette, Explained []float64
}

// NewSeveral returns the fits of settings that differ in the algorithm and its
// parameters. The number of restarts is 1 in all.
func NewSeveral(all []settings.Settings, l library.Library) (*Several, error) {
	s := &Several{}
	for _, one := range all {
		if one.Batch > 0 {
			return nil, framework.Faultf(framework.Usage, "no-batch", "%s is not possible here: the fits have one start, which is of all rows",
				framework.SettingTo("batch", one.Batch)).At("batch").WithHint("fit one after the other")
		}
		one.Restarts = 1
		b, err := New(one, l)
		if err != nil {
			return nil, err
		}
		b.also = map[string]any{startOf: all[0].Algorithm}
		s.Jobs = append(s.Jobs, b)
	}
	return s, nil
}

// Close ends what runs, and frees the rows.
func (s *Several) Close() {
	for _, b := range s.Jobs {
		b.Close()
	}
}

// Run makes the fits, one after the other. begin is called before each.
func (s *Several) Run(ctx context.Context, src Source, begin func(*Job)) error {
	first, start := s.Jobs[0], fit.Start{}
	for i, b := range s.Jobs {
		begin(b)
		b.Launch(ctx)
		if err := b.Read(ctx, src, nil); err != nil {
			return err
		}
		if i == 0 && !b.Start.Given() {
			starts, err := fit.NewStarts(b.Problem, b.Data, b.Settings.Fitting(), []int{b.Problem.K})
			if err != nil {
				return err
			}
			if start.Labels, err = starts.Labels(ctx, b.Problem.K, 0, b.Settings.Threads); err != nil {
				return err
			}
		}
		if b.Problem.N != first.Problem.N {
			return framework.Faultf(framework.Data, "rows-differ", "%s fits %s, and %s %d: they cannot have one start", first.Algorithm.Name,
				input.Plural(first.Problem.N, "row"), b.Algorithm.Name, b.Problem.N).At("algorithm").WithHint("fit one after the other")
		}
		if !b.Start.Given() {
			b.Start = start
		}
		if err := s.fit(ctx, b); err != nil {
			return err
		}
		if i > 0 {
			b.Close() // the rows of the first are those that all are measured by
		}
	}
	return nil
}

func (s *Several) fit(ctx context.Context, b *Job) error {
	f, err := b.Fit(ctx, nil)
	if err != nil {
		return err
	}
	tables, err := b.Tables(f)
	if err != nil {
		return err
	}
	rows := s.Jobs[0].Data
	o := score.SilhouetteOptions{Sample: model.DefaultSample, Seed: 1, Threads: b.Settings.Threads}
	if rows.Len() > o.Sample {
		o.Reference = score.Reference(o.Sample, rows.Len(), s.Jobs[0].Problem.P, b.Problem.K)
	}
	silhouette, err := score.Silhouette(ctx, rows, f.Labels, o)
	if err != nil {
		return err
	}
	s.Fitted, s.Tables = append(s.Fitted, f), append(s.Tables, tables)
	s.Silhouette = append(s.Silhouette, silhouette)
	s.Explained = append(s.Explained, score.ExplainedVariance(rows, f.Labels, nil))
	return nil
}

// ARI is the adjusted Rand index of two of the fits, of rows that have a cluster in both.
func (s *Several) ARI(i, j int) float64 {
	return score.NewTable(s.Fitted[i].Labels, s.Fitted[j].Labels).ARI()
}
