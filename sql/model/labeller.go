package model

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
)

// Decode reads the text of a model, without the run that it is of.
func Decode(l library.Library, text string) (*Model, error) {
	m, err := decodeModel(text, l)
	if err == nil && m.weightlessAll() {
		err = framework.Faultf(framework.Data, "no-clusters", "no feature of the model has a weight, so that it has no clusters").
			WithHint("fit again, with a weaker penalty")
	}
	if err == nil || framework.AsFault(err) != nil {
		return m, err
	}
	return nil, framework.Faultf(framework.Data, "model-damaged", "the model cannot be read").WithCause(err).
		WithHint("it is the column model of a fit; if nobody has changed it, it was written by another version of sqlcluster")
}

// weightlessAll reports whether there are feature weights, all of them 0.
func (m *Model) weightlessAll() bool {
	w := m.model.FeatureWeights
	return len(w) > 0 && !slices.ContainsFunc(w, func(w float64) bool { return w > 0 })
}

// A Labeller labels rows, a few at a time and in this process, with the results of
// Predict. Several goroutines may use it.
type Labeller struct {
	Columns []LabelColumn
	Cells   int // of a row

	m               *Model
	c               framework.Clusterer
	location, scale []float64
}

// A LabelColumn is a column of the rows that are labelled.
type LabelColumn struct {
	Name       string
	Optional   bool           // it may be missing altogether
	Place      int            // of its first cell
	Categories map[string]int // a cell for each, which is 1 if the row has it, else 0; nil: the column is a number
	Null       int            // the cell of NULL; −1: all cells of the column are missing then
	Width      int            // its cells
}

// Labeller returns the labeller of a model; nil where only the process of a plugin
// can measure rows.
func (m *Model) Labeller() (*Labeller, error) {
	if m.algorithm.Local == nil {
		return nil, nil
	}
	c, err := m.algorithm.Local.New(m.problem)
	if err != nil {
		return nil, err
	}
	l := &Labeller{m: m, c: c, Cells: len(m.stored.Recipe.Features)}
	optional := m.optional()
	for i, f := range m.stored.Recipe.Features {
		l.location, l.scale = append(l.location, f.Location), append(l.scale, f.Scale)
		last := len(l.Columns) - 1
		if last < 0 || l.Columns[last].Name != f.Column() {
			l.Columns = append(l.Columns, LabelColumn{Name: f.Column(), Optional: optional[f.Column()], Place: i, Null: -1})
			last++
		}
		of := &l.Columns[last]
		of.Width++
		if f.IsCategory() && of.Categories == nil {
			of.Categories = map[string]int{}
		}
		switch {
		case f.Null:
			of.Null = i
		case f.IsCategory():
			of.Categories[f.Category] = i
		}
	}
	if a, b := input.SameButCase(input.NamesOf(l.Columns, func(c LabelColumn) string { return c.Name })); a != b {
		return nil, CaseDiffers(a, b)
	}
	return l, nil
}

// ErrUnusual is of rows that Label leaves to Predict, which says what is wrong.
var ErrUnusual = errors.New("a row has a number that cannot be labelled")

// mostFitted bounds fitted values, so that sums of their squares are finite.
const mostFitted = 1e150

// Label labels the rows of x, whose cells are in original units and NaN where they are
// missing. x is overwritten. A row has the label −1 if it lacks a cell that the
// algorithm needs, or all that tell clusters apart. absent says which cells are of
// columns that there are not; nil: none.
func (l *Labeller) Label(ctx context.Context, x framework.Matrix, absent []bool) (*fit.Prediction, error) {
	var lacking []int
	for i := range x.Rows {
		row := x.Row(i)
		l.m.stored.Recipe.Normalise(row)
		location, scale, usual := l.location[:len(row)], l.scale[:len(row)], true
		for j, v := range row {
			v = (v - location[j]) / scale[j]
			row[j] = v
			usual = usual && v < mostFitted && v > -mostFitted
		}
		if usual {
			continue
		}
		lacks, ok := l.settle(row, absent)
		if !ok {
			return nil, ErrUnusual
		}
		if lacks {
			lacking = append(lacking, i)
		}
	}
	model := *l.m.model
	model.Cache = nil // what is prepared is this call's: several may be made at a time
	p, err := fit.Predict(ctx, l.c, &model, fewRows(x), 1)
	if err != nil {
		return nil, err
	}
	for _, i := range lacking {
		p.Labels[i], p.Second[i], p.Distance[i], p.Margin[i] = -1, -1, math.NaN(), math.NaN()
	}
	return p, nil
}

// settle makes 0 of the missing cells of a row, where the algorithm takes none. It
// reports whether one is lacking, and whether the others are usual.
func (l *Labeller) settle(row []float64, absent []bool) (lacks, ok bool) {
	for j, v := range row {
		switch {
		case math.Abs(v) >= mostFitted:
			return lacks, false
		case v != v && !l.m.MissingOK():
			row[j] = 0
			lacks = lacks || absent == nil || !absent[j]
		}
	}
	return lacks, true
}

// fewRows is rows in one block.
type fewRows framework.Matrix

func (r fewRows) Len() int    { return r.Rows }
func (r fewRows) Blocks() int { return 1 }

func (r fewRows) Block(int) framework.Block { return framework.Block{X: framework.Matrix(r)} }

// PredictNumbered labels the n rows of a relation, in their order. Rows that lack a
// cell that the algorithm needs have the label −1. maps is the column of maps whose keys
// are features; "": columns are.
func (m *Model) PredictNumbered(
	ctx context.Context, src Source, relation, maps string, n int, unseen matrix.Unseen,
) (*fit.Prediction, error) {
	spec := input.Spec{Relation: relation, Map: maps, Storage: matrix.NoFile}
	if !m.MissingOK() {
		spec.Nulls = "drop"
	}
	done, err := m.Predict(ctx, src, spec, 1, unseen)
	if err != nil {
		return nil, err
	}
	p := Unlabelled(n)
	a := done.Assignments
	for i := range a.Keys.Len() {
		number, _ := a.Keys.Value(i).(int64)
		to := number - 1
		p.Labels[to], p.Second[to], p.Distance[to], p.Margin[to] = a.Labels[i], a.Second[i], a.Distance[i], a.Margin[i]
	}
	return p, nil
}

// Unlabelled returns the prediction of n rows without a cluster.
func Unlabelled(n int) *fit.Prediction {
	return &fit.Prediction{Labels: slices.Repeat([]int32{-1}, n), Second: slices.Repeat([]int32{-1}, n),
		Distance: slices.Repeat([]float64{math.NaN()}, n), Margin: slices.Repeat([]float64{math.NaN()}, n)}
}
