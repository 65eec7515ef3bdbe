// Package groupskm is group-sparse k-means: k-means on weighted features, whose
// weights make the variance between the clusters as large as it can be, less a
// penalty for every group of features that has a weight at all. A group is what
// belongs together: the levels of a category, or features that the user named.
//
// See [means.Weighted] for the alternation and [weightset.Grouped] for
// the weights.
//
// Source: Chavent, Lacaille, Mourer and Olteanu (2020), Sparse k-means for
// mixed data via group-sparse clustering, ESANN 2020,
// https://hal.science/hal-03130672.
package groupskm
