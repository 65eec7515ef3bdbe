package means

// Between writes to dst (length p), for each feature, the sum of squares
// between the clusters, over the observed cells:
//
//	b_l = Σ_j m_jl (μ_jl − x̄_l)²
//
// with x̄_l the mean of all observed cells of labelled rows. It is never negative.
// It is 0 if no cell was observed or all means are equal, so always for one cluster.
// The difference of the total and the within sum of squares would drown in rounding
// if the clusters hardly differ.
func (u *Update) Between(dst []float64) {
	k, p := u.Mean.Rows, u.Mean.Cols
	if u.total == nil {
		u.total, u.center, u.first = make([]float64, p), make([]float64, p), make([]float64, p)
	}
	clear(u.total)
	clear(u.center)
	clear(dst)
	for j := range k {
		for l, v := range u.Mean.Row(j) {
			m := u.massOf(j, l)
			if m > 0 && u.total[l] == 0 {
				u.first[l] = v
			}
			u.total[l] += m
			u.center[l] += float64(m * (v - u.first[l]))
		}
	}
	for l, m := range u.total {
		if m > 0 {
			u.center[l] = u.first[l] + u.center[l]/m
		}
	}
	for j := range k {
		for l, v := range u.Mean.Row(j) {
			d := v - u.center[l]
			dst[l] += float64(u.massOf(j, l) * float64(d*d))
		}
	}
}

// massOf returns m_jl.
func (u *Update) massOf(j, l int) float64 {
	if u.CellMass != nil {
		return u.CellMass[j*u.Mean.Cols+l]
	}
	return u.Mass[j]
}
