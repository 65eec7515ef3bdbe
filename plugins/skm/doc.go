// Package skm is sparse k-means: k-means on weighted features, whose weights
// make the sum of squares between the clusters as large as it can be while
// their own sum is bounded. A small bound leaves few features with a weight.
//
// See [means.Weighted] for the alternation and [weightset.Bounded] for
// the weights.
//
// Source: Witten and Tibshirani (2010), A framework for feature selection in
// clustering, https://doi.org/10.1198/jasa.2010.tm09415.
package skm
