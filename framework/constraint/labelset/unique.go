package labelset

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A unique limits how many rows of one value of a column a cluster has.
type unique struct {
	row    int
	codes  []int32 // the value of each row, −1: NULL, which is not counted
	values []string
	groups *groups
	hi     []int // of each cluster; n: no limit
}

// measure returns the limit of each cluster that has one, which is that of the value with most rows
// there, the first of several.
func (l unique) measure(labels []int32, k int) []measured {
	all := make([]measured, k)
	above, counts := make([]int, k), make([]int, k)
	for v := range l.groups.len() {
		rows := l.groups.of(v)
		for _, i := range rows {
			if j := labels[i]; j >= 0 && int(j) < k {
				counts[j]++
			}
		}
		for _, i := range rows {
			j := labels[i]
			if j < 0 || int(j) >= k || counts[j] == 0 {
				continue
			}
			above[j] += max(0, counts[j]-l.hi[j])
			if n := float64(counts[j]); n > all[j].Amount {
				all[j].Amount, all[j].Value = n, l.values[v]
			}
			counts[j] = 0
		}
	}
	limited := all[:0]
	for j, m := range all {
		m.Cluster, m.Lo, m.Hi = j, math.Inf(-1), float64(l.hi[j])
		m.exact = m.Hi - m.Amount
		if above[j] > 0 {
			m.exact = -float64(above[j])
		}
		if l.hi[j] < len(labels) {
			limited = append(limited, m)
		}
	}
	return limited
}

// groups are the rows of each value of a column, ascending.
type groups struct {
	rows  []int32
	first []int32 // of each value, and the end
}

func newGroups(codes []int32, values int) *groups {
	g := &groups{first: make([]int32, values+1)}
	for _, c := range codes {
		if c >= 0 {
			g.first[c+1]++
		}
	}
	for v := range values {
		g.first[v+1] += g.first[v]
	}
	g.rows = make([]int32, g.first[values])
	next := slices.Clone(g.first)
	for i, c := range codes {
		if c >= 0 {
			g.rows[next[c]] = int32(i)
			next[c]++
		}
	}
	return g
}

func (g *groups) len() int         { return len(g.first) - 1 }
func (g *groups) of(v int) []int32 { return g.rows[g.first[v]:g.first[v+1]] }

// uniqueKind is the kind unique_per.
func uniqueKind() kind {
	return kind{framework.SetDescription{
		Kind: "unique_per", Version: "1", Summary: "a cluster has at most hi rows, or one, of the same value of a column",
		Uses:    []string{"cluster", "feature", "hi"},
		Example: rows("unique_per", framework.ConstraintRow{Feature: ptr("f4")}),
		More: [][]framework.ConstraintRow{rows("unique_per", framework.ConstraintRow{Feature: ptr("f3"), Hi: ptr(2.0), Cluster: ptr(0)},
			framework.ConstraintRow{Feature: ptr("f5"), Hi: ptr(2.0)})},
	}, func(d *declaration) {
		for i, r := range d.rows {
			d.at = i
			hi := 1.0
			if r.Hi != nil {
				hi = *r.Hi
			}
			if h := min(hi, float64(d.set.n)); !(hi >= 0) || h != float64(int(h)) {
				d.fail("counts rows, so that hi must be a whole number, not %g", hi)
				return
			}
			c := d.column(r)
			if c == nil {
				return
			}
			if c.Codes == nil && d.set.n > 0 {
				d.fail("counts values, and the column %s has none", c.Name)
				return
			}
			l := unique{row: i, codes: c.Codes, values: c.Values, groups: newGroups(c.Codes, len(c.Values)),
				hi: slices.Repeat([]int{d.set.n}, d.set.k)}
			for _, j := range d.clusters(r.Cluster) {
				l.hi[j] = int(min(hi, float64(d.set.n)))
			}
			d.says("%s: at most %g of one value of %s", clusterName(r.Cluster), hi, c.Name)
			d.set.uniques = append(d.set.uniques, l)
		}
	}}
}

// sameCodes reports whether two lists are the same column.
func sameCodes(a, b []int32) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}
