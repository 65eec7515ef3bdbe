// Package means has what every method that clusters around centers shares: the
// additive statistics of labelled rows, the means and medians that follow from
// them, the objective, and the assignment to the nearest center.
//
// # Notation
//
// S_jl is the weighted sum of the observed cells of feature l in cluster j,
// m_jl their weight (n_j, the weight of the cluster's rows, when nothing is
// missing), μ_jl = S_jl / m_jl, and θ the centers of the model.
package means
