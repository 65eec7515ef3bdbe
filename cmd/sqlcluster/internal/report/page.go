package report

import (
	"bytes"
	_ "embed"
	"html/template"
	"strings"
	"sync"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/chart"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
)

//go:embed page.html
var pageText string

// pageTemplate is read when it is first used: few commands make a page.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"picture": func(f Figure) template.HTML { return template.HTML(f.Inline()) }, //nolint:gosec // package chart escapes what is not its own
		"command": func(words string) string {
			text, found := strings.CutPrefix(words, commandMark)
			if !found {
				return ""
			}
			return text
		},
		"safe": render.SafeLines,
	}).Parse(pageText))
})

// Page writes the page of some runs: one file that loads nothing.
func Page(runs []*Report) ([]byte, error) {
	var b bytes.Buffer
	err := pageTemplate().Execute(&b, struct {
		Runs    []*Report
		Style   template.CSS
		Compare *Table
	}{runs, template.CSS(chart.Style()), compared(runs)}) //nolint:gosec // it is a constant
	return b.Bytes(), err
}
