package cli

import (
	"context"
	"fmt"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/summary"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/distant"
	"github.com/sqlcluster/sqlcluster/sql/input"
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
	return a.withEngine(ctx, db, func(rows distant.Relation) error {
		s := a.Flags.Job(relation)
		if len(s.Long) > 0 {
			return distant.NeedsRows("long", "triples become rows only when they are read")
		}
		if a.Flags.Engine != engineDuckDB {
			return a.predictElsewhere(ctx, m, rows, s)
		}
		p, err := distant.Predict(ctx, m, rows, s.Spec(), matrix.Unseen(a.Flags.Unseen))
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

// predictElsewhere labels rows of another database: into a table there, or for people and
// programs to read.
func (a *app) predictElsewhere(ctx context.Context, m *model.Model, rows distant.Relation, s settings.Settings) error {
	if a.Flags.Into == "" {
		return a.predictShown(ctx, m, rows, s)
	}
	n, notes, err := distant.WritePredicted(ctx, m, rows, s.Spec(), matrix.Unseen(a.Flags.Unseen), a.Flags.Into, a.Flags.Replace)
	if err != nil {
		return err
	}
	a.Notes(notes)
	a.Note("%s labelled; written to the table %s of %s", input.Counted(n, "row", "rows"), a.Flags.Into, a.engineName())
	return nil
}

// predictShown shows the labels of rows of another database as they come: people see the
// first of them.
func (a *app) predictShown(ctx context.Context, m *model.Model, rows distant.Relation, s settings.Settings) error {
	from, ok := rows.(distant.Streamer)
	if !ok {
		return framework.Faultf(framework.Internal, "internal", "the engine hands over no rows")
	}
	p, err := distant.Predict(ctx, m, rows, s.Spec(), matrix.Unseen(a.Flags.Unseen))
	if err != nil {
		return err
	}
	a.Notes(p.Notes)
	query, most := p.Assignments.From, 0
	if a.Tabular() {
		most = summary.ShownRows
		query += fmt.Sprintf(" LIMIT %d", most)
	}
	t := render.Table{Name: schema.Assignments, Columns: append([]string{p.Assignments.KeyName}, schema.ColumnNames(schema.Assignments)...)}
	t.Each = func(use func(row []any) error) error { return from.Stream(ctx, query, use) }
	return a.WriteFirst(t, from.Rows(), most, "-o csv shows all, --into TABLE writes them to a table there")
}

// scoreThere scores the clusters that a run's model makes of rows that stay in an engine.
func (a *app) scoreThere(ctx context.Context, db *store.DB, m *model.Model, o model.ScoreOptions) error {
	if err := a.checkEngine(); err != nil {
		return err
	}
	if err := db.AllThreads(ctx); err != nil {
		return err
	}
	return a.withEngine(ctx, db, func(rows distant.Relation) error {
		o.Threads = a.Flags.Threads
		var s *model.Scores
		err := a.Stage("scoring", func(say func(string, ...any)) (err error) {
			say("in the engine")
			s, err = distant.Score(ctx, m, rows, o)
			return err
		})
		if err != nil {
			return err
		}
		return a.ShowScores(s)
	})
}

// drawThere returns what draws rows of a run that stay in an engine. Those of --db are always
// there; others are only asked for where --engine says how.
func (a *app) drawThere(db *store.DB) func(context.Context, string, *model.Model, model.ScoreOptions) (*model.Drawn, error) {
	return func(ctx context.Context, recorded string, m *model.Model, o model.ScoreOptions) (d *model.Drawn, err error) {
		if recorded != engineDuckDB && a.engineName() != recorded {
			return nil, framework.Faultf(framework.Data, "rows-elsewhere",
				"they are in %s; --engine with this address shows some of them", recorded).
				At("engine")
		}
		if recorded == engineDuckDB {
			defer func(given string) { a.Flags.Engine = given }(a.Flags.Engine)
			a.Flags.Engine = recorded
		}
		err = a.withEngine(ctx, db, func(rows distant.Relation) error {
			d, err = distant.Draw(ctx, m, rows, o)
			return err
		})
		return d, err
	}
}
