// Package transport gives rows clusters so that the total of costs is least and each
// cluster has a number of rows within bounds. It is the transportation problem of
// linear programming, for many rows and few clusters.
//
// # Optimality
//
// n is the number of rows, k of clusters, c_ij a cost, p_j a price. Labels within the
// bounds are optimal if there are prices such that each row i is in a cluster of least
// c_ij + p_j, and a cluster with p_j > 0 has Hi_j rows, one with p_j < 0 has Lo_j. For
// then, for any labels l within the bounds, with sizes n_j,
//
//	Σ_i c_{i,l_i} = Σ_i (c_{i,l_i} + p_{l_i}) − Σ_j p_j n_j
//	              ≥ Σ_i min_j (c_ij + p_j) − Σ_{p_j>0} p_j Hi_j − Σ_{p_j<0} p_j Lo_j,
//
// and the labels found make both sides equal. Such prices exist whenever any labels obey,
// because a flow of least cost has potentials. Before labels are returned, all of these
// conditions are checked, without rounding.
//
// # Method
//
// At any prices, rows get their cheapest cluster; too many rows are then in some
// clusters. Rows move along shortest ways of a graph with the clusters as its nodes:
// the arc from a to b is the cheapest move of a row from a to b, and one more node,
// the pool, takes rows of clusters between their bounds. It is the method of successive
// shortest paths (Ahuja, Magnanti and Orlin 1993, Network Flows, section 9.7), in which a
// row is no node. Prices are the potentials of Dijkstra's method; a search ends at the
// first cluster that lacks a row.
//
// Cheapest moves are in heaps, k² of them. They have only rows that cost little to move at
// the prices, and a bound of what all others cost. If a search needs more, the heaps are
// built anew with more rows. So rows far from all boundaries are looked at twice or
// thrice, each time at the speed of memory.
//
// Good prices leave little to move. They come from a problem like this one, or from a quarter of the
// rows, drawn by number, with bounds a quarter as large, and so on, until few are left.
// A part of m rows leaves about √(kn·n/m) to move.
//
// # No rounding
//
// Costs are float64s, which are whole multiples of some power of two. Prices and lengths of ways
// are integers of that unit with 128 bits where the costs allow it, else 256 or 2304, which has room for all.
// A difference of two costs is kept as an unevaluated sum of two float64s, which is exact. float64
// alone decides where its error is known to be too small to matter.
//
// # Ties
//
// Of several optimal labels, those are returned that are lowest in lexicographic order,
// by row. They are one labelling, and depend on nothing but the problem: not on prices to begin with, threads,
// or the way that was taken. By the equality above, all optimal labels have every row in a
// cluster of least c_ij + p_j at the final prices; so only rows with several of these, the
// tied rows, differ. Two optimal labellings differ by cycles of moves of reduced
// cost 0. For each tied row in turn, the lowest label is found from which a way of such moves by later
// rows leads back to its present one. The total cost is that of any optimal labels: it does not
// depend on the order of the rows.
//
// Prices that are returned are minus the lengths of the shortest ways to each cluster in the
// graph of the labels that are returned, and so are as unique.
//
// # Groups
//
// Rows of one group may be limited to Most_j in cluster j. In the graph of the flow, the group then
// has a place in each cluster, between its rows and the cluster. A way through places is a chain:
// a row of the group leaves a, another one passes through each full cluster on the way, and one more is in
// b at the end. So the arc from a to b is the cheapest chain of any group, and all else is
// as above. Chains of one group are found by Floyd's and Warshall's method, k³ at most, and less for
// groups of few rows. The check at the end has prices of places, too.
//
// # Contradictions
//
// If a search reaches no cluster that lacks a row, the nodes that it has reached are a cut:
// either their clusters have room for fewer rows than may be nowhere else, or
// the other clusters need more rows than may be there at all. Both are proofs, and the error has the numbers.
package transport
