package source

import (
	"fmt"
	"math"
	"strconv"

	"github.com/sqlcluster/sqlcluster/internal/pattern"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// exactInteger is the largest number up to which a float64 has every whole
// number. Its neighbours are 1 and 2 away.
const exactInteger = 1 << 53

var (
	longInteger = pattern.New(`^U?(?:BIG|HUGE)INT|^BIGNUM`)
	longDecimal = pattern.New(`^DECIMAL\((\d+),(\d+)\)`)
)

// exactUpTo returns the absolute value up to which numbers of a type, or of the
// entries of an array, are told apart by a float64.
func exactUpTo(typ string) float64 {
	if longInteger().MatchString(typ) {
		return exactInteger
	}
	m := longDecimal().FindStringSubmatch(typ)
	if m == nil {
		return math.Inf(1)
	}
	digits, _ := strconv.Atoi(m[1])
	scale, _ := strconv.Atoi(m[2])
	if digits <= 15 {
		return math.Inf(1)
	}
	return exactInteger / math.Pow10(scale)
}

// noteRounding notes whether a column has numbers beyond a limit, which a float64 has not. A
// number that is just in range may be one of them: only the larger ones count. What
// DuckDB leaves in the place of a NULL is not a number.
func (in *reader) noteRounding(limit float64, l int, values []float64, null func(i int) bool) {
	if in.rounded[l] || math.IsInf(limit, 1) {
		return
	}
	for i, x := range values {
		if (x > limit || x < -limit) && !null(i) {
			in.rounded[l] = true
			return
		}
	}
}

// roundingWarning names the columns whose numbers were rounded.
func (in *reader) roundingWarning() string {
	var names []string
	for l, rounded := range in.rounded {
		if rounded {
			names = append(names, in.features[l])
		}
	}
	if names == nil {
		return ""
	}
	return fmt.Sprintf("numbers of more than 15 digits were rounded to 53 bits, in %s: %s",
		input.Plural(len(names), "column"), input.ColumnNames(names))
}
