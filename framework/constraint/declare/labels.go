package declare

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/labelset"
)

// A LabelSet is a set of labels that constraint rows declare, with what it was made
// from.
type LabelSet struct {
	framework.LabelSet
	Rows    []framework.ConstraintRow // in the order of Limit.Row
	Table   framework.LabelTable
	Foreign string // the kind, if a plugin serves it: the set cannot be made again from its rows alone

	sets []framework.LabelSet // that it is made of
}

// Err returns the first error of calls that cannot return one, Violation and Limits, of a
// set whose calls may fail.
func (s *LabelSet) Err() error {
	for _, of := range s.sets {
		if f, ok := of.(interface{ Err() error }); ok && f.Err() != nil {
			return f.Err()
		}
	}
	return nil
}

// FeasibleWith implements constraint.Holder. Of a kind that plugins serve, the labels that are held are not looked at.
func (s *LabelSet) FeasibleWith(ctx context.Context, held []int32) error {
	if h, ok := s.LabelSet.(constraint.Holder); ok {
		return h.FeasibleWith(ctx, held)
	}
	err := s.Feasible(ctx)
	if err == nil {
		return framework.Undecided{Why: "whether labels of limits that a plugin serves leave room for known classes " +
			"is not known before they are found"}
	}
	return err
}

// OnlyEmpty reports of each cluster whether the limits are known to leave it no rows.
func (s *LabelSet) OnlyEmpty() []bool {
	if of, ok := s.LabelSet.(interface{ OnlyEmpty() []bool }); ok {
		return of.OnlyEmpty()
	}
	return make([]bool, s.Table.K)
}

// LabelKinds returns the names of the kinds of this package's rows that restrict labels.
func LabelKinds() []string {
	var names []string
	for _, k := range labelset.Kinds() {
		names = append(names, k.Describe().Kind)
	}
	return names
}

// OfLabels returns the rows that restrict labels, and the others. others are the kinds
// that plugins serve.
func OfLabels(rows []framework.ConstraintRow, others ...framework.LabelKind) (labels, centers []framework.ConstraintRow) {
	names := LabelKinds()
	for _, k := range others {
		names = append(names, k.Describe().Kind)
	}
	for _, r := range rows {
		if slices.Contains(names, r.Kind) {
			labels = append(labels, r)
		} else {
			centers = append(centers, r)
		}
	}
	return labels, centers
}

// NumbersOnly reports whether rows of a kind look at the numbers of their features alone, and
// not at values as text.
func NumbersOnly(kind string) bool { return kind == "capacity" }

// TakesFeature reports whether rows of a kind may name a column: false for the kinds of this package that take none.
func TakesFeature(kind string) bool {
	return !slices.ContainsFunc(labelset.Kinds(), func(k framework.LabelKind) bool {
		d := k.Describe()
		return d.Kind == kind && !slices.Contains(d.Uses, "feature")
	})
}

// Labels returns the set of labels that the rows declare, all together, or nil if there are no
// rows. Each feature is a column of the table. The result does not depend on
// the order of the rows. The Fault lists everything that is wrong with any row.
//
// Rows may be of the built-in kinds and of others. A set of another kind cannot be combined.
func Labels(rows []framework.ConstraintRow, t framework.LabelTable, others ...framework.LabelKind) (*LabelSet, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	known := map[string]framework.LabelKind{}
	for _, k := range labelset.Kinds() {
		known[k.Describe().Kind] = k
	}
	out := &LabelSet{Rows: slices.Clone(rows), Table: t}
	for _, k := range others {
		name := k.Describe().Kind
		if known[name] != nil {
			return nil, framework.Faultf(framework.Usage, "kind-taken", "there are two kinds of sets with the name %s", name)
		}
		known[name] = k
		if slices.ContainsFunc(rows, func(r framework.ConstraintRow) bool { return r.Kind == name }) {
			out.Foreign = name
		}
	}
	slices.SortStableFunc(out.Rows, compareRows)
	r := &reader{k: t.K}
	for _, row := range out.Rows {
		r.wrong = append(r.wrong, wrongWith(row, known[row.Kind], t)...)
	}
	if len(r.wrong) > 0 {
		return nil, r.fault()
	}
	var sets []framework.LabelSet
	var numbers [][]int
	for from := 0; from < len(out.Rows); {
		to := from + 1
		for to < len(out.Rows) && out.Rows[to].Kind == out.Rows[from].Kind && out.Rows[to].Name == out.Rows[from].Name {
			to++
		}
		set, err := known[out.Rows[from].Kind].Make(out.Rows[from:to], t)
		switch f := framework.AsFault(err); {
		case f != nil && f.Class == framework.Data:
			r.wrong = append(r.wrong, title(out.Rows[from])+": "+strings.TrimPrefix(f.Summary, out.Rows[from].Kind+" "))
		case err != nil:
			return nil, err
		default:
			sets = append(sets, set)
			numbers = append(numbers, sequence(from, to))
		}
		from = to
	}
	if len(r.wrong) > 0 {
		return nil, r.fault()
	}
	out.sets = sets
	var err error
	out.LabelSet, err = labelset.Together(sets, numbers)
	return out, err
}

// sequence returns the numbers from, from + 1 … to − 1.
func sequence(from, to int) []int {
	all := make([]int, to-from)
	for i := range all {
		all[i] = from + i
	}
	return all
}

// wrongWith says what is wrong with a row by itself.
func wrongWith(row framework.ConstraintRow, k framework.LabelKind, t framework.LabelTable) (wrong []string) {
	fail := func(format string, args ...any) { wrong = append(wrong, title(row)+": "+fmt.Sprintf(format, args...)) }
	if k == nil {
		fail("there is no such kind of limits of clusters; there are %s", strings.Join(LabelKinds(), ", "))
		return wrong
	}
	uses := k.Describe().Uses
	switch {
	case row.NoCluster != "":
		fail("cluster is %s; it must be a whole number from 0 to %d", row.NoCluster, t.K-1)
	case row.Cluster != nil && (*row.Cluster < 0 || *row.Cluster >= t.K):
		fail("cluster is %d; it must be from 0 to %d", *row.Cluster, t.K-1)
	}
	for _, column := range framework.SetColumns {
		if row.Has(column) && !slices.Contains(uses, column) {
			fail("it takes no %s; leave that NULL", column)
		}
	}
	if row.Feature != nil && slices.Contains(uses, "feature") && t.Column(*row.Feature) == nil {
		fail("there is no column %s", *row.Feature)
	}
	if row.Lo != nil && row.Hi != nil && *row.Lo > *row.Hi && slices.Contains(LabelKinds(), row.Kind) {
		fail("lo is %g, above hi, which is %g", *row.Lo, *row.Hi) // to other kinds they may be something else
	}
	for _, c := range [...]struct {
		name  string
		value *float64
	}{{"coef", row.Coef}, {"lo", row.Lo}, {"hi", row.Hi}, {"value", row.Value}} {
		switch {
		case c.value == nil:
		case math.IsNaN(*c.value):
			fail("%s is NaN", c.name)
		case math.IsInf(*c.value, 0) && c.name != "lo" && c.name != "hi":
			fail("%s is %g; it must be finite", c.name, *c.value)
		case row.Kind == "size" && *c.value < 0 && !math.IsInf(*c.value, 0):
			fail("%s is %g; a number of rows is at least 0", c.name, *c.value)
		}
	}
	return wrong
}
