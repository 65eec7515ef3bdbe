package source

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

// triples are four documents: 3 has no word, and 9 has no known count of b.
const triples = `CREATE TABLE t(doc INTEGER, term VARCHAR, n DOUBLE, w DOUBLE, lang VARCHAR);
INSERT INTO t VALUES (9, 'b', NULL, 2, 'en'), (1, 'c', 3, 1, 'en'), (1, 'a', 1.5, 1, 'en'), (3, NULL, NULL, 0, 'de'), (2, 'a', -4, 5, 'de'),
	(9, 'a', 2, 2, 'en')`

func longOf(relation string) input.Spec {
	return input.Spec{Relation: relation, MissingOK: true, Long: &input.Long{Key: "doc", Feature: "term", Value: "n"}}
}

func TestTriplesAreASparseTableInTheOrderOfKeysAndNames(t *testing.T) {
	db := memory(t, triples)
	spec := longOf("t")
	spec.Weight = "W"
	table := sqltest.Read(t, db, spec)
	must.Equal(t, true, table.Builder.IsSparse())
	must.Equal(t, []string{"a", "b", "c"}, table.Features)
	must.Equal(t, []string{"1", "2", "3", "9"}, sqltest.KeyTexts(table.Keys))
	sqltest.Equal(t, [][]float64{{1.5, 0, 3}, {-4, 0, 0}, {0, 0, 0}, {2, sqltest.NaN, 0}}, sqltest.Cells(table))
	must.Equal(t, []float64{1, 5, 0, 2}, table.Weights)
	must.Equal(t, []int{0, 1, 0}, table.Missing)
	must.Equal(t, "doc", table.KeyName)
	must.Equal(t, "INTEGER", table.KeyType)
	must.Equal(t, []input.Excluded{{Name: "lang", Why: "not in @{long}"}}, func() []input.Excluded {
		return []input.Excluded{{Name: table.Excluded[0].Name, Why: strings.ReplaceAll(table.Excluded[0].Why, longPlace, "@{long}")}}
	}())
	spec.Order = "input"
	found := sqltest.Read(t, db, spec)
	must.Equal(t, []string{"9", "1", "3", "2"}, sqltest.KeyTexts(found.Keys))
	must.Equal(t, []float64{2, 1, 0, 5}, found.Weights)
	sqltest.Equal(t, [][]float64{{2, sqltest.NaN, 0}, {1.5, 0, 3}, {0, 0, 0}, {-4, 0, 0}}, sqltest.Cells(found))
}

func TestFeaturesOfTriplesAreChosenByNameAndByTheirRows(t *testing.T) {
	db := memory(t, triples)
	for name, c := range map[string]struct {
		change func(*input.Spec)
		want   []string
		note   string
	}{
		"features": {func(s *input.Spec) { s.Features = []string{"A", "c*"} }, []string{"a", "c"}, ""},
		"exclude":  {func(s *input.Spec) { s.Exclude = []string{"[ab]"} }, []string{"c"}, ""},
		"min_rows": {func(s *input.Spec) { s.Long.MinRows = 2 }, []string{"a"},
			"left out: 2 of 3 features, that fewer than 2 rows have"},
		"max_share": {func(s *input.Spec) { s.Long.MaxShare = 0.5 }, []string{"b", "c"},
			"left out: 1 of 3 features, that more than 50 % of the rows have"},
		"both": {func(s *input.Spec) { s.Long.MinRows, s.Long.MaxShare, s.Want = 1, 0.5, nil }, []string{"c"},
			"left out: 2 of 3 features, 1 that fewer than 1 row has, 1 that more than 50 % of the rows have"},
		"max_share_is_not_exceeded_by_itself": {func(s *input.Spec) { s.Long.MaxShare = 0.75 }, []string{"a", "b", "c"}, ""},
		"wanted": {func(s *input.Spec) { s.Want = []string{"z", "c", "a"} }, []string{"z", "c", "a"},
			"1 feature of the relation is not in the model, and has no effect"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := longOf("t")
			c.change(&spec)
			table := sqltest.Read(t, db, spec)
			must.Equal(t, c.want, table.Features)
			must.Equal(t, c.note, strings.Join(table.Warnings, "\n"))
			must.Equal(t, 4, table.Keys.Len()+table.Dropped)
			if name == "wanted" {
				sqltest.Equal(t, [][]float64{{0, 3, 1.5}, {0, 0, -4}, {0, 0, 0}, {0, 0, 2}}, sqltest.Cells(table))
			}
		})
	}
}

// What is left out because of NULL are the same rows as of a table of columns.
func TestNullsOfTriplesMeanWhatTheyMeanInColumns(t *testing.T) {
	db := memory(t, triples)
	spec := longOf("t")
	spec.Nulls = "drop"
	table := sqltest.Read(t, db, spec)
	must.Equal(t, []string{"9"}, sqltest.KeyTexts(table.DroppedKeys))
	must.Equal(t, input.NullCell, table.DroppedWhy)
	must.Equal(t, 3, table.Builder.Rows())
	spec.Nulls = "error"
	_, err := db.Read(t.Context(), spec)
	sqltest.WantFault(t, err, "null-cells: 1 cell is NULL, in 1 column of table \"t\"\ncolumn \"b\": 1 of 4 rows\n"+
		"hint: nulls = drop leaves out the rows that have one, and keeps 3 of 4 rows; exclude leaves out columns")
	spec.Nulls, spec.Features = "keep", []string{"b"}
	blank := sqltest.Read(t, db, spec)
	must.Equal(t, []string{"9"}, sqltest.KeyTexts(blank.DroppedKeys))
	must.Equal(t, input.NoCells, blank.DroppedWhy)
	must.Equal(t, []string{"1", "2", "3"}, sqltest.KeyTexts(blank.Keys))
}

func TestTheOrderOfTriplesAndZerosChangeNoBit(t *testing.T) {
	db := memory(t, `CREATE TABLE big AS SELECT (i * 7919) % 300 AS doc, 'w' || ((i * 104729) % 997) AS term, sin(i) AS n
		FROM range(20000) r(i)`)
	random := rand.New(rand.NewPCG(1, 2))
	want := ""
	for i := range 4 {
		zeros := ""
		if i > 0 {
			zeros = " UNION ALL SELECT DISTINCT doc, term, CASE WHEN doc % 2 = 0 THEN 0.0 ELSE -0.0 END FROM big"
		}
		spec := longOf(fmt.Sprintf("SELECT * FROM (FROM big%s) ORDER BY hash(doc, term, n, %d)", zeros, random.Uint64()%1000))
		spec.Long.Repeated = input.RepeatedSum
		table := sqltest.Read(t, db, spec)
		if table.Builder.Rows() != 300 || len(table.Features) != 997 {
			t.Fatalf("%d rows, %d features", table.Builder.Rows(), len(table.Features))
		}
		if got := table.Fingerprint(); want == "" {
			want = got
		} else if got != want {
			t.Errorf("order %d: other bits", i)
		}
	}
}

func TestRepeatedTriplesAddUpAsTheirGroupsDo(t *testing.T) {
	db := memory(t, `CREATE TABLE twice AS SELECT i % 5 AS doc, chr(97 + (i * 7 % 3)::INTEGER) AS term,
		CASE WHEN i % 4 > 0 THEN i END AS n FROM range(100) r(i)`)
	spec := longOf("twice")
	spec.Long.Repeated = input.RepeatedSum
	whole := longOf("SELECT doc, term, sum(n) AS n FROM twice GROUP BY ALL")
	must.Equal(t, sqltest.Read(t, db, whole).Fingerprint(), sqltest.Read(t, db, spec).Fingerprint())
}

func TestEveryWrongTripleIsRefusedWithAMessage(t *testing.T) {
	db := memory(t, triples, "CREATE TABLE cased(doc VARCHAR COLLATE NOCASE, term VARCHAR COLLATE NOCASE, n INTEGER)",
		"INSERT INTO cased VALUES ('A', 'x', 1), ('a', 'X', 2), ('A', 'y', 3), ('a', 'y', 4)")
	for name, c := range map[string]struct {
		relation string
		change   func(*input.Spec)
		want     string
	}{
		"no_such_column": {"SELECT 1 AS doc, 'a' AS word, 1 AS n", nil,
			"column-not-found: the query has no column \"term\"\nwhere: long\nhint: its columns are doc, word, n"},
		"value_is_text": {"SELECT 1 AS doc, 'a' AS term, 'x' AS n", nil,
			"value-not-numeric: the value \"n\" is VARCHAR, not a number\nwhere: long"},
		"value_is_boolean": {"SELECT 1 AS doc, 'a' AS term, true AS n", nil,
			"value-not-numeric: the value \"n\" is BOOLEAN, not a number\nwhere: long\n" +
				"hint: CAST(\"n\" AS INTEGER) in a query makes 1 of true, and 0 of false"},
		"repeated": {"SELECT unnest([2, 1, 1, 1]) AS doc, unnest(['a', 'b', 'b', 'b']) AS term, 0 AS n", nil,
			"repeated-triples: 1 cell has more than one value\ndoc = 1, feature \"b\": 3 times\nwhere: long\n" +
				"hint: repeated = sum adds them up; GROUP BY in a query does whatever else is meant"},
		"null_key": {"SELECT NULL::INTEGER AS doc, 'a' AS term, 1 AS n", nil,
			"null-keys: the key \"doc\" is NULL in 1 row\nfeature \"a\"\nwhere: long\n" +
				"hint: leave these rows out with WHERE \"doc\" IS NOT NULL, or use another column"},
		"not_finite": {"SELECT 7 AS doc, 'a' AS term, 'inf'::DOUBLE AS n", nil,
			"cell-not-finite: 1 cell is NaN or infinite\ndoc = 7, feature \"a\": +Inf\nhint: make them NULL in a query, or leave the rows out"},
		"no_name": {"SELECT 7 AS doc, '' AS term, 1 AS n", nil,
			"feature-without-name: a feature has the empty text as its name\nwhere: long\n" +
				"hint: nullif(\"term\", '') makes NULL of it; a triple without a feature says only that there is a row of that key"},
		"no_rows": {"FROM t WHERE false", nil, "empty-relation: the query has no rows"},
		"no_features": {"SELECT 7 AS doc, NULL AS term, 1 AS n", nil, "no-features: the query has no feature left to cluster by\n" +
			"hint: features and exclude choose features by name, min_rows and max_share by their rows"},
		"all_pruned": {"FROM t", func(s *input.Spec) { s.Long.MinRows = 9 }, "no-features: the query has no feature left to cluster by\n" +
			"left out: 3 of 3 features, that fewer than 9 rows have\n" +
			"hint: features and exclude choose features by name, min_rows and max_share by their rows"},
		"feature_not_there": {"t", func(s *input.Spec) { s.Features = []string{"aa"} },
			"column-not-found: table \"t\" has no feature \"aa\"\nsimilar: a\nwhere: features"},
		"pattern_matches_nothing": {"t", func(s *input.Spec) { s.Exclude = []string{"x*"} },
			"pattern-matches-nothing: no feature of table \"t\" matches \"x*\"\nwhere: exclude"},
		"weights_differ": {"SELECT 1 AS doc, unnest(['a', 'b']) AS term, 1 AS n, unnest([1, NULL]) AS w", func(s *input.Spec) { s.Weight = "w" },
			"weights-differ: the row weight \"w\" differs among the triples of a row\ndoc = 1: 1 and NULL\nwhere: weight\n" +
				"hint: all triples of a key must have one weight: that of the row"},
		"bad_weight": {"SELECT 1 AS doc, 'a' AS term, 1 AS n, -2 AS w", func(s *input.Spec) { s.Weight = "w" },
			"bad-weights: 1 row weight is negative, NULL or not finite\ndoc = 1: -2\nwhere: weight"},
		"weight_is_the_value": {"t", func(s *input.Spec) { s.Weight = "n" },
			"column-used-twice: column \"n\" cannot be the row weight: long names it\nwhere: weight"},
		"categories": {"t", func(s *input.Spec) { s.Want, s.WantCategories = []string{"a"}, map[string]bool{"a": true} },
			"categories-and-triples: the model has columns of categories, and triples are numbers\nwhere: long\n" +
				"hint: give a relation with the columns of the model"},
		"key_type": {"SELECT [1] AS doc, 'a' AS term, 1 AS n", nil,
			"key-type-unsupported: column \"doc\" is INTEGER[], which cannot be a row key\nwhere: long\nhint: CAST it AS VARCHAR in a query"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := longOf(c.relation)
			if c.change != nil {
				c.change(&spec)
			}
			_, err := db.Read(t.Context(), spec)
			sqltest.WantFault(t, err, c.want)
		})
	}
	table := sqltest.Read(t, db, longOf("cased"))
	must.Equal(t, []string{"X", "x", "y"}, table.Features)
	sqltest.Equal(t, [][]float64{{0, 1, 3}, {2, 0, 4}}, sqltest.Cells(table))
}

func TestNamesOfFeaturesMayBeAnyText(t *testing.T) {
	db := memory(t)
	names := []string{"DOC", "a,b", "doc", "line\nbreak", `say "hi"`, "x*", "Ärger", "日本"}
	var rows []string
	for i, name := range names {
		rows = append(rows, fmt.Sprintf("(%d, '%s', %d)", i%3, name, i+1))
	}
	spec := longOf("SELECT * FROM (VALUES " + strings.Join(rows, ", ") + ") v(doc, term, n)")
	must.Equal(t, names, sqltest.Read(t, db, spec).Features)
	spec.Features = []string{`"a,b"`, "doc", `"x*"`, "DOC"}
	must.Equal(t, []string{"DOC", "a,b", "doc", "x*"}, sqltest.Read(t, db, spec).Features)
}

func TestATripleTableOfManyFeaturesAndOneHugeRowIsRead(t *testing.T) {
	db := memory(t, `CREATE TABLE wide AS SELECT 0 AS doc, i AS term, i + 1 AS n FROM range(100000) r(i)
		UNION ALL SELECT 1 + i % 1000, (i * 7919) % 100000, 1 FROM range(200000) r(i)`)
	spec := longOf("wide")
	spec.Long.Repeated = input.RepeatedSum
	table := sqltest.Read(t, db, spec)
	if table.Builder.Rows() != 1001 || len(table.Features) != 100000 {
		t.Fatalf("%d rows, %d features", table.Builder.Rows(), len(table.Features))
	}
	columns, values := table.Builder.Row(0)
	if len(columns) != 100000 || values[1] != 2 || table.Features[2] != "10" {
		t.Errorf("%d columns, %v, %q", len(columns), values[1], table.Features[2])
	}
}

func TestARelationThatMayBeLongIsReadByItsColumns(t *testing.T) {
	db := memory(t, triples, "CREATE TABLE columns AS SELECT 1 AS doc, 2 AS a")
	for relation, long := range map[string]bool{"t": true, "columns": false} {
		spec := longOf(relation)
		spec.Long.Perhaps, spec.ID, spec.Want = true, "doc", []string{"a"}
		must.Equal(t, long, sqltest.Read(t, db, spec).Builder.IsSparse())
	}
}
