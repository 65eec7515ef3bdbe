// Package labelset holds the sets that labels can be restricted to: how many rows a
// cluster has, what a column adds up to in it, how its values are spread.
//
//	size         from lo to hi rows in a cluster
//	share        the same, as a part of all rows
//	unique_per   at most hi rows of one value of a column in a cluster
//	capacity     the sum of a column in a cluster from lo to hi
//	balance      the share of each value of a column in a cluster from lo to hi
//	Held         rows whose labels are known
//
// Each kind has a file; Together makes one set of several.
//
// # Exact sets
//
// Sizes, shares, held labels and limits of the values of one column make a flow of least cost: see
// framework/internal/transport for how it is found, and why it is the least, without
// rounding, and the lowest of several. Shares are parts of decimals: 0.1 of 30 rows are 3. Labels of
// rows that are held are no choice, so that these rows leave the problem, with a place each.
//
// Which rows of a declaration contradict each other is found by leaving out one after the other, and keeping
// out those without which there still are no labels. What remains contradicts itself, and any part of it does not.
// Whether there are labels is a largest flow each time; values of a column that have as many rows as each other are one node of it,
// since what flows from them together can be shared out between them.
//
// # Other sets
//
// With capacities, balances or values of two columns, the least cost is NP-hard to
// find: generalized assignment, and fair clustering. Project then
//
//   - relaxes: what breaks such a limit costs a price instead, and the rest is a flow, whose cost less
//     what the prices take is a bound: no labels that obey cost less. Prices take
//     40 subgradient steps of Polyak's length (Held, Wolfe and Crowder 1974, Validation of
//     subgradient optimization);
//   - repairs labels of the relaxation: rows move, and then change places in pairs, as long as limits are
//     broken less by it, those first that cost least for what they repair;
//   - descends: rows move and change places as long as all limits are kept and the cost falls;
//   - does so too with the labels that it is given, if they obey. So it never returns dearer ones.
//
// The gap between cost and bound is reported. Labels that break a limit are never returned: if
// none are found that obey, the error says that nobody knows whether there are any. Of at most a million
// labels all are looked at, and the best of them have no gap.
//
// # Exact limits
//
// Numbers are those of their shortest decimal texts, and sums are sums of these: three times 0.1 obeys
// a capacity of 0.3. Where a sum of decimals has more than 18 digits, they are rounded to 18, and limits give
// way by one unit of the last for each row. Shares have 18 decimals.
package labelset
