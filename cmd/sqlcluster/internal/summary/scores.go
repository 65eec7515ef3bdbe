package summary

import (
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// Scores is the table of scores.
type Scores struct{ rows [][]any }

// Add adds a score of some rows; better is higher or lower.
func (s *Scores) Add(name string, value float64, better string, rows any) {
	s.rows = append(s.rows, []any{name, value, better, rows})
}

// Compare adds the scores against classes.
func (s *Scores) Compare(t score.Table) {
	add := func(name string, value float64, better string) {
		s.Add(name, value, better, t.Rows())
	}
	add("pairwise_f", t.PairwiseF(), "higher")
	add("ari", t.ARI(), "higher")
	for _, n := range score.Norms() {
		add("nmi_"+string(n), t.NMI(n), "higher")
	}
	add("nvi", t.NVI(), "lower")
	add("rand", t.Rand(), "higher")
	add("cer", t.CER(), "lower")
	add("majority_error", t.MajorityError(), "lower")
	add("purity", t.Purity(), "higher")
	clusters, rows := t.Mixed()
	add("mixed_clusters", float64(clusters), "lower")
	add("mixed_rows", float64(rows), "lower")
}

// ShowScores writes scores.
func (w *Writer) ShowScores(s *Scores) error {
	return w.Write(render.Table{Name: "scores", Columns: []string{"score", "value", "better", "rows"}, Rows: s.rows})
}

// CommonNotes says which rows are not scored.
func (w *Writer) CommonNotes(c *store.Common) {
	if c.NotInRun > 0 || c.NotInTable > 0 {
		w.Note("note: %s not in the run, and %s not in the relation: only those in both are scored",
			job.Counted(c.NotInRun, "row of the relation is", "rows of the relation are"),
			job.Counted(c.NotInTable, "row of the run is", "rows of the run are"))
	}
	if c.Unclustered > 0 {
		w.Note("note: %s", job.Counted(c.Unclustered, "row has no cluster in the run, and is left out",
			"rows have no cluster in the run, and are left out"))
	}
	if c.Dropped > 0 {
		w.Note("note: %s a NULL in the relation: left out of silhouette and explained variance", job.Counted(c.Dropped, "row has", "rows have"))
	}
}
