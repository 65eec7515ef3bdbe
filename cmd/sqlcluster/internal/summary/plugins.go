package summary

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/library"
)

// ShowLibrary lists algorithms, and the kinds of sets of added plugins if there are any.
func (w *Writer) ShowLibrary(l library.Library) error {
	t := render.Table{Name: "algorithms", Prose: true, Columns: []string{"algorithm", "plugin", "version", "summary"}}
	for _, a := range l.Algorithms {
		from := a.Plugin
		if a.Local != nil {
			from += " (built in)"
		}
		t.Rows = append(t.Rows, []any{a.Name, from, a.Version, a.Summary})
	}
	if len(l.Kinds) == 0 {
		return w.Write(t)
	}
	sets := render.Table{Name: "sets", Columns: []string{"set", "plugin", "version", "summary"}}
	for _, k := range l.Kinds {
		sets.Rows = append(sets.Rows, []any{k.Kind, k.Plugin, k.Version, k.Summary})
	}
	return w.Write(t, sets)
}

// ShowAlgorithm describes an algorithm and its parameters.
func (w *Writer) ShowAlgorithm(d framework.Description) error {
	t := render.Table{Name: "parameters", Prose: true, Columns: []string{"parameter", "flag", "type", "default", "values", "meaning"}}
	for _, p := range d.Params {
		def := text(p.Default)
		if p.Required {
			def = "required"
		}
		t.Rows = append(t.Rows, []any{p.Name, flags.Given(p), string(p.Type), def, text(p.Values()), p.Doc})
	}
	if w.Tabular() {
		fmt.Fprintf(w.Out, "%s %s: %s\npaper: %s\n"+
			"missing cells: %s; constraints on centers: %s; empty clusters: %s; scale: %s; center: %s%s\n\n",
			d.Name, d.Version, d.Summary, cmp.Or(d.Paper, "none"), map[bool]string{true: "handled", false: "refused"}[d.Missing],
			map[bool]string{true: "kept", false: "refused"}[d.Constraints], d.Empty, d.Scale, centerText(d), groupText(d))
	}
	return w.Write(t)
}

// groupText says what an algorithm does with categories, groups and outliers, and what
// its objective has beside distances, if anything.
func groupText(d framework.Description) string {
	text := ""
	if d.Norm != "" {
		text += "; rows: divided by their length (norm " + d.Norm + ")"
	}
	if d.Categorical {
		text += "; text columns: categories"
	}
	if d.Groups {
		text += "; features: selected by group"
	}
	if d.Trims {
		text += "; outliers: can be left out"
	}
	if len(d.ObjectiveTerms) > 0 {
		text += "; objective: sum of distances, " + strings.Join(d.ObjectiveTerms, ", ")
	}
	return text
}

// centerText says which location columns get: "mean, median for loss=l1".
func centerText(d framework.Description) string {
	all := []string{cmp.Or(d.Center, "mean")}
	for _, p := range d.Params {
		for _, value := range slices.Sorted(maps.Keys(p.Center)) {
			all = append(all, fmt.Sprintf("%s for %s=%s", p.Center[value], p.Name, value))
		}
	}
	return strings.Join(all, ", ")
}

// ShowKind describes a kind of sets, and shows its example.
func (w *Writer) ShowKind(k library.Kind) error {
	t := render.Table{Name: "example", Columns: []string{"kind", "name", "cluster", "feature", "coef", "lo", "hi", "value"}}
	for _, r := range k.Example {
		t.Rows = append(t.Rows, []any{r.Kind, text(r.Name), value(r.Cluster), value(r.Feature), value(r.Coef), value(r.Lo), value(r.Hi),
			value(r.Value)})
	}
	if w.Tabular() {
		uses := cmp.Or(strings.Join(k.Uses, ", "), "none")
		fmt.Fprintf(w.Out, "%s %s: %s\nsource: %s\nserved by: plugin %s\ncolumns of --constraints that it reads: %s\n"+
			"an example, for features f1 to f5 and 3 clusters:\n\n", k.Kind, k.Version, k.Summary, k.Source, k.Plugin, uses)
	}
	return w.Write(t)
}
