package grouped

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A Prediction is of rows in groups, by the model of each group.
type Prediction struct {
	Run
	Extras  model.Extras
	Unseen  matrix.Unseen
	Threads int
}

// one returns the model of a group.
func (p *Prediction) one(ctx context.Context, group int) (*model.Model, error) {
	m, err := p.Run.one(ctx, group, "predict with that")
	if err != nil {
		return nil, err
	}
	return m.With(p.Extras)
}

// Predict labels the rows of a relation that has the columns of the groups. Rows of a
// group without a model have no cluster. It returns the labels of each group of the
// relation, and what is to be noted.
func (p *Prediction) Predict(ctx context.Context, l library.Library, src PartSource, spec input.Spec) (
	*result.Grouped[result.Assignments], []string, error) {
	defer p.open(l)()
	_, first, err := p.first(ctx, "predict with that")
	if err != nil {
		return nil, nil, err
	}
	m, err := p.one(ctx, first)
	if err != nil {
		return nil, nil, err
	}
	parts, err := src.Parts(ctx, p.spec(m, spec), input.NamesOf(p.Groups.Names(), schema.Quote))
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = parts.Close() }() // it has been read
	known := map[string]int{}
	for g := range p.Groups.Len() {
		known[p.Groups.Item(g)] = g
	}
	groups := parts.Groups()
	r := &result.Grouped[result.Assignments]{Groups: groups, Of: make([]result.Assignments, groups.Len()),
		Faults: make([]*framework.Fault, groups.Len())}
	notes := make([][]string, groups.Len())
	err = SideBySide(groups.Len(), p.Threads, func(i int) (err error) {
		of, has := known[groups.Item(i)]
		if !has || !isModel(p.Fits[of]) {
			r.Of[i], err = p.without(ctx, partOf{parts, i}, m, spec)
			return ofGroup(err, groups, i)
		}
		own, err := p.one(ctx, of)
		if err != nil {
			return ofGroup(err, groups, i)
		}
		labels, err := own.Predict(ctx, partOf{parts, i}, spec, max(1, p.Threads/groups.Len()), p.Unseen)
		if err != nil {
			return ofGroup(err, groups, i)
		}
		r.Of[i], notes[i] = labels.Assignments, labels.Notes
		return nil
	})
	return r, notesOf(notes, r, p.Groups), err
}

// spec is how a model reads rows.
func (p *Prediction) spec(m *model.Model, spec input.Spec) input.Spec {
	spec = m.Wanted(spec)
	spec.Results = []string{schema.Assignments, schema.Distances}
	return spec
}

// without returns the assignments of a group that has no model, whose rows are read as
// those of another.
func (p *Prediction) without(ctx context.Context, part partOf, m *model.Model, spec input.Spec) (result.Assignments, error) {
	t, err := part.Read(ctx, p.spec(m, spec))
	if err != nil {
		return result.Assignments{}, err
	}
	defer func() { _ = t.Close() }()
	n := t.Keys.Len()
	none, unknown := slices.Repeat([]int32{-1}, n), slices.Repeat([]float64{math.NaN()}, n)
	a := result.Assigned(t, &fit.Prediction{Labels: none, Second: none, Distance: unknown, Margin: unknown})
	a.By, a.Unlabelled, a.Status = p.Name, input.NoModel, input.NoModel
	return a, nil
}

// partOf is a part as a source.
type partOf struct {
	input.Parts
	group int
}

func (p partOf) Read(ctx context.Context, spec input.Spec) (*input.Table, error) {
	return p.Parts.Read(ctx, spec, p.group)
}

// ofGroup adds to a fault the group that it is of.
func ofGroup(err error, groups *input.Groups, group int) error {
	if f := framework.AsFault(err); f != nil && !OfColumns(f) {
		return f.WithDetails(append([]string{"in the group " + groups.Text(group)}, f.Details...))
	}
	return err
}

// notesOf says once what is to be noted of several groups, and how many rows have no model.
func notesOf(of [][]string, r *result.Grouped[result.Assignments], run *input.Groups) (all []string) {
	times, rows, groups := map[string]int{}, 0, 0
	for i, notes := range of {
		for _, n := range notes {
			if times[n]++; times[n] == 1 {
				all = append(all, n)
			}
		}
		if r.Of[i].Unlabelled == input.NoModel {
			rows += r.Groups.Sizes[i]
			groups++
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(times[b], times[a]) })
	for i, n := range all {
		if times[n] > 1 {
			all[i] = fmt.Sprintf("in %d groups: %s", times[n], n)
		}
	}
	if groups > 0 {
		all = append([]string{fmt.Sprintf("%s of %s that the run has no model of: %s no cluster", input.Counted(rows, "row is", "rows are"),
			input.Counted(groups, "group", "groups"), map[bool]string{true: "it has", false: "they have"}[rows == 1])},
			append(otherTypes(run, r.Groups), all...)...)
	}
	return all
}

// otherTypes says which columns of groups have one type in the run and another in the
// relation, and no value in common: groups are found by how their values are written.
func otherTypes(run, relation *input.Groups) (notes []string) {
	for c, known := range run.Columns {
		other := relation.Columns[c]
		name, was, is := known.Name, known.Values.Type(), other.Values.Type()
		if was == is || inCommon(known, other) {
			continue
		}
		notes = append(notes, fmt.Sprintf("column %s is %s in the run and %s in the relation, where no value is written as one of the run: "+
			"SELECT * REPLACE (CAST(%s AS %s) AS %[4]s) FROM … makes them alike", name, was, is, schema.Quote(name), was))
	}
	return notes
}

// inCommon reports whether a value of two columns is written alike.
func inCommon(a, b input.GroupColumn) bool {
	texts := map[string]bool{}
	for i := range a.Values.Len() {
		if !a.Null[i] {
			texts[a.Values.Text(i)] = true
		}
	}
	for i := range b.Values.Len() {
		if !b.Null[i] && texts[b.Values.Text(i)] {
			return true
		}
	}
	return false
}
