package wire

import (
	"math"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// Table puts the columns of a table where another process sees them, until done is called.
// The texts of values are sent if the other side has a use for them.
func Table(t framework.LabelTable, texts bool) (w *pb.LabelTable, done func(), err error) {
	w = &pb.LabelTable{}
	width := 0
	for _, c := range t.Columns {
		column := &pb.LabelColumn{Name: Text(c.Name), Numbers: c.Numbers != nil, Codes: c.Codes != nil, Count: int64(len(c.Values))}
		for _, there := range []bool{column.Numbers, column.Codes} {
			if there {
				width++
			}
		}
		if texts {
			for _, v := range c.Values {
				column.Values = append(column.Values, Text(v))
			}
		}
		w.Columns = append(w.Columns, column)
	}
	b, err := matrix.NewBuilder(width, matrix.Options{RowsHint: t.N, Storage: matrix.Memory})
	if err != nil {
		return nil, nil, err
	}
	cells, err := b.Extend(t.N)
	if err != nil {
		_ = b.Discard()
		return nil, nil, err
	}
	place := 0
	each := func(value func(i int) float64) {
		for i := range t.N {
			cells[i*width+place] = value(i)
		}
		place++
	}
	for _, c := range t.Columns {
		if c.Numbers != nil {
			each(func(i int) float64 { return c.Numbers[i] })
		}
		if c.Codes != nil {
			each(func(i int) float64 { return float64(c.Codes[i]) })
		}
	}
	data, err := b.Seal() // ends the builder if it fails, too
	if err != nil {
		return nil, nil, err
	}
	w.Data = Handle(data.Handle())
	return w, func() { _ = data.Close() }, nil
}

// ReadTable copies the table of another process, for k clusters. Values that were not
// sent are empty texts.
func ReadTable(w *pb.LabelTable, k int64) (t framework.LabelTable, err error) {
	if k < 1 || k > math.MaxInt32 || w.GetData().GetRows() < 0 || w.GetData().GetRows() > math.MaxInt32 {
		return t, status.Errorf(codes.InvalidArgument, "labels of %d rows for %d clusters", w.GetData().GetRows(), k)
	}
	data, err := matrix.Open(ReadHandle(w.GetData()))
	if err != nil {
		return t, err
	}
	defer func() { _ = data.Close() }()
	x := data.Matrix()
	t.N, t.K = x.Rows, int(k)
	place := 0
	for _, c := range w.GetColumns() {
		column := framework.LabelColumn{Name: c.GetName(), Values: c.GetValues()}
		if c.GetCount() < 0 || c.GetCount() > int64(t.N) || len(column.Values) > 0 && int64(len(column.Values)) != c.GetCount() {
			return t, status.Errorf(codes.InvalidArgument, "column %s has %d values in %d rows", c.GetName(), c.GetCount(), t.N)
		}
		if len(column.Values) == 0 {
			column.Values = make([]string, c.GetCount())
		}
		for _, there := range []bool{c.GetNumbers(), c.GetCodes()} {
			if there {
				place++
			}
			if place > x.Cols {
				return t, status.Errorf(codes.InvalidArgument, "a table of %d columns has more", x.Cols)
			}
		}
		from := place
		if c.GetCodes() {
			from--
			if column.Codes, err = readCodes(x, from, int(c.GetCount())); err != nil {
				return t, err
			}
		}
		if c.GetNumbers() {
			from--
			column.Numbers = make([]float64, t.N)
			for i := range column.Numbers {
				column.Numbers[i] = x.Row(i)[from]
			}
		}
		t.Columns = append(t.Columns, column)
	}
	return t, t.Check()
}

// readCodes reads a column of whole numbers from −1 to count − 1.
func readCodes(x framework.Matrix, from, count int) ([]int32, error) {
	all := make([]int32, x.Rows)
	for i := range all {
		v := x.Row(i)[from]
		if !(v >= -1 && v < float64(count) && v == math.Trunc(v)) {
			return nil, status.Errorf(codes.InvalidArgument, "row %d has the code %g of %d", i, v, count)
		}
		all[i] = int32(v)
	}
	return all, nil
}

// Limits writes limits and how labels obey them to messages, in their order.
func Limits(all []framework.Limit) []*pb.Limit {
	w := make([]*pb.Limit, len(all))
	for i, l := range all {
		w[i] = &pb.Limit{Row: int64(l.Row), Cluster: int64(l.Cluster), Value: Text(l.Value), Amount: l.Amount, Lo: l.Lo, Hi: l.Hi, Price: l.Price}
	}
	return w
}

// ReadLimits refuses limits of other rows and clusters than there are.
func ReadLimits(w []*pb.Limit, rows, k int) ([]framework.Limit, error) {
	all := make([]framework.Limit, len(w))
	for i, l := range w {
		if l.GetRow() < 0 || l.GetRow() >= int64(rows) || l.GetCluster() < -1 || l.GetCluster() >= int64(k) {
			return nil, Nonsense("a limit of row %d and cluster %d", l.GetRow(), l.GetCluster())
		}
		all[i] = framework.Limit{Row: int(l.GetRow()), Cluster: int(l.GetCluster()), Value: l.GetValue(), Amount: l.GetAmount(),
			Lo: l.GetLo(), Hi: l.GetHi(), Price: l.GetPrice()}
	}
	return all, nil
}

// Labels writes a problem's set of labels to a message, as the rows that declared it,
// from which the other side makes the same set. done frees what is shared, once it has.
func Labels(set framework.LabelSet, w *pb.Problem) (done func(), err error) {
	if set == nil {
		return func() {}, nil
	}
	d, ok := set.(*declare.LabelSet)
	if !ok || d.Foreign != "" {
		return nil, framework.Faultf(framework.Internal, "bad-set", "a set of labels of type %T cannot be sent to another plugin", set)
	}
	w.LabelConstraints = ConstraintRows(d.Rows)
	w.LabelTable, done, err = Table(d.Table, false)
	return done, err
}
