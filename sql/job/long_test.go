package job_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/suggest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// documents are 90 texts of three topics, as triples and as a table of columns. Of the
// 12 words, w0 is in most of them; 7 counts are not known, and document 91 is empty.
func documents() string {
	columns := ""
	for _, word := range []string{"w0", "w1", "w10", "w11", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9"} {
		columns += fmt.Sprintf(", CASE WHEN coalesce(bool_or(term = '%s' AND n IS NULL), false) THEN NULL "+
			"ELSE coalesce(sum(n) FILTER (term = '%[1]s'), 0) END AS %[1]s", word)
	}
	return `CREATE TABLE long AS SELECT doc, 'w' || word AS term,
		CASE WHEN hash(doc, word, 3) % 50 > 0 THEN 1 + hash(doc, word, 1) % 4 + word % 3 END AS n, 1 + doc % 3 AS w, doc % 3 AS topic
		FROM range(90) d(doc), range(12) v(word)
		WHERE word = 0 AND doc % 10 > 0 OR word % 4 = 1 + doc % 3 AND hash(doc, word) % 4 > 0 OR hash(doc, word) % 11 = 0;
		INSERT INTO long VALUES (91, NULL, NULL, 2, 0);
		CREATE TABLE wide AS SELECT doc, w, topic` + columns + ` FROM long GROUP BY ALL`
}

var longLibrary = library.Here(slices.Concat(skfr.Algorithms(), pcskm.Algorithms())...)

func documentsIn(t *testing.T) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), sqltest.Temp(t, "docs.duckdb"), store.ReadWrite)
	return sqltest.Ready(t, db, err, documents())
}

// ofDocuments are the settings of a fit of documents, as triples or as columns.
func ofDocuments(long bool, change func(*settings.Settings)) settings.Settings {
	s := settings.Defaults()
	s.K, s.Init, s.Restarts, s.Threads = 3, "random", 4, 1
	if change != nil {
		change(&s)
	}
	if long {
		s.Relation, s.Long = "long", []string{"doc", "term", "n"}
	} else {
		s.Relation, s.ID, s.Exclude = "wide", "doc", append(s.Exclude, "topic")
		if s.Weight == "" {
			s.Exclude = append(s.Exclude, "w")
		}
	}
	return s
}

// clustered makes a fit, and returns the rows of its tables.
func clustered(t *testing.T, db *store.DB, s settings.Settings) (*job.Job, *result.Tables) {
	t.Helper()
	j := must.Get(job.New(s, longLibrary))(t)
	t.Cleanup(j.Close)
	must.Do(t, j.Read(t.Context(), db, nil))
	f := must.Get(j.Fit(t.Context(), nil))(t)
	must.Do(t, j.Measure(t.Context(), f))
	return j, must.Get(j.Tables(f))(t)
}

var nearly = cmp.Options{cmpopts.EquateNaNs(), cmpopts.EquateApprox(1e-9, 1e-9),
	cmpopts.IgnoreFields(result.Fit{}, "RunID", "Params", "Source", "Model")}

func TestTriplesGiveTheResultsOfColumns(t *testing.T) {
	db := documentsIn(t)
	for name, change := range map[string]func(*settings.Settings){
		"kmeans":    nil,
		"raw":       func(s *settings.Settings) { s.Scale = "raw" },
		"none":      func(s *settings.Settings) { s.Scale = "none" },
		"weights":   func(s *settings.Settings) { s.Weight = "w" },
		"drop":      func(s *settings.Settings) { s.Nulls = "drop" },
		"trim":      func(s *settings.Settings) { s.Trim = 0.1 },
		"distances": func(s *settings.Settings) { s.Distances = 2 },
		"batch":     func(s *settings.Settings) { s.Batch = 30 },
		"features":  func(s *settings.Settings) { s.Features = []string{"w1*", "w2"} },
		"medians":   func(s *settings.Settings) { s.Params = map[string]settings.Given{"loss": {Value: "l1"}} },
		"global": func(s *settings.Settings) {
			s.Algorithm, s.Params = "skfr", map[string]settings.Given{"sparsity": {Value: 4}}
		},
		"local": func(s *settings.Settings) {
			s.Algorithm, s.Params = "skfr", map[string]settings.Given{"sparsity": {Value: 3}, "scope": {Value: "local"}}
		},
		"pckm": func(s *settings.Settings) { s.Algorithm, s.Nulls = "pckm", "drop" },
	} {
		t.Run(name, func(t *testing.T) {
			j, long := clustered(t, db, ofDocuments(true, change))
			_, wide := clustered(t, db, ofDocuments(false, change))
			must.Equal(t, !slices.Contains([]string{"medians"}, name), j.Data.IsSparse())
			must.Equal(t, wide.Assignments.Labels, long.Assignments.Labels)
			must.Equal(t, sqltest.KeyTexts(wide.Assignments.Keys), sqltest.KeyTexts(long.Assignments.Keys))
			for _, part := range [][2]any{{wide.Centers, long.Centers}, {wide.Features, long.Features}, {wide.Clusters, long.Clusters},
				{wide.Assignments.Distances, long.Assignments.Distances}, {wide.Fit, long.Fit}, {wide.Assignments.Second, long.Assignments.Second}} {
				if d := cmp.Diff(part[0], part[1], nearly); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

func TestNewTriplesAreLabelledAndScoredAsColumns(t *testing.T) {
	db := documentsIn(t)
	for _, name := range []string{"long", "wide"} {
		_, tables := clustered(t, db, ofDocuments(name == "long", nil))
		must.Do(t, db.Write(t.Context(), "of_"+name, false, tables))
	}
	predicted := func(run string, spec input.Spec) *model.Predicted {
		m := must.Get(model.Load(t.Context(), longLibrary, db, run, ""))(t)
		return must.Get(m.Predict(t.Context(), db, spec, 1, matrix.UnseenError))(t)
	}
	triples := &input.Long{Key: "doc", Feature: "term", Value: "n"}
	want := predicted("of_wide", input.Spec{Relation: "wide"})
	for _, c := range []struct {
		run  string
		spec input.Spec
	}{
		{"of_long", input.Spec{Relation: "long"}},
		{"of_long", input.Spec{Relation: "long", Long: triples}},
		{"of_long", input.Spec{Relation: "wide"}},
		{"of_wide", input.Spec{Relation: "long", Long: triples}},
		{"of_long", input.Spec{Relation: "SELECT doc AS d, term AS f, n AS v FROM long", Long: &input.Long{Key: "d", Feature: "f", Value: "v"}}},
		{"of_long", input.Spec{Relation: "SELECT * FROM (FROM long UNION ALL " +
			"SELECT DISTINCT doc, 'new' || doc % 5, 2, w, topic FROM long) ORDER BY random()"}},
	} {
		got := predicted(c.run, c.spec)
		must.Equal(t, want.Assignments.Labels, got.Assignments.Labels)
		if d := cmp.Diff(want.Assignments.Distance, got.Assignments.Distance, nearly); d != "" {
			t.Error(d)
		}
		note := ""
		if strings.Contains(c.spec.Relation, "new") {
			note = "5 features of the relation are not in the model, and have no effect"
		}
		must.Equal(t, note, strings.Join(got.Notes, "\n"))
	}
	few := predicted("of_long", input.Spec{Relation: "FROM long WHERE term = 'w1' AND n > 0 OR term IS NULL"})
	columns := predicted("of_wide", input.Spec{Relation: "SELECT * REPLACE (0 AS w0, 0 AS w2, 0 AS w3, 0 AS w4, 0 AS w5, " +
		"0 AS w6, 0 AS w7, 0 AS w8, 0 AS w9, 0 AS w10, 0 AS w11) FROM wide WHERE w1 > 0 OR doc = 91"})
	must.Equal(t, columns.Assignments.Labels, few.Assignments.Labels)

	scored := func(run, relation string) *model.Scores {
		m := must.Get(model.Load(t.Context(), longLibrary, db, run, ""))(t)
		return must.Get(m.Score(t.Context(), db, model.ScoreOptions{Relation: relation, Truth: "topic", Rows: true, Threads: 1}))(t)
	}
	byColumns := scored("of_wide", "wide")
	for _, relation := range []string{"long", "wide"} {
		got := scored("of_long", relation)
		if d := cmp.Diff(byColumns.All, got.All, nearly); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(byColumns.Rows.Values, got.Rows.Values, nearly); d != "" {
			t.Error(d)
		}
	}
	m := must.Get(model.Load(t.Context(), longLibrary, db, "of_long", ""))(t)
	drawn := must.Get(m.Draw(t.Context(), db, model.ScoreOptions{Relation: "long", Sample: 20, Threads: 1}))(t)
	must.Equal(t, false, slices.ContainsFunc(drawn.X.Data, func(v float64) bool { return math.IsInf(v, 0) }))
	_, err := m.Predict(t.Context(), db, input.Spec{Relation: "SELECT 1 AS x"}, 1, matrix.UnseenError)
	if f := framework.AsFault(err); f == nil || !strings.Contains(f.Render(nil).Hint, "the run read triples, with the columns doc, term, n") {
		t.Errorf("%v", sqltest.Explain(err))
	}
}

func TestAFitOfTriplesIsMadeAgainFromItsRecord(t *testing.T) {
	db := documentsIn(t)
	s := ofDocuments(true, func(s *settings.Settings) { s.Repeated, s.MinRows, s.MaxShare = "sum", 3, 0.9 })
	_, tables := clustered(t, db, s)
	again, _, err := settings.Recorded(tables.Fit.Params, "long", longLibrary)
	must.Do(t, err)
	_, same := clustered(t, db, again)
	must.Equal(t, tables.Fit.RunID, same.Fit.RunID)
	must.Equal(t, tables.Fit.Params, same.Fit.Params)
	must.Equal(t, tables.Fit.Model, same.Fit.Model)
	must.Do(t, db.Write(t.Context(), "r", false, tables))
	row := must.Get(db.LoadModel(t.Context(), "r"))(t)
	stable := must.Get(job.NewStability(row, "r", "long", 1, longLibrary, job.StabilityOptions{Draws: 3, Resample: job.Subsample}))(t)
	defer stable.Close()
	must.Do(t, stable.Read(t.Context(), db, nil))
	must.Do(t, stable.Run(t.Context(), nil))
}

func TestAPathAndATuningReadTriples(t *testing.T) {
	db := documentsIn(t)
	s := ofDocuments(true, func(s *settings.Settings) { s.Algorithm = "skfr" })
	p, _ := must.Get(longLibrary.Find("skfr"))(t).Param("sparsity")
	path := must.Get(job.NewPath(s, longLibrary, settings.Grid{Parameter: p, Values: []float64{2, 5}}, job.PathOptions{Labels: true}))(t)
	defer path.Close()
	must.Do(t, path.Read(t.Context(), db, nil))
	must.Do(t, path.Run(t.Context(), nil))
	must.Equal(t, 2, len(must.Get(path.Tables(""))(t).Points))

	s.Algorithm, s.Nulls = "pckm", "drop"
	for _, truth := range []string{"", "topic"} {
		if s.Ks = "2,3"; truth != "" {
			s.Ks = ""
		}
		o := settings.DefaultTuneOptions()
		o.Draws, o.Truth, o.Folds, o.Repeats = 3, truth, 2, 1
		tuning := must.Get(job.NewTuning(s, longLibrary, settings.Grid{}, o))(t)
		defer tuning.Close()
		must.Do(t, tuning.Read(t.Context(), db, nil))
		must.Do(t, tuning.Run(t.Context(), nil))
		must.Do(t, tuning.Failed())
	}
}

func TestPairsOfTriplesAreThoseOfColumns(t *testing.T) {
	db := documentsIn(t)
	for _, method := range suggest.Methods() {
		for _, links := range []string{"", "SELECT 3 AS a, 6 AS b, 'must' AS kind UNION ALL SELECT 3, 7, 'cannot'"} {
			var asked [][]result.Suggestion
			for _, long := range []bool{true, false} {
				s := ofDocuments(long, func(s *settings.Settings) { s.Pairs, s.Nulls = links, "drop" })
				j := must.Get(job.NewQuestions(s, method, 12))(t)
				must.Do(t, j.Read(t.Context(), db, nil))
				must.Equal(t, long, j.Data.IsSparse())
				asked = append(asked, must.Get(j.Ask(t.Context(), method, 12))(t))
				j.Close()
			}
			must.Equal(t, asked[1], asked[0])
		}
	}
}

// tooLarge is a source of sparse rows whose cells do not fit anywhere.
type tooLarge struct{ job.Source }

func (tooLarge) Read(context.Context, input.Spec) (*input.Table, error) {
	const columns = 1 << 27
	b := matrix.NewSparseBuilder(columns, matrix.Options{})
	for i := range 1 << 12 {
		if err := b.AppendRow([]int32{int32(i)}, []float64{1}); err != nil {
			return nil, err
		}
	}
	return &input.Table{Features: make([]string, columns), Builder: b, Keys: input.Numbered(b.Rows()), KeyName: "doc"}, nil
}

func TestAFitThatNeedsEveryCellOfTooManyIsRefused(t *testing.T) {
	s := ofDocuments(true, func(s *settings.Settings) { s.Params = map[string]settings.Given{"loss": {Value: "l1"}} })
	j := must.Get(job.New(s, longLibrary))(t)
	defer j.Close()
	err := j.Read(t.Context(), tooLarge{}, nil)
	f := framework.AsFault(err)
	const hint = "fit by an algorithm that does with the cells that are not 0: kmeans, skfr"
	if f == nil || f.Code != "too-large-dense" || !strings.Contains(f.Render(nil).Hint, hint) {
		t.Error(sqltest.Explain(err))
	}
}

func TestFeaturesThatDifferByCaseNeedTriples(t *testing.T) {
	db := documentsIn(t)
	s := ofDocuments(true, nil)
	s.Relation = "SELECT doc, CASE WHEN term = 'w1' THEN 'W2' ELSE term END AS term, n FROM long"
	_, tables := clustered(t, db, s)
	must.Do(t, db.Write(t.Context(), "cased", false, tables))
	m := must.Get(model.Load(t.Context(), longLibrary, db, "cased", ""))(t)
	_, err := m.Labeller()
	if f := framework.AsFault(err); f == nil || f.Code != "features-differ-by-case" {
		t.Error(sqltest.Explain(err))
	}
	_, err = m.Predict(t.Context(), db, input.Spec{Relation: "wide"}, 1, matrix.UnseenError)
	if f := framework.AsFault(err); f == nil || f.Code != "column-not-found" {
		t.Error(sqltest.Explain(err))
	}
	labels := must.Get(m.Predict(t.Context(), db, input.Spec{Relation: s.Relation}, 1, matrix.UnseenError))(t)
	must.Equal(t, tables.Assignments.Labels, labels.Assignments.Labels)
}

func TestTheTriplesOfARowHaveOneClass(t *testing.T) {
	db := documentsIn(t)
	s := ofDocuments(true, func(s *settings.Settings) { s.Algorithm, s.Nulls = "pckm", "drop" })
	o := settings.DefaultTuneOptions()
	o.Truth = "term"
	tuning := must.Get(job.NewTuning(s, longLibrary, settings.Grid{}, o))(t)
	defer tuning.Close()
	err := tuning.Read(t.Context(), db, nil)
	if f := framework.AsFault(err); f == nil || f.Code != "classes-differ" {
		t.Error(sqltest.Explain(err))
	}
}
