package render

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Fault writes an error for people: code, sentence, place, suggestion. See Safe.
func Fault(w io.Writer, f *framework.Fault, color bool) {
	head := "error[" + f.Code + "]:"
	if color {
		head = text.Colors{text.FgRed, text.Bold}.EscapeSeq() + head + text.Reset.EscapeSeq()
	}
	summary := Safe(f.Summary)
	if f.Err != nil {
		summary += ": " + SafeLines(f.Err.Error())
	}
	_, _ = fmt.Fprintln(w, head, summary)
	for _, line := range f.Details {
		_, _ = fmt.Fprintln(w, "  "+safe(line, "\t"))
	}
	if f.Similar != "" {
		_, _ = fmt.Fprintln(w, "  did you mean: "+Safe(f.Similar))
	}
	if f.Where != "" {
		_, _ = fmt.Fprintln(w, "  where: "+Safe(f.Where))
	}
	if f.Hint != "" {
		_, _ = fmt.Fprintln(w, "  hint:  "+Safe(f.Hint))
	}
}
