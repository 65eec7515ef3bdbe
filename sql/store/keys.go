package store

import (
	"fmt"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Keys are the row keys in fitted order: whole numbers, or the text of any
// other type.
type Keys struct {
	Name string // column
	Type string // as DuckDB writes it

	integers []int64
	texts    []string
	ordered  []*big.Rat // of keys that are other numbers, to order by
}

var integerKinds = []string{"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}

// isInteger reports whether keys of the type are kept as int64.
func isInteger(kind string) bool { return slices.Contains(integerKinds, kind) }

// isNumber reports whether keys of the type are ordered as numbers.
func isNumber(kind string) bool { return column{kind: kind}.nature() == numeric }

// Len returns the number of keys.
func (k *Keys) Len() int { return len(k.integers) + len(k.texts) }

// Text returns the i-th key as text.
func (k *Keys) Text(i int) string {
	if k.texts != nil {
		return k.texts[i]
	}
	return strconv.FormatInt(k.integers[i], 10)
}

// Value returns the i-th key as int64 or string.
func (k *Keys) Value(i int) any {
	if k.texts != nil {
		return k.texts[i]
	}
	return k.integers[i]
}

// stagingType is the type of Value.
func (k *Keys) stagingType() string {
	if isInteger(k.Type) {
		return "BIGINT"
	}
	return "VARCHAR"
}

// compare orders the i-th and j-th key: numbers by value, text by bytes.
func (k *Keys) compare(i, j int) int {
	switch {
	case k.texts == nil:
		switch a, b := k.integers[i], k.integers[j]; {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	case k.ordered != nil && k.ordered[i] != nil && k.ordered[j] != nil:
		return k.ordered[i].Cmp(k.ordered[j])
	}
	return strings.Compare(k.texts[i], k.texts[j])
}

// prepare parses keys that are numbers but no int64.
func (k *Keys) prepare() {
	if k.texts == nil || !isNumber(k.Type) {
		return
	}
	k.ordered = make([]*big.Rat, len(k.texts))
	for i, t := range k.texts {
		if r, ok := new(big.Rat).SetString(t); ok {
			k.ordered[i] = r
		}
	}
}

// order returns the permutation that puts the keys into ascending order, or nil
// if they are in it.
func (k *Keys) order() []int {
	sorted := true
	for i := 1; i < k.Len() && sorted; i++ {
		sorted = k.compare(i-1, i) <= 0
	}
	if sorted {
		return nil
	}
	order := make([]int, k.Len())
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return k.compare(order[a], order[b]) < 0 })
	return order
}

// permute puts key order[i] at place i.
func (k *Keys) permute(order []int) {
	if k.integers != nil {
		k.integers = permuted(k.integers, order)
	}
	if k.texts != nil {
		k.texts = permuted(k.texts, order)
	}
	if k.ordered != nil {
		k.ordered = permuted(k.ordered, order)
	}
}

func permuted[T any](values []T, order []int) []T {
	out := make([]T, len(order))
	for i, from := range order {
		out[i] = values[from]
	}
	return out
}

// checkUnique refuses keys that occur twice. order is ascending order, or nil
// if the keys are in it.
func (k *Keys) checkUnique(order []int) error {
	at := func(i int) int {
		if order == nil {
			return i
		}
		return order[i]
	}
	var details []string
	repeated := 0
	for i := 1; i < k.Len(); {
		run := 1
		for i < k.Len() && k.compare(at(i-1), at(i)) == 0 {
			run++
			i++
		}
		if run > 1 {
			repeated++
			if len(details) < 10 {
				details = append(details, fmt.Sprintf("%s = %s: %d rows", k.Name, k.Text(at(i-1)), run))
			}
		} else {
			i++
		}
	}
	if repeated == 0 {
		return nil
	}
	if repeated > len(details) {
		details = append(details, fmt.Sprintf("and %d more keys", repeated-len(details)))
	}
	f := framework.Faultf(framework.Data, "duplicate-key", "the row key %q has %d values that occur more than once", k.Name, repeated).
		WithWhere("--id").WithHint("choose a column that is different in every row, or leave --id out to use row numbers")
	f.Details = details
	return f
}

// index returns where each key is.
func (k *Keys) index() map[string]int {
	m := make(map[string]int, k.Len())
	for i := range k.Len() {
		m[k.Text(i)] = i
	}
	return m
}
