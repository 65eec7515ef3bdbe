package store

import (
	"math"
	"slices"
)

// A record is a row, whose values are as Keys.Value gives them, by the names of
// its columns. Its methods return the zero value, or NaN, for NULL and for a
// column that there is not.
type record struct {
	columns []string
	values  []any
}

func (r record) value(column string) any {
	if i := slices.Index(r.columns, column); i >= 0 {
		return r.values[i]
	}
	return nil
}

func (r record) text(column string) string {
	s, _ := r.value(column).(string)
	return s
}

func (r record) int(column string) int {
	n, _ := r.value(column).(int64)
	return int(n)
}

func (r record) seed(column string) uint64 {
	n, _ := r.value(column).(uint64)
	return n
}

func (r record) yes(column string) bool {
	b, _ := r.value(column).(bool)
	return b
}

func (r record) number(column string) float64 {
	if x, ok := r.value(column).(float64); ok {
		return x
	}
	return math.NaN()
}
