package beside

import (
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

var labelsPlace = framework.Setting("labels")

// A labelLine is a row of a relation of labels.
type labelLine struct {
	row    int // as of a finder
	key    string
	class  *string // nil: NULL
	weight float64 // +Inf: NULL, which is certain
}

// ReadLabels reads known classes of rows of table t: a relation with the key of t, class
// (of any type) and, if not all are certain, weight: a number of at least 0, or NULL for
// a class that is certain. A relation without rows has no labels. Classes are in the order of their texts. A row whose class is
// NULL is not known; no class is an empty text. All rows that are wrong are reported together.
func (db *DB) ReadLabels(ctx context.Context, relation string, t *input.Table) (l input.Labels, err error) {
	r, err := db.Resolve(ctx, relation, labelsPlace)
	if err != nil {
		return l, err
	}
	defer db.Release(r)
	columns := []string{strings.ToLower(t.KeyName), "class", "weight"}
	hint := fmt.Sprintf("it needs the columns %s (the key) and class, and optionally weight (NULL: certain)", t.KeyName)
	if err := checkColumns(r, "labels", []string{t.KeyName, "class"}, columns, hint); err != nil {
		return l, err
	}
	lines, err := db.labelLines(ctx, r, t)
	if err != nil {
		return l, err
	}
	if len(lines) == 0 {
		return l, nil
	}
	return labelsOf(lines, t, r)
}

func (db *DB) labelLines(ctx context.Context, r *source.Relation, t *input.Table) ([]labelLine, error) {
	key, err := r.Column(t.KeyName, labelsPlace)
	if err != nil {
		return nil, err
	}
	weight := "NULL"
	if r.Has("weight") {
		weight = schema.Quote("weight")
	}
	find := source.NewFinder(t)
	var lines []labelLine
	err = db.Stream(ctx, "SELECT "+source.KeyList(t, *key)+", CAST(class AS VARCHAR), CAST("+weight+" AS DOUBLE) FROM "+r.From,
		func(c duck.Chunk) error {
			keys, classes, weights := find.Rows(c, 0), c.Column(source.KeyColumns), c.Column(source.KeyColumns+1)
			for i := range c.Rows {
				line := labelLine{weight: math.Inf(1)}
				line.row, line.key = keys(i)
				if !classes.Null(i) {
					text := string(classes.Text(i))
					line.class = &text
				}
				if !weights.Null(i) {
					if line.weight = duck.View[float64](weights, c.Rows)[i]; math.IsInf(line.weight, 1) {
						line.weight = math.NaN() // to be refused, unlike NULL
					}
				}
				lines = append(lines, line)
			}
			return nil
		})
	if err != nil {
		return nil, db.NumberFault(ctx, source.ReadFault(err, r, len(lines)), r, labelsPlace, "weight")
	}
	return lines, nil
}

// labelsOf checks the lines, and numbers the classes.
func labelsOf(lines []labelLine, t *input.Table, r *source.Relation) (input.Labels, error) {
	l := input.Labels{Class: slices.Repeat([]int32{-1}, t.Keys.Len()), Weight: make([]float64, t.Keys.Len())}
	of, met := make([]*string, t.Keys.Len()), map[string]bool{}
	var bad input.Tally
	for _, line := range lines {
		name := t.KeyName + " = " + line.key
		switch {
		case line.row == -1:
			bad.Add("%s: there is no such row", name)
		case !(line.weight >= 0):
			bad.Add("%s: the weight must be a number of at least 0, or NULL for a class that is certain", name)
		case line.row < 0:
			l.Dropped++
		case line.class == nil:
		case *line.class == "":
			bad.Add("%s: the class is empty; give it a name, or NULL for a row whose class is not known", name)
		case of[line.row] != nil:
			bad.Add("%s: has a class twice", name)
		default:
			of[line.row], l.Weight[line.row], met[*line.class] = line.class, line.weight, true
		}
	}
	if bad.Count > 0 {
		return l, framework.Faultf(framework.Data, "bad-labels", "%s in %s", input.Plural(bad.Count, "problem"), r.Label).At("labels").
			WithDetails(bad.Details())
	}
	if len(met) == 0 {
		return l, framework.Faultf(framework.Data, "no-labels", "no row of %s has a class", r.Label).At("labels").
			WithHint("leave out %s, or write the classes of some rows into the column class", framework.Setting("labels"))
	}
	l.Class = numbered(of, met)
	for text := range met {
		l.Names = append(l.Names, text)
	}
	slices.Sort(l.Names)
	return l, nil
}
