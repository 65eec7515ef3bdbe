package functions

import (
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

func enforceType() string {
	return "STRUCT(assignments " + rowType(schema.Assignments, "BIGINT") + "[])"
}

// enforceScalar labels gathered rows, whose key is their number, all together: within the
// limits of clusters that a model has. A function that sees some rows at a time cannot.
func (f *Functions) enforceScalar() duck.Scalar {
	return duck.Scalar{
		Name:      f.prefix + "enforce",
		Overloads: []duck.Overload{{Parameters: []string{rowsType, "VARCHAR", "VARCHAR"}, Returns: enforceType()}},
		Call: func(args duck.Chunk, out duck.Returned) error {
			st := f.running()
			for i, number := range duck.View[int64](args.Column(0).Fields(args.Rows)[0].Vector, args.Rows) {
				labels, err := f.enforcing(args, i)(st, number)
				if err != nil {
					return st.say(err)
				}
				out.Set(i, labels)
			}
			return nil
		},
	}
}

// enforcing returns what makes the value of call i for a group of rows.
func (f *Functions) enforcing(args duck.Chunk, i int) func(st *statement, number int64) ([]duck.Field, error) {
	models, unseens := args.Column(1), args.Column(2)
	if models.Null(i) {
		return func(*statement, int64) ([]duck.Field, error) { return []duck.Field{{}}, nil }
	}
	text, unseen := slices.Clone(models.Text(i)), matrix.UnseenError
	if !unseens.Null(i) {
		unseen = matrix.Unseen(unseens.Text(i))
	}
	return func(st *statement, number int64) ([]duck.Field, error) { return f.enforce(st, number, text, unseen) }
}

// enforce labels a group of rows by a model.
func (f *Functions) enforce(st *statement, number int64, text []byte, unseen matrix.Unseen) ([]duck.Field, error) {
	if err := input.OneOf("unseen", string(unseen), model.Unseen); err != nil {
		return nil, err
	}
	parsed, err := f.models.of(text)
	if err != nil {
		return nil, err
	}
	m, err := parsed.With(model.Extras{Enforce: true})
	if err != nil {
		return nil, err
	}
	of := st.gatherer.group(number).of
	relation := st.gatherer.relation(number, true)
	at := strings.LastIndex(relation, " FROM ") // hints do not repeat a query of two lines
	spec := input.Spec{Relation: relation[:at] + "\n" + relation[at+1:], ID: of.keyName()}
	st.gatherer.host.place(&spec.Storage, &spec.Most)
	p, err := m.Predict(st.ctx, f.reading, spec, st.threads, unseen)
	if err != nil {
		return nil, err
	}
	return []duck.Field{rows(&result.Tables{Assignments: p.Assignments}, schema.Assignments)}, nil
}
