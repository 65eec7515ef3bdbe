package score

// Pairs counts the pairs of rows by whether they are together in their class
// and in their cluster. See the package comment.
type Pairs struct{ TP, FP, FN, TN int64 }

// Pairs counts the pairs of rows.
func (t Table) Pairs() Pairs {
	all := int64(t.n) * int64(t.n-1) / 2
	together, class, cluster := pairsWithin(t.cells), pairsWithin(t.classes), pairsWithin(t.clusters)
	return Pairs{TP: together, FP: cluster - together, FN: class - together, TN: all - class - cluster + together}
}

func pairsWithin(cells []cell) (pairs int64) {
	for _, c := range cells {
		pairs += int64(c.rows) * int64(c.rows-1) / 2
	}
	return pairs
}

// PairwiseF returns the harmonic mean of the pairwise precision TP/(TP+FP) and
// recall TP/(TP+FN), from 0 to 1; 0 when no pair is together in both.
//
// Source: Basu, Banerjee and Mooney (2002), section 4.2, as used by Vouros and
// Vasilaki (2020), https://arxiv.org/abs/2003.06973.
func (t Table) PairwiseF() float64 {
	p := t.Pairs()
	if p.TP == 0 {
		return 0
	}
	return 2 * float64(p.TP) / (2*float64(p.TP) + float64(p.FP) + float64(p.FN))
}

// Rand returns (TP + TN) / C(n), the part of the pairs that class and cluster
// agree on, from 0 to 1; 1 when there is no pair.
//
// Source: Rand (1971), https://doi.org/10.1080/01621459.1971.10482356.
func (t Table) Rand() float64 { return 1 - t.CER() }

// CER returns the classification error rate (FP + FN) / C(n), which is 1 − Rand;
// 0 when there is no pair. It counts pairs: for the rows that a majority vote
// gets wrong, which also goes by that name, see MajorityError.
//
// Source: Witten and Tibshirani (2010), section 3.4,
// https://doi.org/10.1198/jasa.2010.tm09415.
func (t Table) CER() float64 {
	p := t.Pairs()
	if t.n < 2 {
		return 0
	}
	return float64(p.FP+p.FN) / float64(p.TP+p.FP+p.FN+p.TN)
}

// ARI returns the Rand index adjusted for chance: 1 when classes and clusters
// are the same, and 0 on average when labels are permuted at random. With
// A = TP + FN, B = TP + FP and E = A·B/C(n),
//
//	ARI = (TP − E) / ((A + B)/2 − E)
//
// It is 1 when that is 0/0: both are one cluster, or both are single rows.
//
// Source: Hubert and Arabie (1985), equation 5,
// https://doi.org/10.1007/BF01908075.
func (t Table) ARI() float64 {
	p := t.Pairs()
	if p.FP == 0 && p.FN == 0 {
		return 1
	}
	// The same quotient, cleared of its denominators: no difference of large
	// rounded numbers is left but the one that is the score.
	tp, fp, fn, tn := float64(p.TP), float64(p.FP), float64(p.FN), float64(p.TN)
	return 2 * (tp*tn - fn*fp) / ((tp+fn)*(fn+tn) + (tp+fp)*(fp+tn))
}
