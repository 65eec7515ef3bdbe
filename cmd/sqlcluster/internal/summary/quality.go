package summary

import (
	"fmt"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
)

// quality writes how good clusters are. Of one cluster there is nothing to say.
func (w *Writer) quality(b *job.Job, q *job.Quality) {
	if b.Problem.K < 2 {
		return
	}
	if p := b.Problem.P; q.Explained == q.Explained && q.OfSelected == q.OfSelected {
		of := fmt.Sprintf("%s of %s", percent(q.Explained), input.Counted(p, "feature", "features"))
		switch {
		case q.Weighted:
			of = fmt.Sprintf("%s of %s by weight, %s of all %d", percent(q.OfSelected),
				input.Counted(q.Selected, "feature", "features"), percent(q.Explained), p)
		case q.Selected < p:
			of = fmt.Sprintf("%s of %s, %s of all %d", percent(q.OfSelected),
				input.Counted(q.Selected, "selected feature", "selected features"), percent(q.Explained), p)
		}
		fmt.Fprintf(w.Out, "explained variance%s: %s (one cluster: 0%%)\n", drawn(q.Sampled), of)
	}
	if q.Silhouette == q.Silhouette {
		fmt.Fprintf(w.Out, "silhouette %s%s: 1 is compact and far apart, 0 is overlapping\n", render.Number(q.Silhouette, 2),
			drawn(q.Measured))
	}
}

// drawn says that a number is of so many rows only.
func drawn(rows int) string {
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf(" (of %d random rows)", rows)
}

// percent writes a part with two digits, or more before the decimal point.
func percent(part float64) string { return render.Number(100*part, 2) + "%" }
