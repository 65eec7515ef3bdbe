package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/lock"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
)

// An addedKind is a kind of sets of centers that an added plugin serves.
type addedKind struct {
	framework.SetDescription
	plugin lock.Plugin
}

// addedKinds lists the kinds of sets of all added plugins.
func addedKinds() []addedKind {
	var all []addedKind
	for _, p := range added.file.Plugins {
		for _, d := range p.Sets {
			all = append(all, addedKind{d, p})
		}
	}
	return all
}

// kindOf returns the added kind of a name, or nil.
func kindOf(name string) *addedKind {
	all := addedKinds()
	if i := slices.IndexFunc(all, func(k addedKind) bool { return k.Kind == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// kindTable lists the kinds of sets of added plugins.
func kindTable() render.Table {
	t := render.Table{Name: "sets", Columns: []string{"set", "plugin", "version", "summary"}}
	for _, k := range addedKinds() {
		t.Rows = append(t.Rows, []any{k.Kind, k.plugin.Name, k.Version, k.Summary})
	}
	return t
}

// describeKind shows a kind of sets and its example.
func (a *app) describeKind(k *addedKind) error {
	t := render.Table{Name: "example", Columns: []string{"kind", "name", "cluster", "feature", "coef", "lo", "hi", "value"}}
	for _, r := range k.Example {
		var name any
		if r.Name != "" {
			name = r.Name
		}
		t.Rows = append(t.Rows, []any{r.Kind, name, orNull(r.Cluster), orNull(r.Feature), orNull(r.Coef), orNull(r.Lo), orNull(r.Hi), orNull(r.Value)})
	}
	if a.settings.output == "table" {
		uses := "none"
		if len(k.Uses) > 0 {
			uses = strings.Join(k.Uses, ", ")
		}
		_, _ = fmt.Fprintf(a.out, "%s %s: %s\nsource: %s\nserved by: plugin %s\ncolumns of --constraints that it reads: %s\nan example, for features f1 to f5 and 3 clusters:\n\n",
			k.Kind, k.Version, k.Summary, k.Source, k.plugin.Name, uses)
	}
	return render.Write(a.out, a.settings.output, t)
}

// orNull returns what p points to, or nil.
func orNull[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}
