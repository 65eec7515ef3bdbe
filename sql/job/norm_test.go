package job_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/settings"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// counts are those of words, of three kinds and many lengths, one of them of zeros.
const counts = `CREATE TABLE documents AS SELECT i AS id, i % 3 AS kind,
	(1 + i % 7) * (if(i % 3 = 0, 9, 0) + hash(i) % 4) AS ship, (1 + i % 7) * (if(i % 3 = 1, 9, 0) + hash(i + 1000) % 4) AS bread,
	(1 + i % 7) * (if(i % 3 = 2, 9, 0) + hash(i + 2000) % 4) AS king, (1 + i % 7) * (hash(i + 3000) % 3) AS the,
	pow(2, (hash(i + 4000) % 40)::INTEGER - 20) AS power FROM range(600) t(i)
	UNION ALL SELECT 600, 0, 0, 0, 0, 0, 1`

const words = "ship, bread, king, the"

// cosine fits the documents, read by a query, with the settings changed.
func cosine(t *testing.T, db *store.DB, relation string, change func(*settings.Settings)) (*job.Job, *job.Fitted) {
	t.Helper()
	s := settings.Defaults()
	s.Relation, s.ID, s.K, s.Restarts, s.Threads = relation, "id", 3, 3, 2
	change(&s)
	j := must.Get(job.New(s, library.Here(skfr.Algorithms()...)))(t)
	t.Cleanup(j.Close)
	must.Do(t, j.Read(t.Context(), db, nil))
	return j, must.Get(j.Fit(t.Context(), nil))(t)
}

func withDocuments(t *testing.T) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), sqltest.Temp(t, "documents.duckdb"), store.ReadWrite)
	return sqltest.Ready(t, db, err, counts)
}

// normed are ways to fit rows that are divided by their length.
var normed = map[string]func(*settings.Settings){
	"spherical":      func(s *settings.Settings) { s.Algorithm = "spherical" },
	"kmeans, raw":    func(s *settings.Settings) { s.Norm, s.Scale = matrix.L2, "raw" },
	"kmeans, scaled": func(s *settings.Settings) { s.Norm = matrix.L2 },
	"skfr": func(s *settings.Settings) {
		s.Norm, s.Algorithm, s.Params = matrix.L2, "skfr", map[string]settings.Given{"sparsity": {Value: "3"}}
	},
}

func TestRowsThatAreDividedByTheirLengthInSQLGiveTheSameFit(t *testing.T) {
	db := withDocuments(t)
	inSQL := "SELECT id"
	for _, w := range []string{"ship", "bread", "king", "the"} {
		inSQL += fmt.Sprintf(", if(l = 0, 0, %s / l) AS %s", w, w)
	}
	inSQL += " FROM (SELECT *, sqrt(ship * ship + bread * bread + king * king + the * the) AS l FROM documents)"
	for name, change := range normed {
		t.Run(name, func(t *testing.T) {
			_, ours := cosine(t, db, "SELECT id, "+words+" FROM documents", change)
			_, theirs := cosine(t, db, inSQL, func(s *settings.Settings) {
				if change(s); s.Algorithm != "spherical" {
					s.Norm = ""
				}
			})
			must.Equal(t, theirs.Labels, ours.Labels)
			must.Equal(t, theirs.Model.Centers, ours.Model.Centers, cmpopts.EquateApprox(0, 1e-12))
			must.Equal(t, theirs.Objective, ours.Objective, cmpopts.EquateApprox(1e-12, 0))
		})
	}
}

func TestARowTimesAPowerOfTwoChangesNoBitOfAFit(t *testing.T) {
	db := withDocuments(t)
	for name, change := range normed {
		t.Run(name, func(t *testing.T) {
			_, want := cosine(t, db, "SELECT id, "+words+" FROM documents", change)
			_, got := cosine(t, db, "SELECT id, power * COLUMNS(['ship', 'bread', 'king', 'the']) FROM documents", func(s *settings.Settings) {
				change(s)
				s.Threads = 1
			})
			must.Equal(t, want.Labels, got.Labels)
			must.Equal(t, want.Model, got.Model, clustertest.Bitwise, cmpopts.IgnoreFields(*want.Model, "Cache"))
			must.Equal(t, want.Distance, got.Distance, clustertest.Bitwise)
			must.Equal(t, want.Objective, got.Objective, clustertest.Bitwise)
		})
	}
}

func TestAStoredModelDividesNewRowsByTheirLength(t *testing.T) {
	db := withDocuments(t)
	for name, change := range normed {
		t.Run(name, func(t *testing.T) {
			j, fitted := cosine(t, db, "SELECT id, "+words+" FROM documents", change)
			tables := must.Get(j.Tables(fitted))(t)
			must.Do(t, db.Write(t.Context(), "m", true, tables))
			l := library.Here(skfr.Algorithms()...)
			m := must.Get(model.Load(t.Context(), l, db, "m", "label"))(t)
			huge := "SELECT id, pow(2, 500) * COLUMNS(['ship', 'bread', 'king', 'the']) FROM documents"
			p := must.Get(m.Predict(t.Context(), db, input.Spec{Relation: huge, ID: "id", Storage: matrix.Auto}, 2, matrix.UnseenError))(t)
			must.Equal(t, fitted.Labels, p.Assignments.Labels)
			must.Equal(t, fitted.Distance, p.Assignments.Distance, clustertest.Bitwise)

			if j.Settings.Scale == "raw" { // rows of length 1, which become longer
				rows := must.Get(matrix.BuilderOf(j.Data.Matrix(), nil, matrix.Options{}))(t).Values()
				for i := range rows.Data {
					rows.Data[i] *= 1e200
				}
				got := must.Get(must.Get(m.Labeller())(t).Label(t.Context(), rows, nil))(t)
				must.Equal(t, fitted.Labels, got.Labels)
				must.Equal(t, fitted.Distance, got.Distance, cmpopts.EquateApprox(0, 1e-12))
			}
			if _, err := m.Predict(t.Context(), db, input.Spec{Relation: "SELECT id, ship, bread, king FROM documents", ID: "id",
				Storage: matrix.Auto}, 1, matrix.UnseenError); err == nil {
				t.Error("a column that counts in the length of a row is not there, and nobody says so")
			}

			var recorded map[string]settings.Given
			must.Do(t, json.Unmarshal([]byte(tables.Fit.Params), &recorded))
			must.Equal(t, any("l2"), recorded["norm"].Value)
			again, _, err := settings.Recorded(tables.Fit.Params, "documents", l)
			must.Do(t, err)
			must.Equal(t, matrix.L2, again.Norm)
			must.Get(job.New(again, l))(t).Close()
		})
	}
}

func TestAnAlgorithmForRowsOfLengthOneTakesNoOtherScaling(t *testing.T) {
	for setting, change := range map[string]func(*settings.Settings){
		"norm":   func(s *settings.Settings) { s.Norm = "none" },
		"scale":  func(s *settings.Settings) { s.Scale = "sd" },
		"center": func(s *settings.Settings) { s.Center = "mean" },
	} {
		s := settings.Defaults()
		s.K, s.Algorithm = 2, "spherical"
		change(&s)
		_, err := job.New(s, library.Here(skfr.Algorithms()...))
		must.Equal(t, framework.Setting(setting), must.Fault(t, err, "fixed-scaling").Where)
	}
	for norm, code := range map[string]string{"l1": "bad-setting", "L2": "bad-setting"} {
		s := settings.Defaults()
		s.K, s.Norm = 2, norm
		_, err := job.New(s, library.Here(skfr.Algorithms()...))
		must.Fault(t, err, code)
	}
}

func TestSphericalFindsTheKindsOfDocuments(t *testing.T) {
	j, fitted := cosine(t, withDocuments(t), "SELECT id, "+words+" FROM documents WHERE id < 600", normed["spherical"])
	for i, label := range fitted.Labels {
		if label != fitted.Labels[i%3] {
			t.Errorf("document %d is in cluster %d", i, label)
		}
	}
	for i, v := range j.Data.Matrix().Data { // rows as they are fitted
		if math.Abs(v) > 1 {
			t.Fatalf("cell %d is %v", i, v)
		}
	}
	must.Equal(t, "raw", j.Settings.Scale)
}

func TestATuningOfSphericalFindsThreeKindsOfDocuments(t *testing.T) {
	db := withDocuments(t)
	s, o, l := settings.Defaults(), settings.DefaultTuneOptions(), library.Here(skfr.Algorithms()...)
	s.Relation, s.ID, s.Algorithm, s.Ks, s.Restarts, s.Threads = "SELECT id, "+words+" FROM documents", "id", "spherical", "1:5", 3, 2
	s.Origins, o.Draws = map[string]string{"k": "flag"}, 5
	for _, method := range []string{"", "gap", "silhouette"} {
		o.Method = method
		tuning := must.Get(job.NewTuning(s, l, settings.Grid{}, o))(t)
		t.Cleanup(tuning.Close)
		must.Do(t, tuning.Read(t.Context(), db, nil))
		must.Do(t, tuning.Run(t.Context(), nil))
		best := tuning.Points[tuning.Judged[0].Best]
		if best.K != 3 {
			t.Errorf("method %q chooses k = %d: %v", method, best.K, tuning.Judged[0].Values)
		}
	}
}
