package labelset

import (
	"math"
	"math/big"
	"strconv"
)

// A short is the shortest decimal text of a finite number: mantissa · 10^exponent, with at
// most 17 digits, the last of which is not 0.
type short struct {
	mantissa int64
	exponent int
}

// newDecimal returns the shortest text of v; of one that is not finite, that of 0.
func newDecimal(v float64) short {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return short{}
	}
	var room [32]byte
	d, after, seen := short{}, 0, false
	text := strconv.AppendFloat(room[:0], math.Abs(v), 'e', -1, 64)
	for i, c := range text {
		switch {
		case c == '.':
			seen = true
		case c == 'e':
			e, _ := strconv.Atoi(string(text[i+1:]))
			d.exponent = e - after
			if v < 0 {
				d.mantissa = -d.mantissa
			}
			return d
		default:
			d.mantissa = 10*d.mantissa + int64(c-'0')
			after += one(seen)
		}
	}
	return d
}

func (d short) decimals() int { return max(0, -d.exponent) }

// units returns the number in units of 10^−digits, which must be at least its decimals, and whether it is
// below 10¹⁸ of them.
func (d short) units(digits int) (int64, bool) {
	v := d.mantissa
	for range d.exponent + digits {
		if v > whole/10 || v < -whole/10 {
			return 0, false
		}
		v *= 10
	}
	return v, true
}

// decimalSum returns the texts of finite numbers, and the sum of their absolute values.
func decimalSum(numbers []float64) (texts []short, total *big.Rat) {
	texts = make([]short, len(numbers))
	digits := 0
	for i, v := range numbers {
		texts[i] = newDecimal(v)
		digits = max(digits, texts[i].decimals())
	}
	total = new(big.Rat)
	part := int64(0)
	unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil))
	flush := func() {
		total.Add(total, new(big.Rat).Mul(unit, new(big.Rat).SetInt64(part)))
		part = 0
	}
	for i, d := range texts {
		a, ok := d.units(digits)
		if !ok {
			total.Add(total, new(big.Rat).Abs(decimal(numbers[i])))
			continue
		}
		if part += max(a, -a); part > whole {
			flush()
		}
	}
	flush()
	return texts, total
}

// decimal returns the number that the shortest decimal text of v stands for: 0.1 is one
// tenth. v is finite.
func decimal(v float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', -1, 64))
	return r
}
