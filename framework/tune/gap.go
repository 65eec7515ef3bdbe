package tune

import "math"

// A GapCurve is how far each candidate is from what chance gives.
type GapCurve struct {
	Gap   []float64 // log of the rows − mean log of the draws; NaN where one of them is not positive
	Error []float64 // standard error: the standard deviation over the B draws (divisor B − 1) · √(1 + 1/B); NaN with one draw
	P     float64   // of the hypothesis that the rows are a draw like the others; NaN without draws
}

// Gaps compares a number that is to be large, of each candidate, with those that the
// same fits of drawn data sets have.
//
// P is the rank of the largest gap of the rows among the largest gaps of the draws,
// each against the others: (1 + draws that are as large) / (1 + draws). It counts the
// choice of the best candidate in, which a test of that candidate alone does not. The
// smallest P is 1 / (1 + draws), so that 39 draws are needed to fall to 0.025.
//
// Source: Witten and Tibshirani (2010), section 2.4, equation 11;
// Zhang, Lange and Xu (2020), algorithm 3. The rank is that of a permutation test,
// Phipson and Smyth (2010), https://doi.org/10.2202/1544-6115.1585.
func Gaps(rows []float64, draws [][]float64) GapCurve {
	logs := make([][]float64, len(draws))
	for b, of := range draws {
		logs[b] = logarithms(of)
	}
	of := logarithms(rows)
	c := GapCurve{Gap: make([]float64, len(rows)), Error: make([]float64, len(rows)), P: math.NaN()}
	mean := make([]float64, len(rows))
	count := float64(len(draws))
	for i := range rows {
		for _, l := range logs {
			mean[i] += l[i]
		}
		mean[i] /= count
		squares := 0.0
		for _, l := range logs {
			squares += float64((l[i] - mean[i]) * (l[i] - mean[i]))
		}
		c.Gap[i], c.Error[i] = of[i]-mean[i], math.Sqrt(squares/(count-1))*math.Sqrt(1+1/count)
	}
	if len(draws) < 2 {
		return c
	}
	largest, asLarge := most(c.Gap), 0
	if math.IsInf(largest, -1) {
		return c
	}
	for _, l := range logs {
		t := math.Inf(-1)
		for i, v := range l {
			if others := (count*mean[i] - v) / (count - 1); v-others > t { // false for NaN
				t = v - others
			}
		}
		if t >= largest {
			asLarge++
		}
	}
	c.P = float64(1+asLarge) / (1 + count)
	return c
}

func logarithms(values []float64) []float64 {
	logs := make([]float64, len(values))
	for i, v := range values {
		if logs[i] = math.NaN(); v > 0 {
			logs[i] = math.Log(v)
		}
	}
	return logs
}

// most returns the largest number, −Inf if there is none.
func most(values []float64) float64 {
	largest := math.Inf(-1)
	for _, v := range values {
		if v > largest {
			largest = v
		}
	}
	return largest
}
