package functions

import (
	"bytes"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/export"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/model"
)

// mostModels is how many parsed models are kept.
const mostModels = 256

// models are the models that statements predict with, by their text.
type models struct {
	library library.Library

	mu    sync.Mutex
	known map[string]*parsed
}

// A parsed model labels rows by themselves, if it can, or else as a relation.
type parsed struct {
	*model.Model
	labeller *model.Labeller // nil: it cannot
	cannot   error           // why; nil: only the process of a plugin can
}

func (m *models) of(text []byte) (*parsed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.known[string(text)]; known != nil {
		return known, nil
	}
	decoded, err := model.Decode(m.library, string(text))
	if err != nil {
		return nil, err
	}
	one := &parsed{Model: decoded}
	one.labeller, one.cannot = decoded.Labeller()
	if m.known == nil || len(m.known) == mostModels {
		m.known = map[string]*parsed{}
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
			Name: f.prefix + "predict", Overloads: []duck.Overload{{Parameters: parameters, Returns: "INTEGER"}},
			Call: func(args duck.Chunk, out duck.Returned) error {
				p, err := f.predict(args)
				if err == nil {
					out.Fill(args.Rows, labels(p.Labels))
				}
				return f.running().say(err)
			},
		},
		{
			Name: f.prefix + "measure", Overloads: []duck.Overload{{Parameters: parameters,
				Returns: `STRUCT("cluster" INTEGER, distance DOUBLE, second_cluster INTEGER, margin DOUBLE)`}},
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
			Name: f.prefix + "export", Overloads: []duck.Overload{{Returns: "VARCHAR",
				Parameters: []string{"VARCHAR", "VARCHAR", "VARCHAR", "VARCHAR", "VARCHAR", "BOOLEAN", "VARCHAR"}}},
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

// A batch is rows of a chunk that are labelled together.
type batch struct {
	model  *parsed
	unseen matrix.Unseen
	rows   []int
}

// predict labels the rows of a chunk, each by its model.
func (f *Functions) predict(args duck.Chunk) (*fit.Prediction, error) {
	row := args.Column(1)
	fields := row.Fields(args.Rows)
	switch {
	case len(fields) > 0 && fields[0].Name != "":
	case row.Type() == `"NULL"`:
		return model.Unlabelled(args.Rows), nil
	default:
		return nil, framework.Faultf(framework.Usage, "not-a-row", "the rows of cluster_predict are of type %s, and must be rows of a relation",
			row.Type()).
			WithHint("give the name of the relation, which must not be that of a column: cluster_predict(m.model, c) FROM customers c, m")
	}
	batches, err := f.batches(args)
	if err != nil {
		return nil, err
	}
	if len(batches) == 1 && len(batches[0].rows) == args.Rows {
		return f.labelled(batches[0], fields, args.Rows)
	}
	all := model.Unlabelled(args.Rows)
	for _, b := range batches {
		p, err := f.labelled(b, fields, args.Rows)
		if err != nil {
			return nil, err
		}
		for at, i := range b.rows {
			all.Labels[i], all.Second[i], all.Distance[i], all.Margin[i] = p.Labels[at], p.Second[at], p.Distance[at], p.Margin[at]
		}
	}
	return all, nil
}

// batches divides the rows of a chunk by what labels them. Those without a model, and
// those that are NULL, are in none.
func (f *Functions) batches(args duck.Chunk) ([]*batch, error) {
	texts, row, unseens := args.Column(0), args.Column(1), args.Column(2)
	type way struct {
		model  *parsed
		unseen matrix.Unseen
	}
	known := map[way]*batch{}
	var all []*batch
	var last *batch
	var lastText, lastUnseen []byte
	byDefault := []byte(matrix.UnseenError)
	for i := range args.Rows {
		if texts.Null(i) || row.Null(i) {
			continue
		}
		text, unseen := texts.Text(i), byDefault
		if !unseens.Null(i) {
			unseen = unseens.Text(i)
		}
		if last == nil || !bytes.Equal(unseen, lastUnseen) || !bytes.Equal(text, lastText) {
			lastText, lastUnseen = text, unseen
			m, err := f.models.of(text)
			if err != nil {
				return nil, err
			}
			w := way{m, matrix.Unseen(unseen)}
			if last = known[w]; last == nil {
				if err := input.OneOf("unseen", string(unseen), model.Unseen); err != nil {
					return nil, err
				}
				if err := m.CheckUnseen(w.unseen); err != nil {
					return nil, err
				}
				last = &batch{model: m, unseen: w.unseen, rows: make([]int, 0, args.Rows-i)}
				known[w], all = last, append(all, last)
			}
		}
		last.rows = append(last.rows, i)
	}
	return all, nil
}
