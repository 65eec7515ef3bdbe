package job_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/groupskm"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/plugins/skm"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// The tables of examples/ as triples, in which hardly a cell is 0: categories are columns of
// 0 and 1, in a group each. There is one start: which of two wins that end in the same
// clusters is a matter of rounding.
func TestExamplesAsTriplesGiveTheirClusters(t *testing.T) {
	every := library.Here(slices.Concat(skfr.Algorithms(), skm.Algorithms(), groupskm.Algorithms())...)
	db := documentsIn(t)
	must.Do(t, db.Exec(t.Context(), "CREATE TABLE wine_wide AS SELECT * EXCLUDE (class) FROM '../../examples/wine.csv'"))
	must.Do(t, db.Exec(t.Context(), "CREATE TABLE iono_wide AS SELECT * EXCLUDE (class) FROM '../../examples/ionosphere.csv'"))
	must.Do(t, db.Exec(t.Context(), `CREATE TABLE heart_wide AS SELECT id, age::DOUBLE AS age, maxhr::DOUBLE AS rate,
		(cp = 4)::INT::DOUBLE AS pain_no, (cp = 3)::INT::DOUBLE AS pain_other FROM '../../examples/heart.csv'`))
	must.Do(t, db.Exec(t.Context(), "CREATE TABLE parts AS SELECT unnest(['age', 'rate', 'pain_no', 'pain_other']) AS feature, "+
		"unnest(['age', 'rate', 'pain', 'pain']) AS feature_group, NULL::DOUBLE AS weight"))
	for _, name := range []string{"wine", "iono", "heart"} {
		must.Do(t, db.Exec(t.Context(), fmt.Sprintf("CREATE TABLE %s_long AS UNPIVOT (SELECT id, COLUMNS(c -> c <> 'id')::DOUBLE FROM "+
			"%[1]s_wide) "+
			"ON COLUMNS(* EXCLUDE id) INTO NAME term VALUE n ORDER BY hash(id, term)", name)))
		columns := must.Get(db.ColumnNames(t.Context(), name+"_wide"))(t)
		slices.Sort(columns)
		columns = slices.DeleteFunc(columns, func(c string) bool { return c == "id" })
		for algorithm, params := range map[string]map[string]string{
			"kmeans": {}, "kmeans l1": {"loss": "l1"}, "kmeans kpod": {"missing": "kpod"}, "skfr": {"sparsity": "3"},
			"skfr local": {"sparsity": "2", "scope": "local"}, "skm": {"l1_bound": "1.5"}, "groupskm": {"lambda": "0.05"}, "spherical": {},
		} {
			s := settings.Defaults()
			s.K, s.Init, s.Restarts, s.Threads, s.Params = 3, "random", 1, 1, map[string]settings.Given{}
			s.Algorithm, _, _ = strings.Cut(algorithm, " ")
			for p, v := range params {
				s.Params[p] = settings.Given{Value: v}
			}
			if name == "heart" {
				s.Groups = "parts"
			}
			var both []*result.Tables
			for _, long := range []bool{true, false} {
				if s.Relation, s.ID, s.Long = "SELECT id, "+strings.Join(columns, ", ")+" FROM "+name+"_wide", "id", nil; long {
					s.Relation, s.ID, s.Long = name+"_long", "", []string{"id", "term", "n"}
				}
				j := must.Get(job.New(s, every))(t)
				must.Do(t, j.Read(t.Context(), db, nil))
				both = append(both, must.Get(j.Tables(must.Get(j.Fit(t.Context(), nil))(t)))(t))
				j.Close()
			}
			if d := cmp.Diff(both[1].Assignments.Labels, both[0].Assignments.Labels); d != "" {
				t.Errorf("%s, %s: %s", name, algorithm, d)
			}
			for _, part := range [][2]any{{both[1].Features, both[0].Features}, {both[1].Fit.Objective, both[0].Fit.Objective}} {
				if d := cmp.Diff(part[0], part[1], nearly); d != "" {
					t.Errorf("%s, %s: %s", name, algorithm, d)
				}
			}
		}
	}
}

func TestRealTablesAsTriplesGiveTheResultsOfColumns(t *testing.T) {
	all := library.Here(slices.Concat(skfr.Algorithms(), pcskm.Algorithms(), skm.Algorithms(), groupskm.Algorithms())...)
	for file, text := range map[string][]string{
		"wine":         {"class"},
		"ionosphere":   {"class"},
		"mice_protein": {"MouseID", "Genotype", "Treatment", "Behavior", "class"},
	} {
		db, err := store.Open(t.Context(), sqltest.Temp(t, file+".duckdb"), store.ReadWrite)
		db = sqltest.Ready(t, db, err, fmt.Sprintf(`
			CREATE TABLE wide AS SELECT row_number() OVER () AS doc, COLUMNS(lambda c: c NOT IN ('id', '%s'))::DOUBLE AS '\0'
				FROM '../../examples/%s.csv';
			CREATE TABLE long AS FROM wide UNPIVOT INCLUDE NULLS (n FOR term IN (COLUMNS(* EXCLUDE doc)))`,
			strings.Join(text, "', '"), file))
		for algorithm, params := range map[string]map[string]settings.Given{
			"kmeans":    nil,
			"skfr":      {"sparsity": {Value: 8}},
			"skm":       {"l1_bound": {Value: 2.5}},
			"groupskm":  {"lambda": {Value: 0.05}},
			"pcskm":     {"l1_bound": {Value: 2.5}},
			"mpckm":     nil,
			"spherical": nil,
		} {
			t.Run(file+"/"+algorithm, func(t *testing.T) {
				var both [2]*result.Tables
				for i, relation := range []string{"wide", "long"} {
					s := settings.Defaults()
					s.K, s.Restarts, s.Threads, s.Algorithm, s.Params, s.Relation = 3, 1, 1+i, algorithm, params, relation
					s.Nulls = "drop"
					if s.ID = "doc"; relation == "long" {
						s.ID, s.Long = "", []string{"doc", "term", "n"}
					}
					j := must.Get(job.New(s, all))(t)
					must.Do(t, j.Read(t.Context(), db, nil))
					must.Equal(t, relation == "long", j.Data.IsSparse())
					f := must.Get(j.Fit(t.Context(), nil))(t)
					must.Do(t, j.Measure(t.Context(), f))
					both[i] = must.Get(j.Tables(f))(t)
					j.Close()
				}
				must.Equal(t, both[0].Assignments.Labels, both[1].Assignments.Labels)
				if d := cmp.Diff(both[0].Fit, both[1].Fit, nearly); d != "" {
					t.Error(d)
				}
				byName := cmpopts.SortSlices(func(a, b result.Feature) bool { return a.Feature < b.Feature })
				if d := cmp.Diff(both[0].Features, both[1].Features, nearly, byName); d != "" {
					t.Error(d)
				}
			})
		}
	}
}
