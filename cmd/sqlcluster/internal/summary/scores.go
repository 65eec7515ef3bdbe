package summary

import (
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/sql/model"
)

// ShowScores writes scores.
func (w *Writer) ShowScores(s *model.Scores) error {
	w.Notes(s.Notes)
	t := render.Table{Name: "scores", Columns: []string{"score", "value", "better", "rows"}}
	for _, one := range s.All {
		t.Rows = append(t.Rows, []any{one.Name, one.Value, one.Better, one.Rows})
	}
	return w.Write(t)
}
