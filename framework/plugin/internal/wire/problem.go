package wire

import (
	"maps"
	"math"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

func Problem(p framework.Problem) (*pb.Problem, error) {
	w := &pb.Problem{
		N: int64(p.N), P: int64(p.P), K: int64(p.K), Mass: p.Mass, Weighted: p.Weighted, Seed: p.Seed, Sparse: p.Sparse,
	}
	w.Columns = Columns(p.Columns)
	for _, g := range p.Groups {
		w.Groups = append(w.Groups, &pb.Group{Name: Text(g.Name), Weight: g.Weight})
	}
	var err error
	if w.Links, err = Links(p.Links); err != nil {
		return nil, err
	}
	if w.Params, err = Params(p.Params); err != nil {
		return nil, err
	}
	w.Constraints, err = constraints(p.Centers)
	return w, err
}

// ReadProblem refuses sizes that cannot be, of which lists would be made.
func ReadProblem(w *pb.Problem) (framework.Problem, error) {
	if w.GetN() < 0 || w.GetN() > math.MaxInt32 || !CentersFit(w.GetK(), w.GetP()) || int64(len(w.GetColumns())) != w.GetP() {
		return framework.Problem{}, status.Errorf(codes.InvalidArgument, "%d rows, %d clusters and %d features, with %d columns",
			w.GetN(), w.GetK(), w.GetP(), len(w.GetColumns()))
	}
	p := framework.Problem{
		N: int(w.GetN()), P: int(w.GetP()), K: int(w.GetK()), Mass: w.GetMass(), Weighted: w.GetWeighted(), Seed: w.GetSeed(),
		Params: ReadParams(w.GetParams()), Sparse: w.GetSparse(),
	}
	p.Columns = ReadColumns(w.GetColumns())
	for _, g := range w.GetGroups() {
		p.Groups = append(p.Groups, framework.Group{Name: g.GetName(), Weight: g.GetWeight()})
	}
	if err := p.CheckGroups(); err != nil {
		return p, status.Errorf(codes.InvalidArgument, "%v", err)
	}
	centers, err := declare.Rows(ReadConstraintRows(w.GetConstraints()), p)
	if centers != nil {
		p.Centers = centers
	}
	return p, err
}

// Params returns the values of parameters.
func Params(params framework.Params) (map[string]*pb.Value, error) {
	all := make(map[string]*pb.Value, len(params))
	for _, name := range slices.Sorted(maps.Keys(params)) {
		v := new(pb.Value)
		switch x := params[name].(type) {
		case int:
			v.Kind = &pb.Value_Integer{Integer: int64(x)}
		case float64:
			v.Kind = &pb.Value_Real{Real: x}
		case string:
			v.Kind = &pb.Value_Text{Text: Text(x)}
		case bool:
			v.Kind = &pb.Value_Boolean{Boolean: x}
		default:
			return nil, framework.Faultf(framework.Internal, "bad-parameter", "parameter %s has a value of type %T", name, x)
		}
		all[Text(name)] = v
	}
	return all, nil
}

// ReadParams returns what Params has sent.
func ReadParams(w map[string]*pb.Value) framework.Params {
	params := make(framework.Params, len(w))
	for name, v := range w {
		switch x := v.GetKind().(type) {
		case *pb.Value_Integer:
			params[name] = int(x.Integer)
		case *pb.Value_Real:
			params[name] = x.Real
		case *pb.Value_Text:
			params[name] = x.Text
		case *pb.Value_Boolean:
			params[name] = x.Boolean
		}
	}
	return params
}

func Columns(columns []framework.Column) []*pb.Column {
	w := make([]*pb.Column, len(columns))
	for l, c := range columns {
		w[l] = &pb.Column{
			Name: Text(c.Name), Group: int64(c.Group), Location: c.Location, Scale: c.Scale, Missing: int64(c.Missing),
			Mass: c.Mass, Mean: c.Mean, SumSq: c.SumSq, Min: c.Min, Max: c.Max, Base: c.Base,
		}
	}
	return w
}

func ReadColumns(w []*pb.Column) []framework.Column {
	columns := make([]framework.Column, len(w))
	for l, c := range w {
		columns[l] = framework.Column{
			Name: c.GetName(), Group: int(c.GetGroup()), Location: c.GetLocation(), Scale: c.GetScale(), Missing: int(c.GetMissing()),
			Mass: c.GetMass(), Mean: c.GetMean(), SumSq: c.GetSumSq(), Min: c.GetMin(), Max: c.GetMax(), Base: c.GetBase(),
		}
	}
	return columns
}

// constraints sends a set of centers as the rows that declared it, from
// which the other side makes the same set.
func constraints(set framework.Set) ([]*pb.Constraint, error) {
	if set == nil {
		return nil, nil
	}
	d, ok := set.(*declare.Set)
	if !ok {
		return nil, framework.Faultf(framework.Internal, "bad-set",
			"a set of type %T was not declared by rows, and cannot be sent to a plugin", set)
	}
	if len(d.Foreign) > 0 {
		return nil, framework.Faultf(framework.Internal, "bad-set",
			"rows of kind %s mean nothing to another plugin, and cannot be sent to it", strings.Join(d.Foreign, ", "))
	}
	return ConstraintRows(d.Rows), nil
}

func ConstraintRows(rows []framework.ConstraintRow) []*pb.Constraint {
	w := make([]*pb.Constraint, len(rows))
	for i, r := range rows {
		w[i] = &pb.Constraint{Kind: Text(r.Kind), Name: Text(r.Name), Coef: r.Coef, Lo: r.Lo, Hi: r.Hi, Value: r.Value}
		if r.Cluster != nil {
			w[i].Cluster = new(int64(*r.Cluster))
		}
		if r.Feature != nil {
			w[i].Feature = new(Text(*r.Feature))
		}
	}
	return w
}

func ReadConstraintRows(w []*pb.Constraint) []framework.ConstraintRow {
	rows := make([]framework.ConstraintRow, len(w))
	for i, c := range w {
		rows[i] = framework.ConstraintRow{
			Kind: c.GetKind(), Name: c.GetName(), Feature: c.Feature, Coef: c.Coef, Lo: c.Lo, Hi: c.Hi, Value: c.Value,
		}
		if c.Cluster != nil {
			rows[i].Cluster = new(int(*c.Cluster))
		}
	}
	return rows
}

// mostLinks is how many links fit a message.
const mostLinks = MaxMessage / 20

func Links(links []framework.Link) (*pb.Links, error) {
	if len(links) == 0 {
		return nil, nil
	}
	if len(links) > mostLinks {
		return nil, framework.Faultf(framework.Data, "too-many-pairs",
			"there are %d pairs; at most %d can be given to a plugin", len(links), mostLinks).At("pairs")
	}
	w := new(pb.Links)
	for _, l := range links {
		w.A, w.B, w.Cannot, w.Weight = append(w.A, l.A), append(w.B, l.B), append(w.Cannot, l.Cannot), append(w.Weight, l.Weight)
	}
	return w, nil
}

// ReadLinks refuses links that are not of n rows.
func ReadLinks(w *pb.Links, n int) ([]framework.Link, error) {
	a, b, cannot, weight := w.GetA(), w.GetB(), w.GetCannot(), w.GetWeight()
	if len(a) == 0 {
		return nil, nil
	}
	if len(b) != len(a) || len(cannot) != len(a) || len(weight) != len(a) {
		return nil, status.Errorf(codes.InvalidArgument, "links with %d, %d rows, %d kinds and %d weights",
			len(a), len(b), len(cannot), len(weight))
	}
	links := make([]framework.Link, len(a))
	for i := range links {
		links[i] = framework.Link{A: a[i], B: b[i], Cannot: cannot[i], Weight: weight[i]}
	}
	return links, framework.CheckLinks(links, n)
}
