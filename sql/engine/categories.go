package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// isEnum reports whether a type has values in the order of its declaration.
func isEnum(typ string) bool {
	typ = strings.ToUpper(strings.TrimPrefix(typ, "Nullable("))
	return strings.HasPrefix(typ, "ENUM(") || strings.HasPrefix(typ, "ENUM8(") || strings.HasPrefix(typ, "ENUM16(")
}

// A level is a category with its place among others; those of the same place are in the order of their bytes.
type level struct {
	place int
	text  string
}

// takeCategories takes the categories of columns: the number of the source, the category and its place.
func (t *Table) takeCategories(rows [][]any) error {
	sources := t.rows.selected.sources
	levels := make([][]level, len(sources))
	for _, row := range rows {
		i := int(numberOf(row[0], 0))
		if row[1] == nil {
			sources[i].nullSeen = true
			continue
		}
		text := textOf(row[1])
		if !utf8.ValidString(text) {
			name := sources[i].Name
			return framework.Faultf(framework.Data, "category-not-text", "column %q has a value that is no text in UTF-8: %q", name, text).
				WithHint("leave the column out with %s, or make text of it in a query",
					framework.SettingTo("exclude", input.ColumnItems([]string{name})))
		}
		levels[i] = append(levels[i], level{int(numberOf(row[2], 0)), text})
	}
	var many []string
	for i := range sources {
		if len(levels[i]) > maxLevels {
			many = append(many, sources[i].Name)
		}
		slices.SortFunc(levels[i], func(a, b level) int {
			if a.place != b.place {
				return a.place - b.place
			}
			return strings.Compare(a.text, b.text)
		})
		sources[i].levels = input.NamesOf(levels[i], func(l level) string { return l.text })
	}
	if many == nil {
		return nil
	}
	return framework.Faultf(framework.Data, "too-many-categories", "%d %s more than %d categories: %s",
		len(many), input.Agreed(len(many), "column has", "columns have"), maxLevels, input.ColumnNames(many)).
		WithHint("leave out keys and free text with %s; in a query, CASE can put rare categories together",
			framework.SettingTo("exclude", input.ColumnItems(many)))
}

// checkUnseen refuses categories that the recipe does not know.
func (t *Table) checkUnseen(ctx context.Context) error {
	r := t.rows
	var parts []string
	for i, s := range r.selected.sources {
		if !s.category || s.absent {
			continue
		}
		column := r.Text(r.column(s))
		conditions := []string{r.column(s) + " IS NOT NULL"}
		for _, f := range r.features(i) {
			if !f.Null {
				conditions = append(conditions, column+" <> "+r.Literal(f.Category))
			}
		}
		if r.keep != "" {
			conditions = append(conditions, r.keep)
		}
		parts = append(parts, fmt.Sprintf("SELECT * FROM (SELECT %d AS %st, %s AS %sv, count(*) AS %sn FROM %s WHERE %s GROUP BY %s LIMIT %d)",
			i, r.p, column, r.p, r.p, r.from, strings.Join(conditions, " AND "), column, input.ShownLimit+1))
	}
	if parts == nil {
		return nil
	}
	rows, err := t.engine.Query(ctx, strings.Join(parts, " UNION ALL "))
	if err != nil || len(rows) == 0 {
		return err
	}
	slices.SortFunc(rows, func(a, b []any) int {
		if d := int(numberOf(a[0], 0) - numberOf(b[0], 0)); d != 0 {
			return d
		}
		return strings.Compare(textOf(a[1]), textOf(b[1]))
	})
	var tally input.Tally
	for _, row := range rows {
		tally.Add("%s = %q: %s", r.selected.sources[int(numberOf(row[0], 0))].Name, textOf(row[1]),
			input.Plural(int(numberOf(row[2], 0)), "row"))
	}
	return framework.Faultf(framework.Data, "unseen-category", "%s not among those that the model was fitted with",
		map[bool]string{true: "1 category is", false: fmt.Sprintf("%d categories are", len(rows))}[len(rows) == 1]).
		WithHint("%s measures these rows without the column, %s takes its most frequent category",
			framework.SettingTo("unseen", matrix.UnseenIgnore), framework.SettingTo("unseen", matrix.UnseenNearest)).WithDetails(tally.Details())
}
