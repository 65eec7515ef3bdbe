package cli

import (
	"context"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/summary"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/settings"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// predictThere labels rows that stay in an engine.
func (a *app) predictThere(ctx context.Context, db *store.DB, m *model.Model, relation string) error {
	if err := a.checkEngine(); err != nil {
		return err
	}
	if err := db.AllThreads(ctx); err != nil {
		return err
	}
	return a.withEngine(ctx, db, func(rows job.Distant) error {
		s := a.Flags.Job(relation)
		if len(s.Long) > 0 {
			return job.NeedsRows("long", "triples become rows only when they are read")
		}
		if a.Flags.Engine != engineDuckDB {
			return a.predictInto(ctx, m, rows, s)
		}
		p, err := job.PredictElsewhere(ctx, m, rows, s.Spec(), matrix.Unseen(a.Flags.Unseen))
		if err != nil {
			return err
		}
		a.Notes(p.Notes)
		if a.Flags.Into == "" {
			shown, err := db.ShownQuery(ctx, schema.Assignments, p.Assignments.From)
			if err != nil {
				return err
			}
			most := 0
			if a.Tabular() {
				most = summary.ShownRows
			}
			return a.streamed(ctx, shown, schema.Assignments, most)
		}
		if err := written(ctx, a, db.WriteAssignments, p.Assignments); err != nil {
			return err
		}
		a.WrittenTo("all rows labelled", a.Flags.Into)
		return nil
	})
}

// predictInto labels rows, and writes the labels to a table where the rows are.
func (a *app) predictInto(ctx context.Context, m *model.Model, rows job.Distant, s settings.Settings) error {
	if a.Flags.Into == "" {
		return framework.Faultf(framework.Usage, "needs-rows", "the labels of rows that stay in an engine are written there, and there is no --into").
			At("engine").WithHint("add --into TABLE; it will be a table of %s", a.Flags.Engine)
	}
	n, notes, err := job.WritePredicted(ctx, m, rows, s.Spec(), matrix.Unseen(a.Flags.Unseen), a.Flags.Into, a.Flags.Replace)
	if err != nil {
		return err
	}
	a.Notes(notes)
	a.Note("%s labelled; written to the table %s of %s", input.Counted(n, "row", "rows"), a.Flags.Into, a.Flags.Engine)
	return nil
}

// scoreThere scores the clusters that a run's model makes of rows that stay in an engine.
func (a *app) scoreThere(ctx context.Context, db *store.DB, m *model.Model, o model.ScoreOptions) error {
	if err := a.checkEngine(); err != nil {
		return err
	}
	if err := db.AllThreads(ctx); err != nil {
		return err
	}
	return a.withEngine(ctx, db, func(rows job.Distant) error {
		o.Threads = a.Flags.Threads
		var s *model.Scores
		err := a.Stage("scoring", func(say func(string, ...any)) (err error) {
			say("in the engine")
			s, err = job.ScoreElsewhere(ctx, m, rows, o)
			return err
		})
		if err != nil {
			return err
		}
		return a.ShowScores(s)
	})
}
