//go:build engines

package clickhouse_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse/internal/clickhousetest"
)

// bySums is what numbers may differ by that come from sums in another order: of usesRows rows of cells below 16,
// 480·16·2⁻⁵³ is below 1e-12, which the steps of an algorithm make larger.
var bySums = cmpopts.EquateApprox(1e-9, 1e-9)

// usesRows are the rows that commands are compared with: four clusters in a, b and c, where c lacks some cells; d
// tells nothing. Cells are whole numbers of 64ths, which any text keeps.
const (
	usesRows  = 480
	usesCells = "id, concat('c', toString(if(id % 13 = 0, 0, id % 4))) AS class, intDiv(id % 4, 2) * 6 + (id * 37 % 97) / 64 AS a, " +
		"id % 2 * 7 + (id * 53 % 89) / 64 AS b, if(id % 11 = 0, NULL, id % 4 * 3 + (id * 29 % 83) / 64) AS c, (id * 71 % 101) / 64 AS d, " +
		"arrayElement(['red', 'blue', 'gray'], 1 + intDiv(id, 4) % 3) AS kind"
	usesTypes = "id UInt64, class String, a Float64, b Float64, c Nullable(Float64), d Float64, kind String"
)

// A place is where the rows of a command are, too: the same database of runs, and an engine.
type place struct {
	dir    string
	server *clickhousetest.Server
}

// shares makes the table points, each server having a share of the rows.
func shares(servers []*clickhousetest.Server) {
	for i, s := range servers {
		part := "points"
		if len(servers) > 1 {
			part = "part"
			s.Do("CREATE TABLE points (" + usesTypes + ") ENGINE = Distributed(" + clickhousetest.Cluster + ", default, part)")
		}
		s.Do("CREATE TABLE " + part + " (" + usesTypes + ") ENGINE = MergeTree ORDER BY id")
		s.Do(fmt.Sprintf("INSERT INTO %s SELECT %s FROM (SELECT number * %d + %d AS id FROM numbers(%d))", part, usesCells, len(servers), i,
			usesRows/len(servers)))
	}
}

// succeed returns what the command says, which must not fail.
func succeed(t *testing.T, dir string, args ...string) string {
	t.Helper()
	o := started(t, dir, nil, args...).outcome()
	if o.code != 0 {
		t.Fatalf("sqlcluster %q: exit code %d\n%s%s", args, o.code, o.out, o.errs)
	}
	return o.out
}

// cells reads CSV into numbers and texts. NULL is \N in that of ClickHouse, and empty in ours.
func cells(t *testing.T, text string) (rows [][]any) {
	t.Helper()
	for _, line := range must.Get(csv.NewReader(strings.NewReader(text)).ReadAll())(t) {
		row := make([]any, len(line))
		for i, cell := range line {
			if row[i] = cell; cell == `\N` {
				row[i] = ""
			} else if v, err := strconv.ParseFloat(cell, 64); err == nil {
				row[i] = v
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// usesSkfr are the flags of a fit whose model is used.
var usesSkfr = []string{"--exclude", "class,kind", "-k", "4", "-a", "skfr", "--sparsity", "3"}

// usesFits are fits from given centers, which the rows decide.
var usesFits = map[string][]string{
	"kmeans":   {"--exclude", "class,kind", "-k", "4"},
	"skfr":     usesSkfr,
	"local":    {"--exclude", "class,kind", "-k", "4", "-a", "skfr", "--sparsity", "2", "--scope", "local"},
	"skm":      {"--exclude", "class,kind", "-k", "4", "-a", "skm", "--l1-bound", "1.5"},
	"groupskm": {"--exclude", "class", "-k", "4", "-a", "groupskm", "--lambda", "0.05", "--categorical", "kind", "--nulls", "drop"},
	"bounds":   {"--exclude", "class,kind", "-k", "4", "--constraints", "SELECT 'box' AS kind, 'a' AS feature, 1 AS lo, 6.5 AS hi"},
}

// usesOf are commands that print what they find in the rows; each has POINTS for the relation. Of tunings, other starts
// may find other clusters, but not for the number that is chosen: that of the clusters that there are.
var usesOf = map[string][]string{
	"predict":              {"predict", "w", "POINTS"},
	"predict without some": {"predict", "w", "SELECT id, a, b, c, kind FROM (POINTS)"},
	"predict outliers":     {"predict", "w", "POINTS", "--flag", "0.9"},
	"predict skm":          {"predict", "start_skm", "POINTS"},
	"score":                {"score", "w", "SELECT * FROM (POINTS) WHERE c > 0", "--truth", "class"},
	"score by rows":        {"score", "start_skm", "SELECT * FROM (POINTS) WHERE c > 0"},
	"path": {"path", "POINTS", "--id", "id", "--exclude", "class,kind", "-a", "skfr", "-k", "4", "--grid", "1,2,3,4", "--start",
		"start_kmeans_centers"},
	"check": {"check", "POINTS", "--id", "id", "--exclude", "class", "--categorical", "kind", "-k", "4"},
	"tune": {"tune", "POINTS", "--id", "id", "--features", "a,b,c", "--nulls", "drop", "-k", "3:5", "--restarts", "2",
		"--method", "calinski-harabasz,silhouette,davies-bouldin"},
}

// of puts a relation into arguments.
func of(args []string, relation string) []string {
	args = slices.Clone(args)
	for i := range args {
		switch inner := "(" + relation + ")"; {
		case args[i] == "POINTS":
			args[i] = relation
		case !strings.Contains(relation, " "):
			args[i] = strings.ReplaceAll(args[i], "(POINTS)", relation)
		default:
			args[i] = strings.ReplaceAll(args[i], "(POINTS)", inner)
		}
	}
	return args
}

func TestCommandsWhoseRowsStayThereSayWhatTheySayOfRowsHere(t *testing.T) {
	t.Parallel()
	servers := clickhousetest.Start(t, 2)
	shares(servers)
	dir := t.TempDir()
	file := servers[0].Do("SELECT * FROM points ORDER BY id FORMAT CSVWithNames")
	must.Do(t, os.WriteFile(filepath.Join(dir, "points.csv"), []byte(file+"\n"), 0o600))
	here := `SELECT * FROM read_csv('` + filepath.Join(dir, "points.csv") + `', nullstr='\N')`
	db, want := []string{"--db", "out.duckdb"}, map[string]string{}
	for name, args := range usesFits {
		args := slices.Concat([]string{"fit", here, "--id", "id"}, args, db)
		succeed(t, dir, append(args, "-q", "--restarts", "1", "--max-iter", "1", "--seed", "5", "--into", "start_"+name)...)
		succeed(t, dir, append(args, "-q", "--start", "start_"+name+"_centers", "--into", "here_"+name)...)
		want["fit "+name] = tablesOf(t, dir, "here_"+name)
		want["labels "+name] = selected(t, dir, "SELECT * FROM here_"+name+"_assignments ORDER BY id")
	}
	succeed(t, dir, slices.Concat([]string{"fit", here, "--id", "id"}, usesSkfr, db, []string{"--into", "w", "-q"})...)
	for name, args := range usesOf {
		want[name] = succeed(t, dir, slices.Concat(of(args, here), db, []string{"-q", "-o", "csv"})...)
	}
	runs := must.Get(os.ReadFile(filepath.Join(dir, "out.duckdb")))(t)
	for name, start := range map[string]func(t *testing.T) []*clickhousetest.Server{
		"two servers": func(*testing.T) []*clickhousetest.Server { return servers },
		"chdb": func(t *testing.T) []*clickhousetest.Server {
			s := []*clickhousetest.Server{clickhousetest.StartChDB(t)}
			shares(s)
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := place{t.TempDir(), start(t)[0]}
			must.Do(t, os.WriteFile(filepath.Join(p.dir, "out.duckdb"), runs, 0o600))
			p.fits(t, want)
			p.uses(t, want)
			p.predictsInto(t, want["predict"])
			p.chooses(t)
		})
	}
}

// run runs a command of the rows there.
func (p place) run(t *testing.T, args []string, more ...string) string {
	t.Helper()
	return succeed(t, p.dir, slices.Concat(of(args, "points"), []string{"--db", "out.duckdb", "--engine", p.server.URL(""), "-q"}, more)...)
}

// selected returns what a query says of the database of runs.
func selected(t *testing.T, dir, query string) string {
	t.Helper()
	return succeed(t, dir, "sql", "out.duckdb", "-q", "-o", "csv", "-c", query)
}

// tablesOf returns the tables of a run but for its labels.
func tablesOf(t *testing.T, dir, run string) string {
	t.Helper()
	var all []string
	for _, what := range []string{"centers", "features", "clusters", "trace"} {
		all = append(all, fmt.Sprintf("SELECT '%s' AS what, * FROM %s_%[1]s", what, run))
	}
	return selected(t, dir, strings.Join(all, " UNION ALL BY NAME ")+" ORDER BY what, cluster, feature, category, iteration")
}

// fits compares the tables of fits.
func (p place) fits(t *testing.T, want map[string]string) {
	for name, args := range usesFits {
		t.Run("fit "+name, func(t *testing.T) {
			p.run(t, slices.Concat([]string{"fit", "POINTS", "--id", "id"}, args), "--start", "start_"+name+"_centers", "--into", "there_"+name)
			if d := cmp.Diff(cells(t, want["fit "+name]), cells(t, tablesOf(t, p.dir, "there_"+name)), bySums); d != "" {
				t.Error(d)
			}
			p.has(t, want["labels "+name], "there_"+name+"_assignments")
		})
	}
}

// has compares a table of labels there with those of CSV.
func (p place) has(t *testing.T, want, table string) {
	t.Helper()
	got := p.server.Do("SELECT * FROM " + table + " ORDER BY id FORMAT CSVWithNames")
	if d := cmp.Diff(cells(t, want), cells(t, got), bySums); d != "" {
		t.Errorf("%s: %s", table, d)
	}
}

// uses compares what commands print.
func (p place) uses(t *testing.T, want map[string]string) {
	for name, args := range usesOf {
		t.Run(name, func(t *testing.T) {
			here, there := cells(t, want[name]), cells(t, p.run(t, args, "-o", "csv"))
			if name != "tune" {
				if d := cmp.Diff(here, there, bySums); d != "" {
					t.Error(d)
				}
				return
			}
			best := slices.Index(here[0], any("best"))
			chosen := func(rows [][]any) [][]any {
				return slices.DeleteFunc(rows, func(r []any) bool { return r[best] != "true" })
			}
			if here, there = chosen(here), chosen(there); len(here) != 3 { // a row for each method
				t.Errorf("%v is chosen", here)
			}
			if d := cmp.Diff(here, there, bySums); d != "" {
				t.Error(d)
			}
		})
	}
}

// predictsInto compares the table of labels that predict writes, which it replaces if it is told to.
func (p place) predictsInto(t *testing.T, want string) {
	t.Run("predict into", func(t *testing.T) {
		args := []string{"predict", "w", "POINTS"}
		p.run(t, []string{"predict", "w", "SELECT * FROM (POINTS) WHERE id < 9"}, "--into", "labels")
		if n := p.server.Do("SELECT count() FROM labels"); n != "9" {
			t.Errorf("%s labels", n)
		}
		p.run(t, args, "--into", "labels", "--replace")
		p.has(t, want, "labels")
	})
}

// chooses looks at what is chosen by rows that are drawn of a sample.
func (p place) chooses(t *testing.T) {
	t.Run("fit -k auto", func(t *testing.T) {
		args := []string{"fit", "POINTS", "--id", "id", "--features", "a,b,c", "-k", "auto", "--restarts", "2", "--into", "auto"}
		p.run(t, args)
		if n := selected(t, p.dir, "SELECT count(*) AS n FROM auto_clusters"); n != "n\n4\n" { // as many as there are
			t.Errorf("chosen are %s", n)
		}
	})
}
