package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/cli"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/doctest"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// refused are commands that must fail, under what is wrong with them. The
// directory has wine.csv, mice.csv, runs.duckdb with the runs "wine" and "colours", a damaged
// database and a database that another process holds.
var refused = []struct {
	what, line string
}{
	{"unknown command", `fitt`},
	{"unknown flag", `fit wine.csv --sparsty 3`},
	{"flag without a number", `fit wine.csv -k three`},
	{"no relation", `fit -k 3`},
	{"two relations", `fit wine.csv mice.csv -k 3`},
	{"a query without quotes", `check SELECT 1 AS a -k 3`},
	{"no run", `drop --db runs.duckdb`},
	{"neither run nor relation", `predict --db runs.duckdb`},
	{"two result tables", `show wine fit run --db runs.duckdb`},
	{"argument of a command that takes none", `runs wine --db runs.duckdb`},
	{"no algorithm to describe", `plugin describe`},
	{"unknown command of a group", `plugin describ skfr`},
	{"no k", `fit wine.csv`},
	{"a path with one value", `path wine.csv -a skfr -k 3 --sparsity 3`},
	{"a path of an algorithm that selects nothing", `path wine.csv -k 3`},
	{"a path over a parameter that is no number", `path wine.csv -a skfr -k 3 --grid scope=1,2`},
	{"a grid that is no number", `path wine.csv -a skfr -k 3 --grid 1,two`},
	{"a grid without a number of values", `path wine.csv -a skfr -k 3 --grid 1:5.5`},
	{"a grid that the parameter does not take", `path wine.csv -a skfr -k 3 --grid 3,1.5`},
	{"no values at all", `path wine.csv -a skfr -k 3 --points 0`},
	{"a grid without a name", `path wine.csv -a skfr -k 3 --grid =3`},
	{"a path over values that are too large", `path wine.csv --exclude id,class -a skfr -k 3 --grid 14,15 -o csv`},
	{"assignments of a path that is not written", `path wine.csv -a skfr -k 3 --assignments`},
	{"a key that the assignments of a path cannot have", `path 'SELECT i AS point, i % 3 AS x FROM range(9) t(i)' --id point -a ` +
		`skfr -k 2 --assignments --db new.duckdb --into p`},
	{"a table that only a path has", `show wine path --db runs.duckdb`},
	{"keeping a part of what is not written", `path wine.csv -a skfr -k 3 --keep-partial`},
	{"weights of pairs that are text", `fit wine.csv --id id -a pckm -k 3 --pairs "SELECT 1 AS a, 2 AS b, 'must' AS kind, ` +
		`'heavy' AS weight"`},
	{"triples of two columns", `fit wine.csv --long id,class -k 3`},
	{"triples with a key of its own", `fit wine.csv --long id,class,ash --id id -k 3`},
	{"triples of categories", `fit wine.csv --long id,class,ash --categorical class -k 3`},
	{"a share of no triples", `fit wine.csv --max-share 0.5 -k 3`},
	{"a share of all rows and more", `fit wine.csv --long id,class,ash --max-share 1.5 -k 3`},
	{"less than no rows", `fit wine.csv --long id,class,ash --min-rows -2 -k 3`},
	{"a value of triples that is text", `fit "SELECT 1 AS id, 'a' AS word, '1,5' AS n" --long id,word,n -k 3`},
	{"repeated triples", `fit "SELECT i % 40 AS id, 'w' || i % 2 AS word, 1 AS n FROM range(90) t(i)" --long id,word,n -k 3`},
	{"too rare features", `check "SELECT i AS id, 'w' || i AS word, 1 AS n FROM range(90) t(i)" --long id,word,n --min-rows 2 -k 3`},
	{"new rows that are no triples of the model", `predict wine "SELECT 1 AS id, 'ash' AS f, 2 AS v" --long id,word,v --db runs.duckdb`},
	{"triples for a model of categories", `predict colours "SELECT 1 AS id, 'x' AS f, 2 AS v" --long id,f,v --db runs.duckdb`},
	{"weights that overflow", `fit 'SELECT i AS id, i % 7 AS x, 1e307 AS w FROM range(90) t(i)' --id id --weight w -k 3`},
	{"a category of a thousand characters", `predict colours "SELECT i AS id, repeat('x', 1000) || ' the end' AS colour, 2 AS x ` +
		`FROM range(3) t(i)" --id id --db runs.duckdb`},
	{"a shell without completion", `completion bsh`},
	{"k below one", `fit wine.csv -k 0`},
	{"unknown output format", `fit wine.csv -k 3 -o xml`},
	{"unknown file", `fit wein.csv -k 3`},
	{"unknown table", `fit wine_assignment -k 3 --db runs.duckdb`},
	{"unknown key column", `fit wine.csv -k 3 --id idd`},
	{"unknown feature", `fit wine.csv -k 3 --features alcohol,ashe`},
	{"pattern that matches nothing", `fit wine.csv -k 3 --exclude 'zz*'`},
	{"duplicate keys", `fit wine.csv -k 3 --id class`},
	{"NULL keys", `fit 'SELECT nullif(i, 3) AS id, i % 4 AS a FROM range(9) t(i)' -k 2 --id id`},
	{"key named like a result", `fit 'SELECT i AS cluster, i % 4 AS a FROM range(9) t(i)' -k 2 --id cluster`},
	{"NaN and infinite cells", `fit "SELECT i AS id, CASE i WHEN 2 THEN 'nan'::DOUBLE WHEN 5 THEN '-inf'::DOUBLE ELSE i END AS ` +
		`a FROM range(9) t(i)" -k 2 --id id`},
	{"pairs for an algorithm that takes none", `fit wine.csv -k 3 --pairs "SELECT 1 AS a, 2 AS b, 'must' AS kind"`},
	{"pairs without a kind", `fit wine.csv -a pckm -k 3 --id id --pairs 'SELECT 1 AS a, 2 AS b'`},
	{"pairs with a column too much", `fit wine.csv -a pckm -k 3 --id id --pairs "SELECT 1 AS a, 2 AS b, 'must' AS kind, 2 AS wieght"`},
	{"pairs that are wrong in every way", `fit wine.csv -a pckm -k 3 --id id --pairs "SELECT * FROM (VALUES (1, 1, 'must', 1), ` +
		`(1, 9999, 'must', 1), (1, NULL, 'must', 1), (1, 2, 'may', 1), (1, 2, 'must', 0), (1, 2, 'cannot', 'nan'::DOUBLE)) t(a, ` +
		`b, kind, weight)"`},
	{"pairs of parts of rows", `fit wine.csv --id id --exclude class -k 3 -a pckm --pairs "SELECT 1.4 AS a, 59.6 AS b, 'must' ` +
		`AS kind, NULL AS weight"`},
	{"suggestions by pairs of parts of rows", `pairs suggest wine.csv --id id --exclude class -k 3 --pairs "SELECT 1 AS a, 59.6 ` +
		`AS b, 'must' AS kind"`},
	{"pairs given twice", `fit wine.csv -a pckm -k 3 --id id --pairs "SELECT * FROM (VALUES (1, 2, 'must'), (2, 1, 'must')) ` +
		`t(a, b, kind)"`},
	{"pairs that contradict by way of others", `fit wine.csv -a pckm -k 3 --id id --pairs "SELECT * FROM (VALUES (1, 2, ` +
		`'must'), (2, 3, 'must'), (1, 3, 'cannot')) t(a, b, kind)"`},
	{"hard pairs that no two clusters keep", `fit wine.csv -a pckm -k 2 --id id --pairs "SELECT a, b, 'cannot' AS kind, NULL AS ` +
		`weight FROM (VALUES (1, 2), (2, 3), (1, 3), (4, 5)) t(a, b)"`},
	{"text column", `fit mice.csv -k 3 --id id`},
	{"nothing but text", `fit "SELECT 'a' || i % 3 AS a, i % 2 = 0 AS b FROM range(9) t(i)" -k 2`},
	{"unknown categorical column", `fit mice.csv -k 3 --id id --categorical klass`},
	{"categorical column that is excluded", `fit mice.csv -k 3 --id id --exclude class --categorical class`},
	{"categorical column that is the key", `fit mice.csv -k 3 --id id --categorical class,id`},
	{"categorical array", `fit 'SELECT i AS id, [i, 1] AS e FROM range(9) t(i)' -k 2 --id id --categorical e`},
	{"ten thousand categories", `fit "SELECT i AS id, 'name ' || i AS name FROM range(10000) t(i)" -k 2 --id id --categorical name`},
	{"one category only", `fit "SELECT i AS id, 'x' AS a FROM range(9) t(i)" -k 2 --id id --categorical a`},
	{"NULL category", `fit "SELECT i AS id, CASE WHEN i > 2 THEN 'x' || i % 2 END AS a FROM range(9) t(i)" -k 2 --id id ` +
		`--categorical a`},
	{"unknown rule for NULL categories", `fit mice.csv -k 3 --null-category levels`},
	{"k above the different rows of categories", `fit 'SELECT i AS id, i % 3 AS a FROM range(50) t(i)' -k 4 --id id --categorical a`},
	{"category named like a column", `fit 'SELECT i AS id, i % 3 AS a, i AS "a=1" FROM range(50) t(i)' -k 2 --id id --categorical a`},
	{"category that the model does not know", `predict colours "SELECT 1 AS id, 'mauve' AS colour, 2 AS x" --id id --db runs.duckdb`},
	{"scores into a table without rows", `score colours --into colours --db runs.duckdb`},
	{"silhouettes under the name of another run", `score wine --rows --into colours --db runs.duckdb`},
	{"unknown rule for unseen categories", `predict colours "SELECT 1 AS id, 'mauve' AS colour, 2 AS x" --id id --db ` +
		`runs.duckdb --unseen closest`},
	{"start with a category that is not there", `fit "SELECT i AS id, CASE i % 3 WHEN 0 THEN 'red' ELSE 'blue' END AS colour, i ` +
		`AS x FROM range(9) t(i)" -k 2 --id id --categorical colour --db runs.duckdb --start "SELECT * REPLACE (CASE category ` +
		`WHEN 'red' THEN 'read' ELSE category END AS category) FROM colours_centers"`},
	{"groups that are no groups", `fit wine.csv -k 3 --groups wine.csv`},
	{"groups with a column too much", `fit wine.csv -k 3 --groups "SELECT 'ash' AS feature, 'a' AS feature_group, 1 AS weights"`},
	{"groups with every fault", `fit wine.csv -k 3 --id id --exclude class --groups "SELECT * FROM (VALUES ('ash', 'a', 1), ` +
		"('ash', 'a', 1), ('hue', 'a', 2), ('hue', 'b', NULL),\n  ('alcohool', 'a', 1), ('class', 'a', 1), (NULL, 'a', 1), " +
		`('proline', NULL, 1), ('alcohol', 'hue', -1), ('magnesium', 'malic_acid', 1)) v(feature, feature_group, weight)"`},
	{"groups without rows", `fit wine.csv -k 3 --groups "SELECT 'ash' AS feature, 'a' AS feature_group WHERE false"`},
	{"date column", `fit "SELECT i AS id, DATE '2026-01-01' + i::INTEGER AS day, i AS a FROM range(9) t(i)" -k 2 --id id`},
	{"NULLs refused by --nulls", `fit mice.csv -k 3 --id id --exclude class --features 'DYRK1A_N,BCL2_N,BAD_N,H3*' --nulls error`},
	{"NULLs refused by the algorithm", `fit mice.csv -k 3 --id id --features BCL2_N,BAD_N --missing error`},
	{"empty relation", `fit "FROM 'wine.csv' WHERE false" -k 3`},
	{"one row", `fit "FROM 'wine.csv' LIMIT 1" -k 1`},
	{"k above the rows", `fit wine.csv -k 179`},
	{"huge k", `fit wine.csv -k 999999999999`},
	{"k above the different rows", `fit 'SELECT i % 3 AS a FROM range(50) t(i)' -k 4`},
	{"only constant columns", `fit 'SELECT 1 AS a, 0.1 AS b FROM range(50)' -k 2`},
	{"no numeric column", `fit 'SELECT i AS id FROM range(50) t(i)' -k 2 --id id`},
	{"sparsity missing", `fit wine.csv -k 3 -a skfr`},
	{"sparsity of zero", `fit wine.csv -k 3 -a skfr --sparsity 0`},
	{"sparsity above the features", `fit wine.csv -k 3 -a skfr --sparsity 16`},
	{"unknown parameter", `fit wine.csv -k 3 -a skfr --param sparsitty=4`},
	{"parameter of another algorithm", `fit wine.csv -k 3 --sparsity 4`},
	{"parameter without value", `fit wine.csv -k 3 --param loss`},
	{"unknown choice", `fit wine.csv -k 3 --loss l3`},
	{"medians with k-pod", `fit wine.csv -k 3 --loss l1 --missing kpod`},
	{"unknown algorithm", `fit wine.csv -k 3 -a skrf`},
	{"unknown start method", `fit wine.csv -k 3 --init kmean++`},
	{"unknown scale", `fit wine.csv -k 3 --scale z`},
	{"start without all rows", `fit wine.csv -k 3 --id id --start "SELECT id, 0 AS cluster FROM 'wine.csv' WHERE id > 1"`},
	{"start with a cluster too high", `fit wine.csv -k 3 --id id --start "SELECT id, class AS cluster FROM 'wine.csv'"`},
	{"start of the wrong shape", `fit wine.csv -k 3 --id id --start 'SELECT 1 AS a'`},
	{"constraints of unknown kinds and features", `fit wine.csv -k 3 --constraints "SELECT unnest(['bx', 'box']) AS kind, ` +
		`'alcohl' AS feature, 1 AS lo"`},
	{"constraints of parts of clusters", `fit wine.csv -k 3 --constraints "SELECT 'box' AS kind, 'hue' AS feature, * FROM ` +
		`(VALUES (0.5, 1.3), (1.0, 1.2), (3, 1.1), (1e30, 1)) v(cluster, lo)"`},
	{"constraints too large for squares", `fit wine.csv -k 3 --constraints "SELECT 'box' AS kind, 1e200 AS lo, ` +
		`unnest(['alcohol', 'hue']) AS feature"`},
	{"checked constraints too large for squares", `check wine.csv -k 3 --constraints "SELECT 'halfspace' AS kind, 'hue' AS ` +
		`feature, 1e-100 AS coef, 1e100 AS value"`},
	{"constraints with a misspelled column", `fit wine.csv -k 3 --constraints "SELECT 'box' AS kind, 'ash' AS feature, 1 AS low"`},
	{"constraints that exclude each other", `fit wine.csv -k 3 --constraints "SELECT 'box' AS kind, 'ash' AS feature, * FROM ` +
		`(VALUES ('small', 0.5, 2), ('large', 3, 4)) v(name, lo, hi)"`},
	{"a ball in scaled columns", `fit wine.csv -k 3 --constraints "SELECT 'l2_ball' AS kind, 1 AS value"`},
	{"a sparsity of centers whose features have weights", `fit wine.csv -k 3 -a skm --l1-bound 2 --constraints "SELECT ` +
		`'sparsity' AS kind, 4 AS value"`},
	{"a budget, missing cells and weights of features", `fit 'SELECT i AS id, CASE WHEN i > 2 THEN i % 5 END AS a, i % 3 AS b ` +
		`FROM range(20) t(i)' --id id -k 2 -a groupskm --lambda 0.1 --constraints "SELECT 'halfspace' AS kind, 1 AS coef, 5 AS ` +
		`hi, unnest(['a', 'b']) AS feature"`},
	{"limits that need more features than are kept", `fit wine.csv -k 3 -a skfr --sparsity 1 --constraints "SELECT 'box' AS ` +
		`kind, unnest(['ash', 'hue']) AS feature, 5 AS lo"`},
	{"two statements", `fit 'SELECT 1 AS a; DROP TABLE t' -k 2`},
	{"statement that closes the query", `fit 'SELECT 1 AS a) AS r; DROP TABLE t; --' -k 2`},
	{"query with an error", `fit 'SELECT FROM' -k 2`},
	{"negative weight", `fit 'SELECT i AS id, i % 4 AS a, i - 3 AS w FROM range(9) t(i)' -k 2 --id id --weight w`},
	{"into without a database", `fit wine.csv -k 3 --into a`},
	{"name with a stray quote", `fit wine.csv -k 3 --db runs.duckdb --into 'wi"ne'`},
	{"name that needs quotes", `check wine.csv -k 3 --db runs.duckdb --into my-run`},
	{"tables that exist", `fit wine.csv -k 3 --db runs.duckdb --into wine`},
	{"schema that does not exist", `fit wine.csv -k 3 --db runs.duckdb --into other.wine`},
	{"unknown database", `show wine --db run.duckdb`},
	{"drop in an unknown database", `drop wine --db run.duckdb`},
	{"damaged database", `show wine --db damaged.duckdb`},
	{"locked database", `fit wine.csv -k 3 --db locked.duckdb --into a`},
	{"unknown run", `show wein --db runs.duckdb`},
	{"unknown result table", `show wine centroids --db runs.duckdb`},
	{"the largest rows of a table that has none", `show wine clusters --top 3 --db runs.duckdb`},
	{"the largest rows of no table", `show wine --top 3 --db runs.duckdb`},
	{"no largest rows", `show wine features --top 0 --db runs.duckdb`},
	{"unknown rows of centers", `fit wine.csv -k 3 --center-rows some`},
	{"show without a database", `show wine`},
	{"predict without a column of the model", `predict wine "SELECT id, alcohol, hue FROM 'wine.csv'" --id id --db runs.duckdb`},
	{"time runs out", `fit wine.csv -k 3 --timeout 1ns`},
	{"profile that cannot be written", `fit no.csv -k 3 --cpuprofile none/cpu`},
	{"profile of the plugin that cannot be written", `fit no.csv -k 3 --trace taken`},
	{"two profiles in one file", `fit no.csv -k 3 --trace a --cpuprofile a`},
	{"help about nothing", `help nosuch`},
	{"help about nothing of a group", `help plugin describ`},
	{"flag of other commands", `predict wine wine.csv --sparsity 3`},
	{"flag of fit", `predict wine wine.csv --exclude a`},
	{"whole number too large", `fit wine.csv -k 99999999999999999999`},
	{"negative seed", `fit wine.csv -k 3 --seed -1`},
	{"time without a unit", `fit wine.csv -k 3 --timeout 10`},
	{"negative time", `fit wine.csv -k 3 --timeout -3s`},
	{"empty key", `fit wine.csv -k 3 --id ''`},
	{"empty list", `fit wine.csv -k 3 --features ''`},
	{"empty parameter", `fit wine.csv -k 3 --loss ''`},
	{"no starts", `fit no.csv -k 3 --restarts 0`},
	{"iterations below zero", `fit no.csv -k 3 --max-iter -1`},
	{"tolerance that is no number", `fit no.csv -k 3 --tol nan`},
	{"unknown policy", `fit no.csv -k 3 --empty drop`},
	{"unknown units of starts", `fit no.csv -k 3 --init-space scaled`},
	{"unknown norm", `fit no.csv -k 3 --norm l1`},
	{"columns of rows of length 1 are scaled", `fit no.csv -k 3 -a spherical --scale sd`},
	{"rows of length 1 are not wanted", `fit no.csv -k 3 -a spherical --norm none`},
	{"limits on the sphere", `fit wine.csv --id id --exclude class -k 3 -a spherical --constraints "SELECT 'box' AS kind, 'hue' AS feature, 1 AS lo"`},
	{"NULLs on the sphere", `fit "SELECT i AS id, if(i > 3, i, NULL) AS x, 1 AS y FROM range(9) t(i)" --id id -k 2 -a spherical`},
	{"the length of categories", `fit "SELECT i AS id, i AS x, i % 2 AS y FROM range(9) t(i)" --id id -k 2 --norm l2 --categorical y`},
	{"unknown center", `fit no.csv -k 3 --center mode`},
	{"database in memory", `fit wine.csv -k 3 --db :memory: --into a`},
	{"runs of a database in memory", `runs --db :memory:`},
	{"values too small", `fit 'SELECT i * 1e-200 AS a FROM range(9) t(i)' -k 2 --scale none`},
	{"k above the rows with cells", `fit 'SELECT i AS id, CASE WHEN i > 6 THEN i END AS a FROM range(9) t(i)' --id id -k 3`},
	{"rows without cells refused", `fit 'SELECT i AS id, CASE WHEN i > 6 THEN i END AS a FROM range(9) t(i)' --id id -k 2 ` +
		`--missing error`},
	{"NULLs in new rows", `predict wine "SELECT * REPLACE (nullif(hue, 1.04) AS hue) FROM 'wine.csv'" --id id --db runs.duckdb ` +
		`--nulls error`},
	{"values of new rows too large", `predict wine "SELECT * REPLACE (hue * 1e300 AS hue) FROM 'wine.csv'" --id id --db runs.duckdb`},
	{"start with half a cluster", `fit wine.csv -k 3 --id id --start "SELECT id, class / 2 - 0.5 AS cluster FROM 'wine.csv'"`},
	{"start of half a row", `fit wine.csv -k 2 --id id --start 'SELECT * FROM (VALUES (1.0), (2.5)) t(id)'`},
	{"relation that would be replaced", `predict apart 'FROM apart_assignments' --id id --db runs.duckdb --into ` +
		`apart_assignments --replace`},
	{"run that would replace its relation", `fit apart_assignments --id id --features distance -k 2 --db runs.duckdb --into ` +
		`apart --replace`},
	{"control characters in names", "fit 'wi\x1b[31mne.csv' -k 3 --id '\x1b]0;title\a'"},
	{"column with control characters", "fit \"SELECT 1 AS \\\"a\x1b[2Jb\\\", 'x' AS \\\"c\nd\\\"\" -k 3"},
	{"a tuning of one point", `tune wine.csv --id id --exclude class -k 3`},
	{"a tuning over no number of clusters", `tune wine.csv --id id --exclude class -k 2:1`},
	{"a tuning over one cluster alone", `tune wine.csv --id id --exclude class -k 1,1`},
	{"a fit of several k with a start", `fit wine.csv --id id --exclude class -k auto --start starts.csv`},
	{"several k where one is needed", `path wine.csv --id id --exclude class -a skfr -k 2:4`},
	{"a gap over a penalty", `tune wine.csv --id id --exclude class -a groupskm -k 3 --grid 0,0.1 --method gap`},
	{"a gap with outliers", `tune wine.csv --id id --exclude class -k 2:4 --trim 0.02`},
	{"a gap with pairs", `tune wine.csv --id id --exclude class -a pcskm -k 2:3 --l1-bound 2 --pairs pairs.csv`},
	{"a method for k alone", `tune wine.csv --id id --exclude class -a skfr -k 2:3 --grid 3,5 --method silhouette`},
	{"a method by classes with another", `tune wine.csv --id id --truth class -a skfr -k 2:3 --grid 3,5 --method cv,gap`},
	{"classes that no method uses", `tune wine.csv --id id --truth class -k 2:3 --method gap`},
	{"a tuning by one draw", `tune wine.csv --id id --exclude class -k 2:3 --draws 1`},
	{"a tuning of which no point is possible", `tune wine.csv --id id --exclude class -a skfr -k 2:3 --grid 14,15 --draws 2 -q`},
	{"a tuning by a column that is not there", `tune wine.csv --id id -a skm -k 3 --truth klass`},
	{"a tuning by one class", `tune "SELECT *, 'red' AS wine FROM 'wine.csv'" --id id -a skm -k 3 --truth wine`},
	{"a tuning by no class", `tune "SELECT * REPLACE (NULL AS class) FROM 'wine.csv'" --id id -a skm -k 3 --truth class`},
	{"fewer labelled rows than folds", `tune "SELECT * REPLACE (CASE WHEN id % 45 = 1 THEN class END AS class) FROM 'wine.csv'" ` +
		`--id id -a skm -k 3 --truth class`},
	{"folds too small for pairs", `tune "SELECT * REPLACE (CASE WHEN id % 9 = 1 THEN class END AS class) FROM 'wine.csv'" --id ` +
		`id -a skm -k 3 --truth class`},
	{"a fold that leaves no pair", `tune wine.csv --id id -a pcskm -k 3 --truth class --pairs "SELECT 1 AS a, 2 AS b, 'must' AS kind"`},
	{"a tuning of an algorithm that selects nothing", `tune wine.csv --id id -a pckm -k 3 --truth class`},
	{"a tuning with one value", `tune wine.csv --id id -a skm -k 3 --truth class --l1-bound 2`},
	{"a tuning over values that are too large", `tune wine.csv --id id -a skfr -k 3 --truth class --grid 14,15 -o csv`},
	{"unknown method of tuning", `tune wine.csv -a skm -k 3 --truth class --method vc`},
	{"unknown choice of a tuning", `tune wine.csv -a skm -k 3 --truth class --choose one_se`},
	{"one fold", `tune wine.csv -a skm -k 3 --truth class --folds 1`},
	{"no repetition", `tune wine.csv -a skm -k 3 --truth class --repeats 0`},
	{"a share above all", `tune wine.csv -a skm -k 3 --truth class --share 10`},
	{"a share of pairs that are given", `tune wine.csv -a pcskm -k 3 --truth class --share 0.1 --pairs "SELECT 1 AS a, 2 AS b, ` +
		`'must' AS kind"`},
	{"keeping parts of a tuning that is not written", `tune wine.csv -a skm -k 3 --truth class --keep-partial`},
	{"suggestions for no number of clusters", `pairs suggest wine.csv`},
	{"suggestions for one cluster", `pairs suggest wine.csv -k 1`},
	{"no suggestions", `pairs suggest wine.csv -k 3 --count 0`},
	{"unknown method of suggestions", `pairs suggest wine.csv -k 3 --method min-max`},
	{"suggestions in the place of a result", `pairs suggest wine.csv --id id -k 3 --db runs.duckdb --into wine_fit --replace`},
	{"suggestions without any kind", `fit wine.csv --id id -a pckm -k 3 --pairs "SELECT 1 AS a, 2 AS b, NULL AS kind, 1 AS ` +
		`weight, 'why not' AS why"`},
	{"pairs whose kind is NULL", `fit wine.csv --id id -a pckm -k 3 --pairs 'SELECT 1 AS a, 2 AS b, NULL AS kind'`},
	{"unknown command of pairs", `pairs sugest wine.csv`},
	{"not converged", `fit wine.csv -k 3 --id id --max-iter 1 --restarts 1 --strict -o csv`},
	{"trimming by an algorithm that cannot", `fit wine.csv -k 3 -a skm --l1-bound 2 --trim 0.1`},
	{"trimming more than half", `fit wine.csv -k 3 --trim 0.6`},
	{"a trimmed path", `path wine.csv -k 3 -a skfr --trim 0.1`},
	{"a batch with fewer rows than clusters", `fit wine.csv -k 3 --batch 2`},
	{"batches of a path", `path wine.csv -k 3 -a skfr --batch 50`},
	{"batches of several algorithms", `fit wine.csv -k 3 -a kmeans,skfr --sparsity 3 --batch 50`},
	{"batches beside a start", `fit wine.csv -k 3 --batch 50 --start "SELECT 0 AS cluster, 'ash' AS feature, 1 AS center"`},
	{"outliers of a fit that left none out", `predict wine wine.csv --db runs.duckdb --flag`},
	{"outliers beyond a level that is not kept", `predict wine wine.csv --db runs.duckdb --flag 0.5`},
	{"fewer distances than none", `fit wine.csv -k 3 --distances -1`},
}

// TestEveryBadInputSaysWhatIsWrongWhereAndWhatToDo has all that is wrong with a
// command line in this process, and of what else is wrong every 24th command, as
// a process of its own. In a campaign (or to rewrite the golden file) all are
// processes. It runs alone, in the directory that the commands name files of.
func TestEveryBadInputSaysWhatIsWrongWhereAndWhatToDo(t *testing.T) {
	dir := t.TempDir()
	prepare(t, dir)
	all := clustertest.Campaign || *update
	want := map[string]string{}
	if !all {
		want = messages(t)
	}
	var got strings.Builder
	others := 0
	for _, c := range refused {
		args := must.Get(doctest.Arguments(c.line))(t)
		var o outcome
		switch usage := strings.HasSuffix(want[c.what], fmt.Sprintf("\nexit code %d\n", usageCode)); {
		case !all && usage:
			o = inProcess(t, dir, args...)
		case all || others%24 == 0:
			o = sqlcluster(t, dir, args...)
			others++
		default:
			others++
			continue
		}
		message := fmt.Sprintf("# %s\n$ sqlcluster %s\n%sexit code %d\n", c.what, render.Safe(strings.Join(args, " ")),
			stable(dir, o.stderr), o.code)
		got.WriteString(message + "\n")
		if !all {
			equal(t, want[c.what], message, "%s", c.what)
		}
		if o.code == 0 || o.code == 1 && !regexp.MustCompile("database-locked|timed-out|file-unwritable").MatchString(o.stderr) {
			t.Errorf("%s: exit code %d", c.what, o.code)
		}
		if strings.Contains(o.stderr, "goroutine ") || strings.Contains(o.stderr, ".go:") {
			t.Errorf("%s: a stack trace reached the user: %s", c.what, o.stderr)
		}
	}
	if all {
		golden(t, messagesGolden, got.String())
	}
}

// usageCode is the exit code of a wrong command line.
const usageCode = 2

// inProcess runs the command in this process, in a directory, with nothing of the
// user's own configuration. Tests that use it cannot be parallel.
func inProcess(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	was := must.Get(os.Getwd())(t)
	must.Do(t, os.Chdir(dir))
	defer func() { must.Do(t, os.Chdir(was)) }()
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "SQLCLUSTER_") || name == "XDG_CONFIG_HOME" || name == "COLUMNS" {
			t.Setenv(name, "")
		}
	}
	t.Setenv("HOME", dir)
	var out, errs strings.Builder
	code := cli.Main(args, &out, &errs)
	return outcome{out.String(), errs.String(), code}
}

const messagesGolden = "testdata/messages.golden"

// messages returns the parts of the golden file by what is wrong.
func messages(t *testing.T) map[string]string {
	t.Helper()
	text := must.Get(os.ReadFile(messagesGolden))(t)
	parts := map[string]string{}
	for part := range strings.SplitSeq("\n\n"+string(text), "\n\n# ") {
		what, _, _ := strings.Cut(part, "\n")
		parts[what] = "# " + strings.TrimRight(part, "\n") + "\n"
	}
	return parts
}

// prepare fills the directory that the refused commands run in.
func prepare(t *testing.T, dir string) {
	t.Helper()
	write(t, dir, "wine.csv", string(must.Get(os.ReadFile("../../examples/wine.csv"))(t)))
	few := regexp.MustCompile("^(id|class|DYRK1A_N|BCL2_N|BAD_N|H3.*)$") // all 79 columns take long to read
	var mice strings.Builder
	names, rows := csvLines(t, "../../examples/mice_protein.csv")
	for _, row := range append([][]string{names}, rows...) {
		var kept []string
		for l, cell := range row {
			if few.MatchString(names[l]) {
				kept = append(kept, cell)
			}
		}
		mice.WriteString(strings.Join(kept, ",") + "\n")
	}
	write(t, dir, "mice.csv", mice.String())
	succeed(t, dir, "fit", "wine.csv", "--id", "id", "--exclude", "class", "-k", "3", "--db", "runs.duckdb", "--into", "wine", "-q")
	succeed(t, dir, "fit", "wine_assignments", "--id", "id", "--features", "distance", "-k", "2", "--db", "runs.duckdb", "--into", "apart",
		"-q")
	succeed(t, dir, "fit", "SELECT i AS id, CASE i % 3 WHEN 0 THEN 'red' ELSE 'blue' END AS colour, i AS x FROM range(9) t(i)", "--id", "id",
		"--categorical", "colour", "-k", "2", "--db", "runs.duckdb", "--into", "colours", "-q")
	text := must.Get(os.ReadFile(filepath.Join(dir, "runs.duckdb")))(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, "locked.duckdb"), text, 0o600))
	copy(text[4096:], strings.Repeat("damage", 2000)) // the first blocks after the header
	must.Do(t, os.WriteFile(filepath.Join(dir, "damaged.duckdb"), text, 0o600))
	must.Do(t, os.Mkdir(filepath.Join(dir, "taken.plugin"), 0o700))
	held := must.Get(store.Open(context.Background(), filepath.Join(dir, "locked.duckdb"), store.ReadWrite))(t)
	t.Cleanup(func() { _ = held.Close() })
}

// progressLine is what a command says when it has been at work for a while: a
// busy machine is enough for that.
var progressLine = regexp.MustCompile(`(?m)^(reading|fitting|path|tuning): .*\n`)

var volatile = regexp.MustCompile(`PID \d+|\(PID [^)]*\)|computed checksum \d+|stored checksum \d+|at location \d+|in /[^ ` +
	`]*sqlcluster\.test|/[^ ]*sqlcluster\.test`)

// stable hides what differs from one run to the next.
func stable(dir, text string) string {
	text = progressLine.ReplaceAllString(text, "")
	return volatile.ReplaceAllString(strings.ReplaceAll(text, dir, "DIR"), "…")
}

// golden compares a text with a file, or rewrites the file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		must.Do(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want := must.Get(os.ReadFile(path))(t)
	equal(t, strings.Split(string(want), "\n"), strings.Split(got, "\n"), "%s", path)
}
