package export_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/export"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// labels compares a query of id, cluster and distance with predict.
func labels(t *testing.T, db *store.DB, f fitting, want map[string]labelled, query string) int {
	t.Helper()
	rows := must.Get(db.Rows(t.Context(), "SELECT id::VARCHAR, cluster, distance FROM ("+query+")"))(t)
	return f.check(t, want, func(i int) (string, int, float64) {
		if rows[i][1] == nil {
			return rows[i][0].(string), -1, 0
		}
		return rows[i][0].(string), int(rows[i][1].(int64)), rows[i][2].(float64)
	}, len(rows))
}

func TestSQLGivesThePredictionOfEveryAlgorithm(t *testing.T) {
	db := ready(t)
	for name, f := range fits {
		t.Run(name, func(t *testing.T) {
			m := f.model(t, db)
			want := f.predicted(t, db, m)
			o := export.Options{From: "(" + f.relation() + ")", Distance: true, Unseen: f.unseen}
			ties := labels(t, db, f, want, strings.TrimSuffix(text(t, m, o), ";\n"))

			o = export.Options{As: export.Macro, Distance: true, Unseen: f.unseen, Name: `it's "m"`}
			statements(t, db, text(t, m, o))
			must.Do(t, db.Exec(t.Context(), "CREATE OR REPLACE TEMP VIEW new_rows AS "+f.relation()))
			ties += labels(t, db, f, want, `FROM "it's ""m""_predict"(new_rows)`)

			for id, w := range want { // without distances, only the columns that tell clusters apart are there
				w.distance = 0
				want[id] = w
			}
			o.Distance = false
			statements(t, db, text(t, m, o))
			ties += labels(t, db, f, want, `SELECT *, 0::DOUBLE AS distance FROM "it's ""m""_predict"(new_rows)`)
			t.Logf("%d of %d labels differ, where two centers are equally near", ties, 3*len(want))
		})
	}
}

func TestARowWithACategoryThatIsUnknownHasNoCluster(t *testing.T) {
	db := ready(t)
	f := fits["unseen ignored"]
	m := f.model(t, db)
	query := text(t, m, export.Options{From: "guests"})
	rows := must.Get(db.Rows(t.Context(), "SELECT DISTINCT coalesce(plan, 'NULL') FROM ("+strings.TrimSuffix(query, ";\n")+
		") WHERE cluster IS NULL"))(t)
	must.Equal(t, [][]any{{"it's"}}, rows)
}

// Rows of an algorithm that cannot do without cells have no cluster if they lack one.
func TestARowWithoutACellThatIsNeededHasNoCluster(t *testing.T) {
	db := ready(t)
	f := fits["pairs"]
	m := f.model(t, db)
	want := f.predicted(t, db, m)
	f.rows = numbers
	query := text(t, m, export.Options{From: "(" + numbers + ")", Distance: true})
	labels(t, db, f, want, strings.TrimSuffix(query, ";\n"))
}

func TestArgumentsMayHaveTheNamesOfThePartsOfAMacro(t *testing.T) {
	db := ready(t)
	names := []string{"x1", "c1", "cluster", "d", "centers", "nearest", "relation", "m", "t", "x", "y", "y1", "z", "r", "s"}
	query := "SELECT i AS id"
	for l, name := range names {
		query += fmt.Sprintf(", (hash(i * 16 + %d) %% 10)::INTEGER AS %q", l, name)
	}
	must.Do(t, db.Exec(t.Context(), "CREATE TABLE parts AS "+query+" FROM range(50) t(i)"))
	f := fitting{from: "parts"}
	f.s.K, f.s.Norm = 3, "l2"
	m := f.model(t, db)
	want := f.predicted(t, db, m)
	statements(t, db, text(t, m, export.Options{As: export.Macro, Distance: true}))
	columns := `"` + strings.Join(names, `", "`) + `"`
	labels(t, db, f, want, "SELECT id, m_cluster("+columns+") AS cluster, m_distance("+columns+") AS distance FROM parts")
	labels(t, db, f, want, "SELECT p.id, q.cluster_1 AS cluster, q.distance FROM parts p JOIN m_predict(parts) q USING (id)")
}

// No test runs ClickHouse: the files show what it gets.
func TestClickHouseGetsArrays(t *testing.T) {
	db := ready(t)
	for name, o := range map[string]export.Options{
		"weights":            {From: "guests", Distance: true},
		"NULL is a category": {As: export.Macro, Name: `the "m"`},
		"divided by length":  {As: export.Macro, Distance: true},
	} {
		o.Dialect = export.ClickHouse
		sqltest.Golden(t, "testdata/clickhouse "+name+".sql", text(t, fits[name].model(t, db), o))
	}
}

func TestAModelThatOnlyAPluginKnowsIsRefused(t *testing.T) {
	db := ready(t)
	fits["kmeans"].model(t, db)
	plugins := library.Library{}
	for _, a := range builtIn.Algorithms {
		a.Local = nil
		plugins.Algorithms = append(plugins.Algorithms, a)
	}
	m := must.Get(model.Load(t.Context(), plugins, db, "m", "export that"))(t)
	_, err := export.Text(m, export.Options{})
	sqltest.WantFault(t, err, `distances-unknown: the distances of run "m" are computed by the plugin of kmeans, which does not say how
hint: label rows with sqlcluster predict`)
}

func TestAFunctionOfPostgreSQLHasAHundredArguments(t *testing.T) {
	db := ready(t)
	columns := ""
	for l := range 101 {
		columns += fmt.Sprintf(", (hash(i * 128 + %d) %% 9)::INTEGER AS v%d", l, l)
	}
	must.Do(t, db.Exec(t.Context(), "CREATE TABLE wide AS SELECT i AS id"+columns+" FROM range(20) t(i)"))
	f := fitting{from: "wide"}
	f.s.K = 2
	_, err := export.Text(f.model(t, db), export.Options{Dialect: export.PostgreSQL, As: export.Macro})
	sqltest.WantFault(t, err, `too-many-columns: the model needs 101 columns, and functions of PostgreSQL take 100 arguments
where: as
hint: a query has no such limit: as = sql`)
}

func TestATextSaysWhatItsDatabaseDoesNotHave(t *testing.T) {
	db := ready(t)
	m := fits["kmeans"].model(t, db)
	for want, o := range map[string]export.Options{
		"dialect is \"mysql\"; it must be clickhouse, duckdb, postgres": {Dialect: "mysql"},
		"as is \"view\"; it must be sql, macro":                         {As: "view"},
		"from goes with as = sql only":                                  {As: export.Macro, From: "t"},
		"name goes with as = macro only":                                {Name: "n"},
		"unseen is \"guess\"; it must be error, ignore, nearest":        {Unseen: "guess"},
	} {
		if _, err := export.Text(m, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", o, err, want)
		}
	}
}
