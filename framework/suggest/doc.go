// Package suggest finds pairs of rows that a person should be asked about: do
// the two belong together, or apart?
//
// # Neighbourhoods
//
// Rows that known must-links join are a unit, and so is every other row that has
// a link. Neighbourhoods are units that are all known to be apart from each other:
// first the largest unit, then, in order of size, every unit that cannot-links
// keep apart from all neighbourhoods found so far. Among equally large units, the
// one with the lowest row comes first. Each neighbourhood stands for a cluster of
// its own. The other units are open: it is not known yet where they belong.
//
// # Questions
//
// A question compares a row with the nearest row of a neighbourhood. A row is
// compared with one neighbourhood after the other, the nearest first, until a
// must is found, and with max(k, number of neighbourhoods) − 1 of them at most:
// if it is apart from all these, it belongs to the last.
//
// First, open units are compared with the neighbourhoods that they are not known
// to be apart from. Then come new rows:
//
//   - As long as there are fewer than k neighbourhoods, both methods explore: the
//     next row is the one farthest from all rows that have a link, or that were
//     asked about (farthest-first traversal), so that k well separated clusters
//     are found with the first k rows. If no row has a link yet, the one farthest
//     from the mean of all rows becomes a neighbourhood without a question.
//   - Then [Consolidate] takes rows at random, and the order of neighbourhoods
//     is that of the distances to their means. [MinMax] goes on with the
//     farthest row, and the order is that of the distances to their nearest
//     rows.
//
// Several questions are asked at a time, before any of them is answered. While
// exploring, a row that was asked about, and an open unit, may be a neighbourhood:
// later rows are compared with it too, after the neighbourhoods.
//
// With a similarity that falls with the distance, such as a Gaussian kernel, the
// row of MinMax is that of the min-max criterion, whatever the width.
//
// Sources: Basu, Banerjee and Mooney (2004), section 4,
// https://doi.org/10.1137/1.9781611972740.31; Mallapragada, Jin and Jain (2008),
// Active query selection for semi-supervised clustering, ICPR.
//
// # Determinism
//
// The result depends on the rows in their order, on the links, on K, Method and
// Seed. It depends neither on threads nor on the order of the links. Ties go to
// the lowest row, and to the neighbourhood that was found first.
package suggest
