package beside

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

var pairsPlace = framework.Setting("pairs")

// pairColumns are the columns that a relation of pairs may have; the weight may
// be absent, and so may why, which suggestions have.
var pairColumns = []string{"a", "b", "kind", "weight", "why"}

// A pairLine is a row of a relation of pairs.
type pairLine struct {
	row    [2]int // as of a finder
	key    [2]string
	kind   string  // "": NULL
	weight float64 // NaN: NULL
}

func (l pairLine) String() string {
	return fmt.Sprintf("%s %s and %s", cmp.Or(l.kind, "pair of"), l.key[0], l.key[1])
}

// ReadPairs reads pairs of rows of table t: a relation with the columns a and b
// (row keys), kind ('must' or 'cannot') and, if pairs have weights, weight: a
// number above 0, or NULL for a pair that is never broken. A relation with the
// column why is one of suggestions: pairs whose kind is NULL are not labelled
// yet, and are left out; elsewhere they are wrong. A relation without rows has no
// pairs. All rows that are wrong are reported together.
func (db *DB) ReadPairs(ctx context.Context, relation string, t *input.Table) (input.Pairs, error) {
	r, err := db.Resolve(ctx, relation, pairsPlace)
	if err != nil {
		return input.Pairs{}, err
	}
	defer db.Release(r)
	weight, suggested, err := checkPairColumns(r)
	if err != nil {
		return input.Pairs{}, err
	}
	var keys [2]*source.Column
	for e, name := range pairColumns[:2] {
		if keys[e], err = r.Column(name, pairsPlace); err != nil {
			return input.Pairs{}, err
		}
	}
	sql := "SELECT " + source.KeyList(t, *keys[0]) + ", " + source.KeyList(t, *keys[1]) +
		", CAST(kind AS VARCHAR), CAST(" + weight + " AS DOUBLE) FROM " + r.From
	var lines []pairLine
	find := source.NewFinder(t)
	err = db.Stream(ctx, sql, func(c duck.Chunk) error {
		a, b := find.Rows(c, 0), find.Rows(c, source.KeyColumns)
		kinds, weights := c.Column(2*source.KeyColumns), c.Column(2*source.KeyColumns+1)
		for i := range c.Rows {
			line := pairLine{weight: math.NaN()}
			line.row[0], line.key[0] = a(i)
			line.row[1], line.key[1] = b(i)
			if !kinds.Null(i) {
				line.kind = kindWord(string(kinds.Text(i)), "must", "cannot")
			}
			if !weights.Null(i) {
				line.weight = duck.View[float64](weights, c.Rows)[i]
				if math.IsNaN(line.weight) {
					line.weight = math.Inf(-1) // to be refused, unlike NULL
				}
			}
			lines = append(lines, line)
		}
		return nil
	})
	if err != nil {
		return input.Pairs{}, db.NumberFault(ctx, source.ReadFault(err, r, len(lines)), r, pairsPlace, "weight")
	}
	if len(lines) == 0 {
		return input.Pairs{}, nil
	}
	return pairsOf(lines, suggested, t, r)
}

// kindWord returns which of some words in lower case a text is, whatever its case
// and the blanks around it; another text is itself, but for blanks alone.
func kindWord(text string, words ...string) string {
	word := strings.ToLower(strings.TrimSpace(text))
	if word == "" || slices.Contains(words, word) {
		return word
	}
	return text
}

// checkPairColumns refuses columns that are missing or unknown, and returns the
// expression that reads the weight, and whether pairs are suggestions.
func checkPairColumns(r *source.Relation) (weight string, suggested bool, err error) {
	const hint = "it needs the columns a and b (keys of rows) and kind ('must' or 'cannot'), " +
		"and optionally weight (default 1; NULL: never broken)"
	if err := checkColumns(r, "pairs", pairColumns[:3], pairColumns, hint); err != nil {
		return "", false, err
	}
	return map[bool]string{true: schema.Quote("weight"), false: "1"}[r.Has("weight")], r.Has("why"), nil
}

// pairsOf checks the lines and makes links of them.
func pairsOf(lines []pairLine, suggested bool, t *input.Table, r *source.Relation) (input.Pairs, error) {
	slices.SortStableFunc(lines, func(x, y pairLine) int {
		return cmp.Or(cmp.Compare(x.row[0], y.row[0]), cmp.Compare(x.row[1], y.row[1]),
			strings.Compare(x.key[0], y.key[0]), strings.Compare(x.key[1], y.key[1]),
			strings.Compare(x.kind, y.kind), cmp.Compare(x.weight, y.weight))
	})
	var p input.Pairs
	var bad input.Tally
	for _, l := range lines {
		if l.kind == "" && suggested {
			p.Unlabelled++
			continue
		}
		if problem := l.problem(t); problem != "" {
			bad.Add("%v: %s", l, problem)
			continue
		}
		if l.row[0] < 0 || l.row[1] < 0 {
			p.Dropped++
			continue
		}
		w := l.weight
		if w != w {
			w = math.Inf(1)
		}
		p.Links = append(p.Links, framework.Link{A: int32(l.row[0]), B: int32(l.row[1]), Cannot: l.kind == "cannot", Weight: w})
	}
	if bad.Count > 0 {
		return p, framework.Faultf(framework.Data, "bad-pairs", "%s in %s", input.Plural(bad.Count, "problem"), r.Label).At("pairs").
			WithDetails(bad.Details())
	}
	if p.Unlabelled == len(lines) {
		return p, framework.Faultf(framework.Data, "unlabelled-pairs", "no pair of %s has a kind yet", r.Label).At("pairs").
			WithHint("write must or cannot into the column kind; pairs that keep NULL are left out")
	}
	if len(p.Links) == 0 && p.Dropped > 0 {
		every := "every pair"
		if p.Unlabelled > 0 {
			every = "every labelled pair"
		}
		return p, framework.Faultf(framework.Data, "dropped-pairs",
			"%s of %s has a row that was left out because of a NULL", every, r.Label).At("pairs").
			WithHint("give pairs of rows without NULLs; or leave out the columns that have NULLs: %s", framework.Setting("exclude"))
	}
	return p, nil
}

// problem says what is wrong with a line.
func (l pairLine) problem(t *input.Table) string {
	switch {
	case l.key[0] == "NULL" && l.row[0] == -1, l.key[1] == "NULL" && l.row[1] == -1:
		return "a key is NULL, or the text 'NULL', which no row has"
	case l.row[0] == -1:
		return fmt.Sprintf("there is no row with %s = %s", t.KeyName, l.key[0])
	case l.row[1] == -1:
		return fmt.Sprintf("there is no row with %s = %s", t.KeyName, l.key[1])
	case l.key[0] == l.key[1]:
		return "a row cannot be paired with itself"
	case l.kind == "":
		return "the kind is NULL: label it must or cannot, or leave the pair out"
	case l.kind != "must" && l.kind != "cannot":
		return fmt.Sprintf("the kind is %q; it must be must or cannot", l.kind)
	case !(l.weight > 0) && l.weight == l.weight, math.IsInf(l.weight, 1):
		return "the weight must be a number above 0, or NULL for a pair that is never broken"
	}
	return ""
}
