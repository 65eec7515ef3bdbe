package functions

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/export"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// mostModels is how many parsed models are kept.
const mostModels = 256

// models are the models that statements predict with, by their text.
type models struct {
	library job.Library

	mu    sync.Mutex
	known map[string]*model
}

// A model labels rows by themselves, if it can, or else as a relation.
type model struct {
	*job.Model
	labeller *job.Labeller // nil: it cannot
}

func (m *models) of(text []byte) (*model, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.known[string(text)]; known != nil {
		return known, nil
	}
	decoded, err := m.library.Decode(string(text))
	if err != nil {
		return nil, err
	}
	one := &model{Model: decoded}
	if one.labeller, err = decoded.Labeller(); err != nil {
		return nil, err
	}
	if m.known == nil || len(m.known) == mostModels {
		m.known = map[string]*model{}
	}
	m.known[string(text)] = one
	return one, nil
}

// scalars are those that label rows, whose arguments are a model, a row and what
// becomes of unseen categories, and the one that writes how.
func (f *Functions) scalars() []duck.Scalar {
	parameters := []string{"VARCHAR", "ANY", "VARCHAR"}
	return []duck.Scalar{
		{
			Name: f.prefix + "predict", Overload: duck.Overload{Parameters: parameters, Returns: "INTEGER"},
			Call: func(args duck.Chunk, out duck.Returned) error {
				p, err := f.predict(args)
				if err == nil {
					out.Fill(args.Rows, labels(p.Labels))
				}
				return f.running().say(err)
			},
		},
		{
			Name: f.prefix + "measure", Overload: duck.Overload{Parameters: parameters,
				Returns: `STRUCT("cluster" INTEGER, distance DOUBLE, second_cluster INTEGER, margin DOUBLE)`},
			Call: func(args duck.Chunk, out duck.Returned) error {
				p, err := f.predict(args)
				if err == nil {
					out.FillFields(args.Rows, []duck.Cells{labels(p.Labels), duck.Doubles(func(i int) float64 { return p.Distance[i] }),
						labels(p.Second), duck.Doubles(func(i int) float64 { return p.Margin[i] })})
				}
				return f.running().say(err)
			},
		},
		{
			Name: f.prefix + "export", Overload: duck.Overload{Returns: "VARCHAR",
				Parameters: []string{"VARCHAR", "VARCHAR", "VARCHAR", "VARCHAR", "VARCHAR", "BOOLEAN", "VARCHAR"}},
			Call: func(args duck.Chunk, out duck.Returned) error { return f.running().say(f.export(args, out)) },
		},
	}
}

// export writes the prediction of each model as SQL.
func (f *Functions) export(args duck.Chunk, out duck.Returned) error {
	all := make([]string, args.Rows)
	for i := range all {
		var o export.Options
		var unseen, text string
		for c, to := range []*string{&text, &o.Dialect, &o.As, &o.From, &o.Name, nil, &unseen} {
			v, err := args.Column(c).Any(i)
			if err != nil {
				return err
			}
			if to == nil {
				o.Distance, _ = v.(bool)
			} else {
				*to, _ = v.(string)
			}
		}
		if text == "" {
			continue // no model, no SQL
		}
		o.Unseen = matrix.Unseen(unseen)
		m, err := f.models.of([]byte(text))
		if err != nil {
			return err
		}
		if all[i], err = export.Text(m.Model, o); err != nil {
			return err
		}
	}
	out.Fill(args.Rows, duck.Texts(func(i int) string { return all[i] }))
	return nil
}

func labels(all []int32) duck.Cells {
	return duck.Fixed(func(i int) (int32, bool) { return all[i], all[i] >= 0 })
}

// predict labels the rows of a chunk, each by its model.
func (f *Functions) predict(args duck.Chunk) (*fit.Prediction, error) {
	texts, row, unseen := args.Column(0), args.Column(1), args.Column(2)
	fields := row.Fields(args.Rows)
	if fields == nil {
		return nil, framework.Faultf(framework.Usage, "not-a-row", "the rows of cluster_predict are of type %s, and must be rows of a relation",
			row.Type()).WithHint("give the name of the relation: cluster_predict(m.model, c) FROM customers c, m")
	}
	rows := map[*model][]int{}
	var order []*model
	var last *model
	var lastText []byte
	for i := range args.Rows {
		if texts.Null(i) || row.Null(i) {
			continue
		}
		if text := texts.Text(i); last == nil || len(text) != len(lastText) || &text[0] != &lastText[0] && string(text) != string(lastText) {
			m, err := f.models.of(text)
			if err != nil {
				return nil, err
			}
			if last, lastText = m, text; rows[m] == nil {
				order = append(order, m)
			}
		}
		rows[last] = append(rows[last], i)
	}
	all := &fit.Prediction{Labels: make([]int32, args.Rows), Second: make([]int32, args.Rows), Distance: make([]float64, args.Rows),
		Margin: make([]float64, args.Rows)}
	for i := range all.Labels {
		all.Labels[i], all.Second[i], all.Distance[i], all.Margin[i] = -1, -1, math.NaN(), math.NaN()
	}
	for _, m := range order {
		u := matrix.UnseenError
		if i := rows[m][0]; !unseen.Null(i) {
			u = matrix.Unseen(unseen.Text(i))
			if err := job.OneOf("unseen", string(u), job.Choices["unseen"]); err != nil {
				return nil, err
			}
		}
		p, err := f.labelled(m, fields, args.Rows, rows[m], u)
		if err != nil {
			return nil, err
		}
		if len(rows[m]) == args.Rows {
			return p, nil
		}
		for at, i := range rows[m] {
			all.Labels[i], all.Second[i], all.Distance[i], all.Margin[i] = p.Labels[at], p.Second[at], p.Distance[at], p.Margin[at]
		}
	}
	return all, nil
}

// labelled labels some rows of a chunk of n.
func (f *Functions) labelled(m *model, fields []duck.Named, n int, rows []int, unseen matrix.Unseen) (*fit.Prediction, error) {
	if m.labeller != nil {
		if x, absent, ok := m.cells(fields, n); ok {
			if len(rows) < n {
				for to, from := range rows {
					copy(x.Row(to), x.Row(from))
				}
				x = x.Slice(0, len(rows))
			}
			p, err := m.labeller.Label(f.running().ctx, x, absent)
			rooms.Put(&x.Data)
			if !errors.Is(err, job.ErrUnusual) {
				return p, err
			}
		}
	}
	var columns []duck.Vector
	list := []string{"g AS __row"}
	for i, field := range fields {
		columns = append(columns, field.Vector)
		list = append(list, fmt.Sprintf("c%d AS %s", i, schema.Quote(field.Name)))
	}
	h := duck.NewHeap(columns)
	defer h.Drop()
	numbers := make([]int64, n)
	for i := range numbers {
		numbers[i] = -1
	}
	for to, from := range rows {
		numbers[from] = int64(to)
	}
	h.Add(numbers, columns)
	relation := "SELECT " + strings.Join(list, ", ") + " FROM " + h.Relation() + " WHERE g >= 0"
	return m.PredictNumbered(f.running().ctx, f.reading, relation, "__row", len(rows), unseen)
}

// rooms are for the cells of a chunk.
var rooms sync.Pool

// matrixOf returns a matrix with anything in it; it goes back to the rooms.
func matrixOf(rows, cols int) framework.Matrix {
	room, _ := rooms.Get().(*[]float64)
	if room == nil || cap(*room) < rows*cols {
		room = new(make([]float64, rows*cols))
	}
	return framework.Matrix{Rows: rows, Cols: cols, Data: (*room)[:rows*cols]}
}

// cells are the rows of a chunk as numbers; ok is false where they are not plainly
// that, or where a column is missing that the model needs.
func (m *model) cells(fields []duck.Named, n int) (x framework.Matrix, absent []bool, ok bool) {
	places := make(map[string]int, len(fields))
	for i, field := range fields {
		places[strings.ToLower(field.Name)] = i
	}
	l := m.labeller
	x = matrixOf(n, len(l.Columns))
	for j, name := range l.Columns {
		at, there := places[strings.ToLower(name)]
		switch {
		case there:
			if !fields[at].Numbers(x.Data[j:], x.Cols, n) {
				return x, nil, false
			}
		case !l.Optional[j]:
			return x, nil, false
		default:
			if absent == nil {
				absent = make([]bool, len(l.Columns))
			}
			absent[j] = true
			for i := range n {
				x.Data[i*x.Cols+j] = math.NaN()
			}
		}
	}
	return x, absent, true
}
