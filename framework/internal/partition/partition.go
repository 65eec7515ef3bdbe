// Package partition holds partitions of 0..n−1 whose parts are joined one by one
// (union–find).
package partition

// Of is a partition: each number leads to a lower one of its part, and the lowest
// to itself.
type Of[T int | int32] []T

// New returns the partition into n parts of one number each.
func New[T int | int32](n int) Of[T] {
	p := make(Of[T], n)
	for i := range p {
		p[i] = T(i)
	}
	return p
}

// Root returns the lowest number of the part of i.
func (p Of[T]) Root(i T) T {
	for p[i] != i {
		p[i] = p[p[i]]
		i = p[i]
	}
	return i
}

// Join makes the parts of i and j one.
func (p Of[T]) Join(i, j T) {
	a, b := p.Root(i), p.Root(j)
	p[max(a, b)] = min(a, b)
}
