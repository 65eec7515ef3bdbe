// Package score says how good a clustering is: against known classes, or by the
// rows themselves.
//
// # Notation
//
// n is the number of rows that have both a class and a cluster; a label of −1 is
// none, and its rows are left out. n_ab is the number of rows of class a in
// cluster b, n_a and n_b the sizes of the class and of the cluster, and
// C(m) = m(m−1)/2 the number of pairs of m rows. Of the C(n) pairs of rows,
//
//	TP = Σ_ab C(n_ab)              are together in class and cluster,
//	FP = Σ_b C(n_b) − TP           in the cluster only,
//	FN = Σ_a C(n_a) − TP           in the class only,
//	TN = C(n) − TP − FP − FN       in neither.
//
// Entropies are in nats: H(U) = −Σ_a n_a/n log(n_a/n), H(V) that of the
// clusters, H(U,V) that of the cells n_ab, and I = H(U) + H(V) − H(U,V).
//
// # Which score
//
// Scores that are higher when better: [Table.PairwiseF], [Table.ARI],
// [Table.NMI], [Table.Rand], [Table.Purity], [Silhouette],
// [ExplainedVariance], [CalinskiHarabasz]. Lower when better: [Table.NVI],
// [Table.CER], [Table.MajorityError], [Table.Mixed], [DaviesBouldin].
//
// Only ARI is 0 for clusters that have nothing to do with the classes. All of
// Rand, NMI and purity rise with the number of clusters alone.
//
// No score depends on how classes or clusters are numbered.
package score
