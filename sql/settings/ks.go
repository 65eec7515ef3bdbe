package settings

import (
	"errors"
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
	number := func(s string) (int, error) {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err == nil && (n < 1 || n > mostK) || errors.Is(err, strconv.ErrRange) {
			return 0, Wrong("k", "%s is %q; each number must be from 1 to %d", framework.Setting("k"), text, mostK)
		}
		if err != nil {
			return 0, bad()
		}
		return n, nil
	}
	var ks []int
	if from, to, isRange := strings.Cut(of, ":"); isRange {
		first, err := number(from)
		if err != nil {
			return nil, err
		}
		last, err := number(to)
		if err != nil {
			return nil, err
		}
		if last < first {
			return nil, Wrong("k", "%s is %q; the first number must not be larger than the last", framework.Setting("k"), text)
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
		k, err := number(part)
		if err != nil {
			return nil, err
		}
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return slices.Compact(ks), nil
}
