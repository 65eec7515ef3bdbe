package source

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/sqlcluster/sqlcluster/internal/draws"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

func TestAListOfColumnsIsSplitAtTheCommasOutsideOfNamesInQuotes(t *testing.T) {
	for text, want := range map[string][]string{
		``:                      nil,
		`a`:                     {`a`},
		`a,b*`:                  {`a`, `b*`},
		`"a,b",c`:               {`"a,b"`, `c`},
		`c, "a,b" ,d`:           {`c`, ` "a,b" `, `d`},
		`"say ""hi"", you","x"`: {`"say ""hi"", you"`, `"x"`},
		`say "hi",b`:            {`say "hi"`, `b`}, // quotes inside of a name are characters
		`say "hi, you"`:         {`say "hi`, ` you"`},
		`"a,b`:                  {`"a`, `b`}, // and so is one that is not closed
		`"a" b,c`:               {`"a" b`, `c`},
		`a,`:                    {`a`, ``},
		`"",a`:                  {`""`, `a`}, // no name is empty
		`é,"é,è"`:               {`é`, `"é,è"`},
	} {
		if d := cmp.Diff(want, input.SplitColumns(text)); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
}

func TestItemsNameColumnsOfAnyName(t *testing.T) {
	db := memory(t, `CREATE TABLE t ("say ""hi""" DOUBLE, "a,b" DOUBLE, "od280/od315" DOUBLE, "x[1]" DOUBLE, "x1" DOUBLE, "n*" DOUBLE,
		"nn" DOUBLE,
		"""q""" DOUBLE, "p" DOUBLE, """p""" DOUBLE, " s" DOUBLE, "\" DOUBLE)`, "INSERT INTO t SELECT 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12")
	for items, want := range map[string]string{
		`say "hi"`:            `say "hi"`,
		`"say ""hi"""`:        `say "hi"`,
		`"SAY ""HI"""`:        `say "hi"`, // as in SQL, case decides only between names that are otherwise equal
		`"a,b"`:               `a,b`,
		`od*`:                 `od280/od315`,
		`*5`:                  `od280/od315`,
		`*/*`:                 `od280/od315`,
		`OD280?OD315`:         `od280/od315`,
		`od280[/]od315`:       `od280/od315`,
		`od280/od315`:         `od280/od315`,
		`x[1]`:                `x[1]`, // the column, and not what the pattern matches
		`x[12]`:               `x1`,
		`n*`:                  `n*`,
		`n?`:                  `n*|nn`,
		`"n*"`:                `n*`,
		`"q"`:                 `"q"`, // no column is called q
		`"p"`:                 `p`,
		`"""p"""`:             `"p"`,
		` nn `:                `nn`,
		` s`:                  ` s`,
		`"x1",  "nn" ,"a,b"`:  `a,b|x1|nn`,
		`\`:                   `\`,
		`"od280/od315",n*,x1`: `od280/od315|x1|n*`,
	} {
		table, err := db.Read(t.Context(), input.Spec{Relation: "t", Features: input.SplitColumns(items)})
		if err != nil {
			t.Errorf("%s: %s", items, sqltest.Explain(err))
			continue
		}
		if got := strings.Join(table.Features, "|"); got != want {
			t.Errorf("%s: %s, want %s", items, got, want)
		}
		sqltest.Close(t, table)
	}
	for items, want := range map[string]string{
		`"n?"`: `column-not-found: table "t" has no column "n?"` + "\nsimilar: '\"n*\"'\nwhere: features",
		`a,b`:  `column-not-found: table "t" has no column "a"` + "\nsimilar: '\"a,b\"'\nwhere: features, item 1 of 2",
		`"hi`: `column-not-found: table "t" has no column "\"hi"` + "\nwhere: features\nhint: " +
			"its columns are say \"hi\", \"a,b\", od280/od315, x[1], x1, n*, nn, \"q\", p, \"p\" and 2 more",
		`zz*/`: `pattern-matches-nothing: no column of table "t" matches "zz*/"` + "\nwhere: features",
		`x[1`:  `bad-pattern: the pattern "x[1" is malformed` + "\nwhere: features",
		`"a,b",zzz`: `column-not-found: table "t" has no column "zzz"` + "\nwhere: features, item 2 of 2\nhint: " +
			"its columns are say \"hi\", \"a,b\", od280/od315, x[1], x1, n*, nn, \"q\", p, \"p\" and 2 more",
	} {
		_, err := db.Read(t.Context(), input.Spec{Relation: "t", Features: input.SplitColumns(items)})
		sqltest.WantFault(t, err, want)
	}
}

func TestAnItemThatIsWrittenForAColumnNamesThisColumnAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[ab,"*?\[\]/\\ ]{1,4}`), 1, 4, strings.ToLower).Draw(t, "names")
		r := &Relation{Label: "r"}
		items := make([]string, len(names))
		for i, name := range names {
			r.Columns = append(r.Columns, Column{Name: name})
			items[i] = input.ColumnItem(name)
		}
		split := input.SplitColumns(strings.Join(items, ","))
		must.Equal(t, items, split)
		for i, item := range split {
			found, err := r.byItem(item, "features")
			if err != nil || len(found) != 1 || found[0] != &r.Columns[i] {
				t.Fatalf("%q for %q: %v", item, names[i], err)
			}
		}
	})
}

func TestHintsNameColumnsAsTheSettingsTakeThem(t *testing.T) {
	db := memory(t)
	_, err := db.Read(t.Context(), input.Spec{Relation: `SELECT 'x' AS "a,b", 'y' AS "it's", 1 AS n FROM range(3)`})
	sqltest.WantFault(t, err, `column-not-numeric: 2 columns are not numbers: "a,b", it's
"a,b" is VARCHAR: text is not a number; CASE, or a JOIN with a table of numbers, turns it into one
it's is VARCHAR: text is not a number; CASE, or a JOIN with a table of numbers, turns it into one
where: the query
hint: categorical = "a,b",it's makes features of their categories; exclude or ignore_text leaves them out`)
}

func FuzzPattern(f *testing.F) {
	for _, p := range []string{"a", "pc*", "[", "[a-]", `\`, "?", "[^x]*", "", "*"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		r := &Relation{Label: "t", Columns: []Column{{Name: "a", Type: "DOUBLE"}, {Name: "pc[1]", Type: "DOUBLE"}, {Name: `x"y`, Type: "DOUBLE"}}}
		set, err := new(selection).matched(r, []string{pattern}, "exclude")
		if err != nil && framework.AsFault(err) == nil || err == nil && len(set) == 0 {
			t.Errorf("%d columns, %v", len(set), err)
		}
	})
}
