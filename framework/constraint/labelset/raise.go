package labelset

import "math"

// A raise is what prices add to the costs of a row.
type raise struct {
	flat    []float64   // of each cluster
	rates   [][]float64 // of each column of amounts: of each cluster, for a unit
	amounts [][]int64
	values  [][]float64 // of each column of codes: values × clusters
	codes   [][]int32

	top       float64 // of flat, absolute
	topRates  []float64
	topValues []float64 // of each column: of any value
}

// measure sets the tops.
func (r *raise) measure() {
	r.top = largest(r.flat)
	for c, rates := range r.rates {
		r.topRates[c] = largest(rates)
	}
	for c, values := range r.values {
		r.topValues[c] = largest(values)
	}
}

func (r *raise) clear(st *state) {
	if r.flat == nil {
		r.flat, r.amounts, r.codes = make([]float64, st.set.k), st.amounts, st.codes
		for range st.amounts {
			r.rates = append(r.rates, make([]float64, st.set.k))
		}
		for _, counts := range st.counts {
			r.values = append(r.values, make([]float64, len(counts)))
		}
		r.topRates, r.topValues = make([]float64, len(r.rates)), make([]float64, len(r.values))
	}
	clear(r.flat)
	for _, of := range r.rates {
		clear(of)
	}
	for _, of := range r.values {
		clear(of)
	}
}

// most returns no less than the largest absolute value that is added to a cost of row i.
func (r *raise) most(i int) float64 {
	most := r.top
	for c, top := range r.topRates {
		most += top * math.Abs(float64(r.amounts[c][i]))
	}
	for _, top := range r.topValues {
		most += top
	}
	return most
}

func largest(values []float64) (most float64) {
	for _, v := range values {
		most = max(most, math.Abs(v))
	}
	return most
}

// row writes the costs of row i to dst.
func (r *raise) row(i int, costs, dst []float64) {
	for j, f := range r.flat[:len(dst)] {
		dst[j] = costs[j] + f
	}
	for c, rates := range r.rates {
		a := float64(r.amounts[c][i])
		for j, rate := range rates[:len(dst)] {
			dst[j] += float64(rate * a)
		}
	}
	for c, values := range r.values {
		if v := int(r.codes[c][i]); v >= 0 {
			for j, price := range values[v*len(dst) : (v+1)*len(dst)] {
				dst[j] += price
			}
		}
	}
}
