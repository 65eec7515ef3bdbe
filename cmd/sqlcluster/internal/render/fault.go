package render

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Fault writes an error for people: code, sentence, place, suggestion. Texts are
// made safe, and lose their middle where they are long; what DuckDB or a system
// says is shown whole.
func Fault(w io.Writer, f *framework.Fault, color bool) {
	head := "error[" + f.Code + "]:"
	if color {
		head = text.Colors{text.FgRed, text.Bold}.EscapeSeq() + head + text.Reset.EscapeSeq()
	}
	summary := line(f.Summary)
	if f.Err != nil {
		summary += ": " + SafeLines(f.Err.Error())
	}
	_, _ = fmt.Fprintln(w, head, summary)
	for _, detail := range f.Details {
		_, _ = fmt.Fprintln(w, "  "+Short(safe(detail, "\t"), longestLine))
	}
	if f.Similar != "" {
		_, _ = fmt.Fprintln(w, "  did you mean: "+line(f.Similar))
	}
	if f.Where != "" {
		_, _ = fmt.Fprintln(w, "  where: "+line(f.Where))
	}
	if f.Hint != "" {
		_, _ = fmt.Fprintln(w, "  hint:  "+line(f.Hint))
	}
}

func line(text string) string { return Short(Safe(text), longestLine) }
