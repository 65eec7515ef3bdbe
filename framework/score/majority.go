package score

// Purity returns the part of the rows whose class is the most frequent one of
// their cluster; NaN without rows. It is 1 when every row is a cluster of its
// own.
//
// Source: Manning, Raghavan and Schütze (2008), section 16.3,
// https://nlp.stanford.edu/IR-book/.
func (t Table) Purity() float64 { return 1 - t.MajorityError() }

// MajorityError returns the part of the rows whose class is not the most
// frequent one of their cluster; NaN without rows. Reports on text call it CER.
func (t Table) MajorityError() float64 {
	largest := make(map[int32]int, len(t.clusters))
	for _, c := range t.cells {
		largest[c.cluster] = max(largest[c.cluster], c.rows)
	}
	right := 0
	for _, rows := range largest {
		right += rows
	}
	return float64(t.n-right) / float64(t.n)
}

// Mixed counts the clusters that have rows of more than one class, and the rows
// in them.
//
// Source: Higuera, Gardiner and Cios (2015), who call the clusters nodes,
// https://doi.org/10.1371/journal.pone.0129126; table 3 of Zhang, Lange and Xu
// (2020).
func (t Table) Mixed() (clusters, rows int) {
	classes := make(map[int32]int, len(t.clusters))
	for _, c := range t.cells {
		classes[c.cluster]++
	}
	for _, c := range t.clusters {
		if classes[c.cluster] > 1 {
			clusters, rows = clusters+1, rows+c.rows
		}
	}
	return clusters, rows
}
