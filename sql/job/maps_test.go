package job_test

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/model"
)

// mapped are the documents with a map of their words.
const mapped = `CREATE TABLE mapped AS SELECT doc,
	coalesce(map_from_entries(list({k: term, v: n}) FILTER (term IS NOT NULL)), MAP {}) AS words
	FROM long GROUP BY doc`

func TestMapsGiveTheResultsOfTriples(t *testing.T) {
	db := documentsIn(t)
	must.Do(t, db.Exec(t.Context(), mapped))
	_, want := clustered(t, db, ofDocuments(true, nil))
	s := ofDocuments(true, nil)
	s.Relation, s.Long, s.ID, s.Features = "mapped", nil, "doc", []string{"words"}
	j, got := clustered(t, db, s)
	must.Equal(t, true, j.Data.IsSparse())
	must.Equal(t, want.Assignments.Labels, got.Assignments.Labels)
	must.Equal(t, want.Fit.Model, got.Fit.Model)
	must.Do(t, db.Write(t.Context(), "m", false, got))
	m := must.Get(model.Load(t.Context(), longLibrary, db, "m", ""))(t)
	for _, relation := range []string{"mapped", "wide"} {
		p := must.Get(m.Predict(t.Context(), db, input.Spec{Relation: relation}, 1, matrix.UnseenError))(t)
		must.Equal(t, want.Assignments.Labels, p.Assignments.Labels)
	}
	scores := must.Get(m.Score(t.Context(), db, model.ScoreOptions{Relation: "mapped", Threads: 1}))(t)
	must.Equal(t, want.Fit.N, scores.All[1].Rows)
}
