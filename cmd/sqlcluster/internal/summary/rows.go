package summary

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// ShownRows is how many rows of a table people are shown, unless they ask for
// more.
const ShownRows = 1000

// ShowAssignments writes labels, or distances where these were asked for; people see
// the first of them.
func (w *Writer) ShowAssignments(r result.Assignments) error {
	limit := 0
	if w.Tabular() {
		limit = ShownRows
	}
	if d := r.Distances; d != nil {
		return w.WriteFirst(distanceTable(r, limit), len(d.Cluster), limit, "-o csv shows all, --into TABLE writes them to --db")
	}
	return w.WriteFirst(assignmentTable(r, limit), r.Len(), limit, "-o csv shows all, --into TABLE writes them to --db")
}

// assignmentTable lists the rows as the table of assignments does, those that
// were left out at the end; at most limit of them, or all if that is 0.
func assignmentTable(r result.Assignments, limit int) render.Table {
	t := render.Table{Name: "assignments", Columns: []string{r.KeyName, "cluster", "distance", "second_cluster", "margin", "status"}}
	t.Each = func(use func(row []any) error) error {
		row := make([]any, len(t.Columns))
		for i := range Most(r.Len(), limit) {
			if at := i - len(r.Labels); at >= 0 {
				row = append(row[:0], r.Dropped.Value(at), nil, nil, nil, nil, r.Status)
			} else {
				j := int(r.Labels[i])
				row = append(row[:0], r.Keys.Value(i), index(j), r.Distance[i], index(int(r.Second[i])), r.Margin[i], nil)
				if status := r.StatusOf(i); status != "" {
					row[5] = status
				}
			}
			if err := use(row); err != nil {
				return err
			}
		}
		return nil
	}
	return t
}

// distanceTable lists distances to the nearest centers; at most limit of them, or all
// if that is 0.
func distanceTable(r result.Assignments, limit int) render.Table {
	d := r.Distances
	t := render.Table{Name: schema.Distances, Columns: []string{r.KeyName, "rank", "cluster", "distance"}}
	t.Each = func(use func(row []any) error) error {
		for i := range Most(len(d.Cluster), limit) {
			if err := use([]any{r.Keys.Value(i / d.PerRow), i%d.PerRow + 1, index(int(d.Cluster[i])), d.Distance[i]}); err != nil {
				return err
			}
		}
		return nil
	}
	return t
}

// ShowSuggestions writes pairs to ask about.
func (w *Writer) ShowSuggestions(t *input.Table, all []result.Suggestion) error {
	table := render.Table{Name: schema.Suggestions, Columns: schema.ColumnNames(schema.Suggestions), Prose: true}
	for _, s := range all {
		table.Rows = append(table.Rows, []any{t.Keys.Value(s.A), t.Keys.Value(s.B), nil, s.Weight, s.Why})
	}
	return w.Write(table)
}

// WithValues is withValues of a table whose rows come one after the other.
func WithValues(t render.Table) (render.Table, error) {
	var rows [][]any
	err := t.Each(func(row []any) error {
		rows = append(rows, slices.Clone(row))
		return nil
	})
	if err != nil || len(rows) == 0 {
		return t, err
	}
	least := t.Least
	t = withValues(render.Table{Name: t.Name, Columns: t.Columns, Rows: rows})
	t.Least = least
	return t, nil
}

// Least lists the columns of a result table that a narrow terminal shows only if there is
// room for all: those that tell least come first.
func Least(table string) []string {
	return map[string][]string{
		schema.Limits: {"name", "hi", "lo", "value", "amount"},
		schema.Tune:   {"fits", "converged", "status", "one_se", "selected", "best", "parameter"},
	}[table]
}

// withValues leaves out the columns that are NULL in all rows, but for some: much of what
// features have is of some algorithms only.
func withValues(t render.Table, but ...string) render.Table {
	out := render.Table{Name: t.Name, Rows: make([][]any, len(t.Rows))}
	for i, name := range t.Columns {
		if !slices.Contains(but, name) && !slices.ContainsFunc(t.Rows, func(row []any) bool { return row[i] != nil }) {
			continue
		}
		out.Columns = append(out.Columns, name)
		for j, row := range t.Rows {
			out.Rows[j] = append(out.Rows[j], row[i])
		}
	}
	return out
}

// without returns a table without some columns. Comments and reasons are said elsewhere.
func without(t render.Table, columns ...string) render.Table {
	out := render.Table{Name: t.Name, Rows: make([][]any, len(t.Rows))}
	for i, name := range t.Columns {
		if slices.Contains(columns, name) {
			continue
		}
		out.Columns = append(out.Columns, name)
		for j, row := range t.Rows {
			out.Rows[j] = append(out.Rows[j], row[i])
		}
	}
	return out
}

// ShowParams writes the recorded parameters of a run, each with the place that it came
// from.
func (w *Writer) ShowParams(text string, limit int) error {
	rows, err := recorded(text)
	if err != nil {
		return &framework.Fault{Class: framework.Data, Code: "run-damaged", Summary: "the parameters of the run cannot be read", Err: err}
	}
	t := render.Table{Name: "params", Columns: []string{"parameter", "value", "origin"}, Rows: rows[:Most(len(rows), limit)]}
	return w.WriteFirst(t, len(rows), limit, AllRows)
}

// AllRows says how all rows of a table are seen.
const AllRows = "--limit 0 or -o csv shows all"

// recorded lists recorded parameters by name.
func recorded(text string) (rows [][]any, err error) {
	var all map[string]settings.Given
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // a seed has more digits than a float64
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("recorded parameters: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("recorded parameters: trailing text")
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		rows = append(rows, []any{name, given(all[name].Value), all[name].Origin})
	}
	return rows, nil
}

// given is the cell of a recorded value, as its flag takes it.
func given(v any) any {
	list, ok := v.([]any)
	switch {
	case v == nil:
		return nil
	case !ok:
		return text(fmt.Sprint(v))
	}
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = fmt.Sprint(e)
	}
	return strings.Join(parts, ",")
}
