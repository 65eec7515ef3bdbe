package summary

import (
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// ShowScores writes scores, or the silhouettes of rows if they were asked for and are
// not written to a table.
func (w *Writer) ShowScores(s *model.Scores) error {
	w.Notes(s.Notes)
	if s.Rows != nil && w.Flags.Into == "" {
		limit := 0
		if w.Tabular() {
			limit = ShownRows
		}
		return w.WriteFirst(silhouetteTable(s.Rows, limit), len(s.Rows.Labels), limit, "-o csv shows all, --into NAME writes them to --db")
	}
	t := render.Table{Name: "scores", Columns: []string{"score", "value", "better", "rows"}}
	if w.people() {
		t.Columns, t.Prose = append(t.Columns, "meaning"), true
	}
	for _, one := range s.All {
		t.Rows = append(t.Rows, []any{one.Name, one.Value, one.Better, one.Rows, one.Meaning()}[:len(t.Columns)])
	}
	return w.Write(t)
}

// silhouetteTable lists the rows as the table of silhouettes does; at most limit of
// them, or all if that is 0.
func silhouetteTable(s *result.Silhouettes, limit int) render.Table {
	t := render.Table{Name: schema.Silhouettes, Columns: append([]string{s.KeyName}, schema.ColumnNames(schema.Silhouettes)...)}
	t.Each = func(use func(row []any) error) error {
		for i := range Most(len(s.Labels), limit) {
			if err := use([]any{s.Keys.Value(i), int(s.Labels[i]), index(int(s.Nearest[i])), number(s.Values[i])}); err != nil {
				return err
			}
		}
		return nil
	}
	return t
}
