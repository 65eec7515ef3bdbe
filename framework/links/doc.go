// Package links makes sense of pairs of rows that belong together (must) or
// apart (cannot): it merges repeated ones, completes them by what follows from
// them, and decides whether the hard ones can be kept.
//
// # Hard links
//
// A link of infinite weight is never broken. Rows that hard must-links join,
// directly or by way of others, are a [Unit] and move as one. Hard cannot-links
// then say which units may not share a cluster: giving them clusters is colouring
// a graph with k colours, which is simple for most graphs and has no fast method
// for all. [Graph.Colour] searches, and says when it gives up.
//
// # Determinism
//
// Nothing depends on the order of the links, nor on which row of a link is
// named first. Limits count steps, not seconds.
package links
