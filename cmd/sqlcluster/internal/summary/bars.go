package summary

import (
	"math"
	"strings"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
)

// Characters of a whole bar: of clusters, and of features, beside which there is more.
const (
	clusterBar = 24
	featureBar = 10
)

// withBars puts bars behind a column of numbers, in a terminal that has room for them
// beside all that the table says: the longest is that of the largest number. Programs and
// files get none.
func (w *Writer) withBars(t render.Table, column string, length int) render.Table {
	at := -1
	for i, name := range t.Columns {
		if name == column {
			at = i
		}
	}
	if at < 0 || !w.Tabular() || render.WidthOf(w.Out) == 0 {
		return t
	}
	largest := 0.0
	for _, row := range t.Rows {
		largest = math.Max(largest, asNumber(row[at]))
	}
	barred := t
	barred.Columns = inserted(t.Columns, at+1, "")
	barred.Rows = make([][]any, len(t.Rows))
	for i, row := range t.Rows {
		barred.Rows[i] = inserted(row, at+1, any(bar(asNumber(row[at]), largest, length)))
	}
	if !render.Fits(barred, render.WidthOf(w.Out)) {
		return t
	}
	return barred
}

func inserted[T any](list []T, at int, v T) []T {
	return append(append(append(make([]T, 0, len(list)+1), list[:at]...), v), list[at:]...)
}

func asNumber(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}

// bar draws a number by blocks, to an eighth of one.
func bar(v, largest float64, length int) string {
	if !(v > 0) || !(largest > 0) {
		return ""
	}
	eighths := max(1, int(math.Round(v/largest*float64(length)*8)))
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return text
}
