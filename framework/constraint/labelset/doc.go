// Package labelset holds the sets that labels can be restricted to: how many rows a
// cluster has, what a column adds up to in it, how its values are spread.
//
//	size         from lo to hi rows in a cluster
//	share        the same, as a part of all rows
//	unique_per   at most hi rows of one value of a column in a cluster
//	capacity     the sum of a column in a cluster from lo to hi
//	balance      the share of each value of a column in a cluster from lo to hi
//
// Each kind has a file; Together makes one set of several.
//
// # Exact sets
//
// Sizes, shares and limits of the values of one column make a flow of least cost: see
// framework/internal/transport for how it is found, and why it is the least, without
// rounding, and the lowest of several. Shares are parts of decimals: 0.1 of 30 rows are 3.
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
//   - raises the bound of the Lagrangian dual (type dual): what breaks a limit costs a price, and rows go to their
//     cheapest clusters, or a flow gives them theirs. Each price has a step of its own, which grows until the limit is
//     broken the other way (Riedmiller and Braun 1993, A direct adaptive method for faster backpropagation learning);
//   - descends (type descent): rows move and change places as long as cost and a penalty for broken limits fall together.
//     The penalty is above all prices, and grows until no limit is broken. Of costs c and reduced costs r = c + prices, a move
//     that changes what limits count by d changes c by Δr − Σ price·d. As long as the penalty is above the prices, the sum
//     is at most the price of what is left below the limits, plus the penalty of what is above. So only
//     moves with a Δr below that are looked at, from lists in its order;
//   - shakes: a few rows of the best labels get others, and the descent begins anew with another penalty, for an amount of work that
//     is the same for tables of any size, and not where labels are given that obey;
//   - begins with the labels that it is given, if they obey and nothing cheaper was found. So it never returns dearer ones.
//
// The gap between cost and bound is reported. Labels that break a limit are never returned: if
// none are found that obey, the error says that nobody knows whether there are any. Of at most a hundred
// thousand labels all are looked at, and the best of them have no gap.
//
// # Exact limits
//
// Numbers are those of their shortest decimal texts, and sums are sums of these: three times 0.1 obeys
// a capacity of 0.3. Where a sum of decimals has more than 18 digits, they are rounded to 18, and limits give
// way by one unit of the last for each row. Shares have 18 decimals.
package labelset
