// Package skfr clusters rows around centers that keep only a few features:
// sparse k-means by feature ranking (SKFR), and plain k-means as the case in
// which all are kept. Beside these is spherical k-means, of rows by their direction:
// see Spherical.
//
// # The method
//
// The features are centred, so that a center's entry of 0 says "uninformative".
// With μ_j the mean and n_j the mass of cluster j, keeping feature l in all
// centers lowers the objective by the gain
//
//	d_l = Σ_j n_j μ_jl²
//
// so the s features of largest gain are kept (scope=global, SKFR1), or in each
// center the s entries of largest n_j μ_jl² (scope=local, SKFR2). Both are
// projections onto a set of package constraint, and the objective
// Σ_i ‖x_i − θ_c(i)‖² never rises.
//
// # Groups
//
// Where features come in groups, groups are kept or dropped: by the sum of the
// gains of their features, which is what keeping the group lowers the objective
// by. sparsity counts groups then.
//
// # Missing cells
//
// missing=observed sums distances over the observed cells, and uses the mass
// n_jl of the observed cells of each entry: it descends the observed objective
// directly. missing=kpod fills a missing cell with the center's value that its
// row was last assigned to, and lets it take part like any other (a
// majorise-minimise scheme): the model carries the centers that filled the
// cells, beside the present ones.
//
// # Outliers
//
// loss=l1 measures |x − θ|, has medians as centers, and the gain
// Σ_i |x_il| − Σ_i |x_il − θ_c(i)l|.
//
// Source: Zhang, Lange and Xu (2020), Simple and scalable sparse k-means
// clustering via feature ranking, https://arxiv.org/abs/2002.08541.
package skfr
