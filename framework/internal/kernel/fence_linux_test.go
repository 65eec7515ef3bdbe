package kernel_test

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// A fence has slices that begin or end where memory does: to read a number before or behind
// them ends the process.
type fence struct {
	t      *testing.T
	begins bool
	pages  [][]byte
}

func (f *fence) open() {
	for _, m := range f.pages {
		must.Do(f.t, unix.Munmap(m))
	}
}

func fenced[T any](f *fence, n int) []T {
	page, size := os.Getpagesize(), n*int(unsafe.Sizeof(*new(T)))
	if n == 0 {
		return nil
	}
	room := (size + page - 1) / page * page
	m := must.Get(unix.Mmap(-1, 0, room+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON))(f.t)
	f.pages = append(f.pages, m)
	must.Do(f.t, unix.Mprotect(m[:page], unix.PROT_NONE))
	must.Do(f.t, unix.Mprotect(m[page+room:], unix.PROT_NONE))
	at := page
	if !f.begins {
		at += room - size
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&m[at])), n)
}

func fencedOf[T any](f *fence, all []T) []T {
	v := fenced[T](f, len(all))
	copy(v, all)
	return v
}

func TestNoKernelTouchesWhatIsBesideItsSlices(t *testing.T) {
	const seeds = 100
	sizes := []int{1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 129, 300}
	eachImplementation(t, func(t *testing.T) {
		for seed := range uint64(seeds) {
			r := rand.New(rand.NewPCG(seed, 12))
			f := &fence{t: t, begins: seed&1 != 0}
			n, s, k := sizes[r.IntN(len(sizes))], sizes[r.IntN(len(sizes))], sizes[r.IntN(len(sizes))]
			switch seed % 5 {
			case 0:
				k, s = 128+r.IntN(40), 32+r.IntN(40) // groups
			case 1:
				s, k = 100+r.IntN(600), 5+r.IntN(20) // features in the lanes
			}
			p := newProblem(seed, n, s, k, kernel.Loss(seed/5)%kernel.Losses, seed&2 != 0, seed&4 != 0, false)
			if seed%3 > 0 {
				p.m = kernel.Measure{} // a filter is for no other
				p.x = drawn(r, n*s, false, false)
			}
			p.x, p.centers.Rows = fencedOf(f, p.x), fencedOf(f, p.centers.Rows)
			if p.m.Weights != nil {
				p.m.Weights = fencedOf(f, p.m.Weights)
			}
			p.assignFenced(f, r)
			p.sumFenced(f, r)
			entriesFenced(f, r, n, s, k)
			f.open()
		}
	})
}

// assignFenced finds centers, in all ways.
func (p problem) assignFenced(f *fence, r *rand.Rand) {
	c := &p.centers
	c.Pack()
	kernel.Nearest{Label: fenced[int32](f, p.n), Best: fenced[float64](f, p.n), Second: fenced[float64](f, p.n)}.Find(p.m, p.x, c)
	kernel.Distances(fenced[float64](f, p.n*c.K), p.m, p.x, c)
	c.Filter(p.m, 0)
	for _, saves := range []bool{false, true} {
		b := kernel.Bound{Label: fenced[int32](f, p.n), Gap: fenced[float32](f, p.n)}
		drift := fenced[float64](f, c.K)
		for step := range 4 {
			if saves && step < 2 {
				b.Narrow, b.Lower = fenced[float32](f, c.Narrow(p.n)), fenced[float32](f, p.n*c.Groups())
			}
			b.Assign(p.m, p.x, c, drift, step == 0)
			for i := range b.Gap {
				if r.IntN(1+step) > 0 {
					b.Gap[i] = -1
				}
			}
		}
	}
	two := kernel.Two{
		Own: fenced[int32](f, p.n), Second: fenced[int32](f, p.n), Distance: fenced[float64](f, p.n), Other: fenced[float64](f, p.n),
	}
	for i := range two.Own {
		two.Own[i] = int32(r.IntN(c.K+1)) - 1
	}
	two.Find(p.m, p.x, c)
}

// sumFenced makes sums of rows, with labels from −1 to k−1.
func (p problem) sumFenced(f *fence, r *rand.Rand) {
	k, s := p.centers.K, p.centers.S
	from, to, weight := fenced[int32](f, p.n), fenced[int32](f, p.n), fenced[float64](f, p.n)
	kept := fenced[uint8](f, p.n)
	for i := range from {
		to[i] = int32(r.IntN(k))
		weight[i] = float64(r.IntN(3))
	}
	some := slices.Sorted(slices.Values(r.Perm(s)[:r.IntN(s+1)]))
	kernel.Pick(fenced[float64](f, p.n*len(some)), p.x[:p.n*s], s, some)
	if k <= kernel.RememberedCenters {
		kernel.Remember(kept, to)
		kernel.Recall(from, kept)
	}
	for i := range from {
		from[i], to[i] = int32(r.IntN(k+1))-1, int32(r.IntN(k+1))-1
	}
	kernel.Changed(fenced[int32](f, p.n+kernel.ChangedRoom), from, to)
	for way := range 8 {
		sums := kernel.Sums{Sum: fenced[float64](f, k*s), Mass: fenced[float64](f, k)}
		if way&1 != 0 {
			sums.Low = fenced[float64](f, k*s)
		}
		if way&2 != 0 {
			sums.Count = fenced[float64](f, k*s)
		}
		if way&4 != 0 {
			sums.Origin = fenced[float64](f, s)
		}
		sums.Move(p.x, nil, from, weight)
		sums.Move(p.x, from, to, nil)
		sums.Means(fenced[float64](f, k*s), p.centers.Rows, fenced[float64](f, s), fenced[float64](f, s), nil)
	}
	sum, add := fenced[float64](f, p.n*s), fencedOf(f, p.x)
	kernel.Add(sum, p.x)
	kernel.AddSquares(fenced[float64](f, s), p.x, weight)
	label := fenced[int32](f, p.n)
	for i := range label {
		label[i] = int32(r.IntN(k))
	}
	kernel.AddRoots(fenced[float64](f, k*s), p.x, label, weight, s)
	kernel.Drain(sum, add)
	columns := func() []float64 { return fenced[float64](f, s) }
	kernel.Totals{Pivot: columns(), High: columns(), Low: columns(), Min: columns(), Max: columns(), Missing: columns()}.Add(p.x)
	kernel.Squares{Mean: columns(), Inverse: columns(), Off: columns(), Centred: columns(), Square: columns()}.Add(p.x)
}

// entriesFenced multiplies sparse rows and centers.
func entriesFenced(f *fence, r *rand.Rand, n, s, k int) {
	x := kernel.Entries{Start: fenced[int64](f, n+1)}
	var column []int32
	for i := range n {
		for l := range s {
			if r.IntN(4) == 0 {
				column = append(column, int32(l))
			}
		}
		x.Start[i+1] = int64(len(column))
	}
	x.Column, x.Offset = fencedOf(f, column), fencedOf(f, drawn(r, len(column), false, false))
	observed := r.IntN(2) == 0
	if observed && len(column) > 0 {
		x.Offset[len(column)-1] = math.NaN()
	}
	var table kernel.Table
	table.Make(drawn(r, k*s, false, false), k, s, nil, observed)
	rows := fenced[int32](f, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	table.Products(fenced[float64](f, n*table.Wide()), fenced[float64](f, n), x, rows)
}
