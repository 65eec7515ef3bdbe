package kernel

import "math"

// Where a filter waits for memory and not for arithmetic, namely with few centers, the copy
// of rows is in half precision (IEEE 754 binary16: 11 bits, from 2⁻¹⁴ to 65504, and multiples
// of 2⁻²⁴ below that). A later look then reads a quarter of the bytes that the rows have.
//
// # Scale
//
// The copy has h, which is 2ᵉ x' rounded, with x' = x − o of filter; and the packed centers
// are −2⁻ᵉ c', so that products are those of x' and c'. e is chosen with the origin, such that
// the longest center is 16 to 32 long. Cells of up to 2048 times that length have their 11
// bits; a larger one is infinite, so that its row is never certain. Those that are shorter
// than 2⁻¹⁸ of it lose bits.
//
// # What is lost
//
// Let y = 2⁻ᵉ h, and δ ≥ ‖x' − y‖, where x' is rounded to single precision as before (its 2u
// are in E of filter). The sums σ_j of y are right for the row y to within E, and
//
//	(S_j − S_i)(x') = (S_j − S_i)(y) − (x' − y)·(c_j − c_i)
//
// so that by Cauchy and Schwarz the lead of center i is off by at most δ ‖c_j − c_i‖: far
// less than what δ may change distances by, since all of them change alike. So i is the
// nearest if all others have
//
//	σ_j − σ_i > T + δ r_i,   r_i ≥ ‖c_j − c_i‖ for every j
//
// A row near its centers loses less: no distance changes by more than δ, so that
//
//	(S_j − S_i)(x') ≥ ((d_j − δ)² − (d_i + δ)²)/2 = (S_j − S_i)(y) − δ (d_i + d_j)
//
// for the distances of y, unless d_j < δ, where the right side is below 0. Each center whose σ is larger than that
// of the second has a larger right side, too. So it is enough that the second has
//
//	σ_j − σ_i > T + δ min(r_i, D_i + D_j)
//
// with the upper bounds D of distances from below.
//
// A cell loses 2⁻¹¹|h| or 2⁻²⁵ at most. For each chunk of rows, the kernel finds when it
// makes the copy a share p with
//
//	2ᵉ δ ≤ p ‖h‖ + l,   l = (1 + 2⁻⁵) √s 2⁻²⁵
//
// for every row: p is about 2⁻¹² for normal cells, and never above 2⁻¹¹ but for rounding,
// whatever lengths the rows have. Sums of squares and roots of at most 2¹⁶ cells are right to
// within 2⁻⁹, and p and l are enlarged by 2⁻⁶ for it.
//
// # The rest of the filter
//
// T needs R ≥ ‖x'‖. From R ≤ ‖y‖ (1 + 1.1·2⁻¹¹) + 2⁻ᵉ l follows
//
//	R² ≤ ‖y‖² (1 + 2⁻⁸) + 2⁻²ᵉ 2¹³ l²
//
// of which the factor is in the slope of T, and the other term in what is added to it.
// Squares ‖y‖² = 2⁻²ᵉ ν are those of y; 2⁻²ᵉ is in the constants. Underflow adds 2⁻ᵉ to the
// size of packed cells, and 2ᵉ to that of rows, in A.
//
// The gap: let G = 2 (σ_j − σ_i − T − δ r_i), or with D_i + D_j in place of r_i, j the second by σ, D̃_i and D̃_j as D in filter,
// but for the row y, so that d_i ≤ D̃_i + δ. Every other center has a distance of at least
// √(d_i² + G), and
//
//	d_i² + G ≤ (D̃_i + δ)² + G ≤ (√(D̃_i² + G) + δ)² ≤ (D̃_j + δ)²
//
// so that the gap is at least G / (D̃_i + D̃_j + 2δ).
const (
	halfCenters = 32     // at most: with more, looking at a row takes longer than reading it
	halfLength  = 0x1p32 // the longest center is between this and its inverse
	halfTrust   = 8      // no more than one in so many rows may be uncertain
)

// scaleOf chooses whether copies are in whole numbers or half precision, and their scale.
func (f *filter) scaleOf(c *Centers) {
	longest := 0.0
	for j := range c.K {
		square := 0.0
		for l, v := range c.Rows[j*c.S : (j+1)*c.S] {
			square += (v - f.origin[l]) * (v - f.origin[l])
		}
		longest = max(longest, math.Sqrt(square))
	}
	f.form++
	f.short = f.record.whole && chosen().whole > 0 && (c.slabs() && c.K <= wholeCenters || c.dots() && c.S <= wholeFeatures)
	f.few.shortest = longest
	f.scale, f.halved = 1, !f.short && f.record.halves && c.K <= halfCenters && longest >= 1/halfLength && longest <= halfLength
	if f.halved {
		_, e := math.Frexp(longest)
		f.scale = math.Ldexp(1, 5-e)
	}
}

// reachOf writes r of each center, in units of the copy, and what else the kernel needs.
func (f *filter) reachOf(c *Centers) {
	if !f.halved {
		f.reach = nil
		return
	}
	const up = 1 + 0x1p-20
	inverse := 1 / f.scale
	f.reach = append(f.reach[:0], make([]float32, halfCenters)...) // the kernel loads whole vectors
	f.between = append(f.between[:0], make([]float64, c.K*c.K)...)
	Distances(f.between, Measure{}, c.Rows, c)
	for j := range c.K {
		most := 0.0
		for _, d := range f.between[j*c.K : (j+1)*c.K] {
			most = max(most, d)
		}
		f.reach[j] = float32(math.Sqrt(most) * inverse * up)
	}
	f.least = float32((1 + 0x1p-5) * leastLoss(c.S))
	f.both = float32(2 * inverse * up)
}

// leastLoss is what s cells may lose that have no bits: l without its factor.
func leastLoss(s int) float64 { return math.Sqrt(float64(s)) * 0x1p-25 }
