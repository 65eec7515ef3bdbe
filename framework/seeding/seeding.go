package seeding

import (
	"context"
	"fmt"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/words"
)

// Options say how to seed.
type Options struct {
	K        int
	Seed     uint64
	Restarts int       // how many a Seeder has to expect; changes no result
	Space    []float64 // weight ≥ 0 of each feature in squared distances, length p; nil: all 1
	Threads  int       // workers for what restarts share, ≤ 0: 1; changes no result

	Links []framework.Link // of rows; the method seeding starts from the must-links
}

// A method makes start labels, in one of three ways: it chooses rows one by one or
// all at once, and labels are those of the nearest; or it makes labels. k is at
// least 1, and at least k rows have a positive weight.
type method struct {
	name          string
	deterministic bool
	each          func(f *field, o Options, restart int) error
	rows          func(ctx context.Context, rows framework.Rows, o Options) ([]int, error)
	labels        func(ctx context.Context, s *Seeder, restart, threads int) ([]int32, error)
}

// Names of methods that callers tell apart.
const (
	randomName  = "random"
	seedingName = "seeding"
)

var methods = []method{
	{name: "kmeans++", each: func(f *field, o Options, restart int) error {
		return f.plusPlus(o.K, streams(o.Seed, "kmeans++", restart))
	}},
	{name: "kmeans||", each: func(f *field, o Options, restart int) error { return f.parallel(o.K, o.Seed, restart) }},
	{name: randomName, labels: randomLabels},
	{name: "maximin", deterministic: true, each: func(f *field, o Options, _ int) error { return f.maximin(o.K) }},
	{name: "dkm++", deterministic: true, rows: dkmRows},
	{name: "robin", deterministic: true, rows: robinRows},
	{name: seedingName, deterministic: true, labels: neighbourhoodLabels},
}

// Names returns the names of the methods, the default first.
func Names() []string {
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = m.name
	}
	return names
}

// Deterministic reports whether the named method ignores the seed and the
// restart, so that further restarts would only repeat the first.
func Deterministic(name string) bool {
	m, ok := lookup(name)
	return ok && m.deterministic
}

// Check returns a Fault if there is no method of that name.
func Check(name string) error {
	if _, ok := lookup(name); ok {
		return nil
	}
	f := framework.Faultf(framework.Usage, "unknown-init", "there is no start method %q", name).
		At("init").WithHint("the methods are %s", strings.Join(Names(), ", "))
	f.Similar = framework.Closest(name, Names())
	return f
}

// A Seeder makes the start labels of the restarts of one fit, and keeps what
// they share. It is safe for concurrent use.
type Seeder struct {
	method  method
	rows    framework.Rows
	options Options
	pairs   *pairs // of kmeans++; nil: not worth while
}

// New returns a Seeder of the named method.
//
// When all Restarts of kmeans++ together choose many of few rows, the Seeder
// keeps the distances of all rows to all rows, in 64 MiB at most.
//
// New returns a Fault for an unknown name (unknown-init), for a K below 1
// (bad-k) and when fewer than K rows have a positive weight (too-few-rows). It
// panics if the length of Space is not that of a row.
func New(name string, rows framework.Rows, o Options) (*Seeder, error) {
	if err := Check(name); err != nil {
		return nil, err
	}
	m, _ := lookup(name)
	if err := checkRows(rows, o.K); err != nil {
		return nil, err
	}
	checkSpace(rows, o.Space)
	s := &Seeder{method: m, rows: rows, options: o}
	if name == "kmeans++" && arePairsWorthwhile(rows.Len(), rows.Block(0).X.Cols, isSparse(rows), o) {
		s.pairs = &pairs{rows: rows, space: o.Space, threads: o.Threads}
	}
	return s, nil
}

// checkRows returns a Fault if there is no start of k clusters.
func checkRows(rows framework.Rows, k int) error {
	if k < 1 {
		return framework.Faultf(framework.Usage, "bad-k", "k is %d; it must be at least 1", k).At("k")
	}
	if got := choosable(rows, k); got < k {
		return framework.Faultf(framework.Data, "too-few-rows",
			"%s at least as many rows; there are %d with a positive weight", words.Counted(k, "cluster needs", "clusters need"), got).
			At("k").WithHint("give a k of at most %d", got)
	}
	return nil
}

// For returns the Seeder of another number of clusters, with what can be shared of
// this one: the distances of rows. Its starts are those of a New with that K.
func (s *Seeder) For(k int) (*Seeder, error) {
	other := *s
	other.options.K = k
	return &other, checkRows(s.rows, k)
}

// Labels returns the start labels 0..K−1 of a restart, one a row, made on up to
// the given number of threads (≤ 0: 1), which changes no result. Other restarts
// draw other rows or labels, and the same restart always the same.
//
// It returns a Fault when distances exceed the range of a float64
// (values-too-large), and ctx's error when that is done, which is checked before
// every block.
func (s *Seeder) Labels(ctx context.Context, restart, threads int) ([]int32, error) {
	if s.method.labels != nil {
		return s.method.labels(ctx, s, restart, threads)
	}
	chosen, labels, err := s.chosenRows(ctx, restart, threads)
	if err != nil || labels != nil {
		return labels, err
	}
	return Nearest(ctx, s.rows, chosen, s.options.Space)
}

// Centers returns K centers (K × p) of a restart: the cells of the rows that the
// method chooses, in their order, or means of several rows. Labels gives every
// row the number of the nearest of them. A missing cell stays missing. Of a
// method without centers (random) it returns false. Errors are those of Labels.
func (s *Seeder) Centers(ctx context.Context, restart, threads int) (framework.Matrix, bool, error) {
	var none framework.Matrix
	switch s.method.name {
	case randomName:
		return none, false, nil
	case seedingName:
		c, err := neighbourhoodCenters(ctx, s.rows, s.options)
		return c, err == nil, err
	}
	chosen, _, err := s.chosenRows(ctx, restart, threads)
	if err != nil {
		return none, false, err
	}
	centers := framework.NewMatrix(s.options.K, s.rows.Block(0).X.Cols)
	for j, i := range chosen {
		copy(centers.Row(j), framework.Cells(s.rows, i))
	}
	return centers, true, nil
}

// chosenRows returns the rows that the method chooses, and the labels of the nearest
// of them where these are known by then.
func (s *Seeder) chosenRows(ctx context.Context, restart, threads int) ([]int, []int32, error) {
	o := s.options
	o.Threads = threads
	if s.method.rows != nil {
		chosen, err := s.method.rows(ctx, s.rows, o)
		return chosen, nil, err
	}
	f := s.field(ctx, threads)
	if err := s.method.each(f, o, restart); err != nil {
		return nil, nil, err
	}
	return f.chosen, f.label, nil
}

// field returns a field of the rows, none of them chosen.
func (s *Seeder) field(ctx context.Context, threads int) *field {
	f := newField(ctx, s.rows, s.options.Space, threads)
	f.pairs = s.pairs
	return f
}

func lookup(name string) (method, bool) {
	for _, m := range methods {
		if m.name == name {
			return m, true
		}
	}
	return method{}, false
}

// choosable counts the rows of positive weight, and stops at atLeast.
func choosable(rows framework.Rows, atLeast int) int {
	count := 0
	for i := 0; i < rows.Blocks() && count < atLeast; i++ {
		b := rows.Block(i)
		if b.RowWeight == nil {
			count += b.X.Rows
			continue
		}
		for _, w := range b.RowWeight {
			if w > 0 {
				count++
			}
		}
	}
	return min(count, atLeast)
}

// checkSpace panics if space has a wrong length.
func checkSpace(rows framework.Rows, space []float64) {
	if space == nil || rows.Blocks() == 0 {
		return
	}
	if p := rows.Block(0).X.Cols; len(space) != p {
		panic(fmt.Sprintf("seeding: space of length %d for %d features", len(space), p))
	}
}
