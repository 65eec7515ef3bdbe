package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// reproduceSection says how to get the same result.
func (r *run) reproduceSection() Section {
	t := Table{Title: "Versions, data and seed", Head: []string{"", "value"}}
	add := func(name, value string) {
		if value != "" {
			t.Rows = append(t.Rows, []string{name, value})
		}
	}
	add("relation", r.fit.Source)
	add("run id, made from settings and data", r.fit.RunID)
	add("algorithm", strings.TrimSpace(r.fit.Algorithm+" "+r.fit.Version))
	add("SHA-256 of the plugin", r.fit.PluginSHA256)
	add("sqlcluster", r.fit.ToolVersion)
	add("seed", fmt.Sprint(r.fit.Seed))
	if !r.started.IsZero() {
		add("date", r.started.Format("2006-01-02 15:04 UTC"))
	}
	settings := Table{Title: "Settings", Head: []string{"setting", "value", "from"}, Folded: true}
	for _, name := range r.settings() {
		if g := r.params[name]; valueText(g.Value) != "" {
			settings.Rows = append(settings.Rows, []string{name, valueText(g.Value), g.Origin})
		}
	}
	glossary := Table{Title: "Words", Head: []string{"word", "what it means"}, Rows: glossary, Folded: true}
	same := "The same rows, settings and seed give the same bits on any machine:"
	words := []string{same, commandMark + r.command()}
	if names := r.notKept(); names != nil {
		words = []string{"The run was made in SQL, from rows that are not kept with it (" + strings.Join(names, ", ") +
			"): no command makes it again. The statement is the relation below."}
	}
	return Section{Title: "How to reproduce", Words: words, Tables: []Table{t, settings, glossary}}
}

// notKept are the settings whose rows were there only while a statement ran.
func (r *run) notKept() (names []string) {
	for _, name := range r.settings() {
		if r.params[name].Value == settings.Passing {
			names = append(names, name)
		}
	}
	return names
}

// glossary has the words that readers may not know.
var glossary = [][]string{
	{"adjusted Rand index", "how alike two clusterings are: 1, the same; 0, as alike as by chance"},
	{"center", "the mean of a cluster's rows, or their median"},
	{"explained variance", "the share of the variance of the rows that is between clusters, and not within them"},
	{"feature", "a column that rows are clustered by, or a category of one"},
	{"gain", "how much a feature adds to what the clusters explain"},
	{"gap", "how much better the rows are explained than rows without clusters"},
	{"objective", "what the algorithm makes as small as it can, for most the sum of the distances of rows to their centers"},
	{"silhouette", "how much nearer a row is to its own cluster than to the next: 1, much; 0, not at all; below 0, it is not"},
	{"standard error", "how far a number may be off by chance: two that are within one standard error can hardly be told apart"},
}

// commandMark begins words that are a command.
const commandMark = "$ "

// settings are the names of the settings, in order.
func (r *run) settings() []string {
	names := make([]string, 0, len(r.params))
	for name := range r.params {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// valueText writes a value as a flag takes it.
func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []any:
		parts := make([]string, len(v))
		for i, part := range v {
			parts[i] = fmt.Sprint(part)
			if strings.ContainsAny(parts[i], `,"`) {
				parts[i] = `"` + strings.ReplaceAll(parts[i], `"`, `""`) + `"`
			}
		}
		return strings.Join(parts, ",")
	case json.Number:
		return v.String()
	}
	return fmt.Sprint(v)
}

// verb is the command that made the run.
func (r *run) verb() string {
	switch {
	case len(r.tune) > 0:
		return "tune"
	case len(r.path) > 0:
		return "path"
	case len(r.stable.clusters) > 0:
		return "stability"
	}
	return "fit"
}

// command is the command line of the run, with what was not left to defaults; of a
// stability the two of which the first makes the run.
func (r *run) command() string {
	verb, into := r.verb(), r.name
	if verb == "stability" {
		verb, into = "fit", "RUN"
	}
	words := []string{"sqlcluster", verb, framework.ShellWord(r.fit.Source)}
	for _, name := range r.settings() {
		g := r.params[name]
		text := valueText(g.Value)
		if g.Origin == "default" || g.Origin == "path" || g.Origin == "tune" || text == "" && g.Value == nil {
			continue
		}
		flag := "--" + strings.ReplaceAll(name, "_", "-")
		switch {
		case name == "k", name == "ks": // one number, or those that a tuning has tried
			flag = "-k"
		case name == "algorithm":
			flag = "-a"
		case strings.HasPrefix(name, "param."):
			words = append(words, "--param", framework.ShellWord(strings.TrimPrefix(name, "param.")+"="+text))
			continue
		case g.Value == true:
			words = append(words, flag)
			continue
		}
		words = append(words, flag, framework.ShellWord(text))
	}
	text := strings.Join(append(words, "--db", "FILE", "--into", framework.ShellWord(into)), " ")
	if into == r.name {
		return text
	}
	text += fmt.Sprintf("\nsqlcluster stability RUN --draws %d", r.stable.draws)
	if r.stable.uneven {
		text += " --resample bootstrap"
	}
	return text + " --db FILE --into " + framework.ShellWord(r.name)
}
