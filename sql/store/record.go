package store

import "math"

// A record is a row of values as Keys.Value gives them. Its methods return the
// zero value, or NaN, for NULL.
type record []any

func (r record) text(i int) string {
	s, _ := r[i].(string)
	return s
}

func (r record) int(i int) int {
	n, _ := r[i].(int64)
	return int(n)
}

func (r record) seed(i int) uint64 {
	n, _ := r[i].(uint64)
	return n
}

func (r record) yes(i int) bool {
	b, _ := r[i].(bool)
	return b
}

func (r record) number(i int) float64 {
	if x, ok := r[i].(float64); ok {
		return x
	}
	return math.NaN()
}
