package settings

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

// AutoK is the text of numbers of clusters that are tried where nobody names any.
const AutoK = "auto"

const (
	autoKs = "2:10"
	mostK  = 100_000 // a number of clusters
	howKs  = "give numbers, as in 2,3,5, or FROM:TO, as in 2:10"
)

// ParseKs reads the numbers of clusters that a tuning tries, in ascending order: A,B,...,
// FROM:TO, or auto for 2 to 10.
func ParseKs(text string) ([]int, error) {
	bad := func() error {
		return Wrong("k", "%s is %q; it must be a whole number, several of them, or auto", framework.Setting("k"), text).WithHint(howKs)
	}
	of := strings.Replace(text, "..", ":", 1)
	if strings.EqualFold(text, AutoK) {
		of = autoKs
	}
	number := func(s string) (int, bool) {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		return n, err == nil && n >= 1 && n <= mostK
	}
	var ks []int
	if from, to, isRange := strings.Cut(of, ":"); isRange {
		first, ok := number(from)
		last, also := number(to)
		if !ok || !also || last < first {
			return nil, bad()
		}
		if last-first >= MostValues {
			return nil, Wrong("k", "%s has %d numbers; at most %d are allowed", framework.Setting("k"), last-first+1, MostValues)
		}
		for k := first; k <= last; k++ {
			ks = append(ks, k)
		}
		return ks, nil
	}
	for part := range strings.SplitSeq(of, ",") {
		k, ok := number(part)
		if !ok {
			return nil, bad()
		}
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return slices.Compact(ks), nil
}
