package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// storedCenters are k × p centers in the fitted space. Their text is an array of arrays;
// of many entries, most of which are what the same column has in most clusters, it is
// what columns have mostly, and the entries that differ from that.
type storedCenters [][]float64

// sparseCenters is the short form of centers.
type sparseCenters struct {
	Mostly []float64     `json:"mostly"` // p
	Rows   []sparseEntry `json:"rows"`   // k
}

// sparseEntry is what is other than mostly in a center.
type sparseEntry struct {
	Columns []int     `json:"columns"` // rising
	Values  []float64 `json:"values"`
}

const (
	manyEntries = 100_000 // above it, centers may be stored in the short form
	leastSpared = 2       // the long form has so many times as many numbers at least
	mostOfAByte = 12      // numbers that a byte of the short form may stand for, so that mostModel bounds them
)

// sparse returns the short form, or nil if the long one is as good.
func (c storedCenters) sparse() *sparseCenters {
	if len(c) == 0 || len(c)*len(c[0]) <= manyEntries {
		return nil
	}
	s := &sparseCenters{Mostly: make([]float64, len(c[0])), Rows: make([]sparseEntry, len(c))}
	for l := range s.Mostly {
		votes := 0 // of Boyer and Moore, who find what more than half of the clusters have
		for _, row := range c {
			switch {
			case votes == 0:
				s.Mostly[l], votes = row[l], 1
			case same(row[l], s.Mostly[l]):
				votes++
			default:
				votes--
			}
		}
	}
	entries := 0
	for j, row := range c {
		e := sparseEntry{Columns: []int{}, Values: []float64{}}
		for l, v := range row {
			if !same(v, s.Mostly[l]) {
				e.Columns, e.Values = append(e.Columns, l), append(e.Values, v)
			}
		}
		s.Rows[j] = e
		entries += len(e.Columns)
	}
	p := len(s.Mostly)
	if leastSpared*(entries+p) > len(c)*p || len(c)*p > mostOfAByte*(2*p+4*entries) { // bytes that it has at least
		return nil
	}
	return s
}

// same reports whether numbers have the same bits.
func same(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }

// MarshalJSON implements json.Marshaler.
func (c storedCenters) MarshalJSON() ([]byte, error) {
	if s := c.sparse(); s != nil {
		return json.Marshal(s)
	}
	return json.Marshal([][]float64(c))
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *storedCenters) UnmarshalJSON(text []byte) error {
	if !bytes.HasPrefix(text, []byte("{")) {
		return json.Unmarshal(text, (*[][]float64)(c))
	}
	var s sparseCenters
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	p := len(s.Mostly)
	if p > 0 && len(s.Rows) > mostOfAByte*len(text)/p {
		return fmt.Errorf("it has %d centers of %d features, which is more than its text can say", len(s.Rows), p)
	}
	*c = make(storedCenters, len(s.Rows))
	for j, e := range s.Rows {
		row := append(make([]float64, 0, p), s.Mostly...)
		if len(e.Columns) != len(e.Values) {
			return fmt.Errorf("center %d has %d columns and %d values", j, len(e.Columns), len(e.Values))
		}
		for i, l := range e.Columns {
			if l < 0 || l >= p {
				return errors.New("a center has a column that there is not")
			}
			row[l] = e.Values[i]
		}
		(*c)[j] = row
	}
	return nil
}
