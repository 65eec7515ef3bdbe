package means

// Between writes to dst (length p), for each feature, the sum of squares
// between the clusters, over the observed cells:
//
//	b_l = Σ_j m_jl (μ_jl − x̄_l)²
//
// x̄_l being the mean of all observed cells of labelled rows. It is never
// negative, and 0 where no cell was observed. As a difference of total and
// within it would drown in rounding where the clusters hardly differ.
func (u *Update) Between(dst []float64) {
	k, p := u.Mean.Rows, u.Mean.Cols
	massOf := func(j, l int) float64 {
		if u.CellMass != nil {
			return u.CellMass[j*p+l]
		}
		return u.Mass[j]
	}
	for l := range dst {
		var mass, sum, between float64
		for j := range k {
			m := massOf(j, l)
			mass += m
			sum += float64(m * u.Mean.Data[j*p+l])
		}
		dst[l] = 0
		if !(mass > 0) {
			continue
		}
		for j := range k {
			d := u.Mean.Data[j*p+l] - sum/mass
			between += float64(massOf(j, l) * float64(d*d))
		}
		dst[l] = between
	}
}
