// Package means has what methods that cluster around centers share: the additive
// statistics of labelled rows, the means and medians that follow from them, the
// objective, and the assignment to the nearest center.
//
// [Lloyd] is all of that as one clusterer, k-means. Methods that are like it embed
// it and write only the steps in which they differ. [Weighted], k-means with
// feature weights, is one of them.
//
// # Notation
//
// S_jl is the weighted sum of the observed cells of feature l in cluster j,
// m_jl their weight (n_j, the weight of the cluster's rows, when nothing is
// missing), μ_jl = S_jl / m_jl, and θ the centers of the model.
package means
