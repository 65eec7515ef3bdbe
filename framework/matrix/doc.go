// Package matrix stores the rows of a fit as one row-major matrix in memory
// that several processes share, and holds the recipe by which a table becomes
// features: numbers are located and scaled, and each category of a categorical
// column becomes a column of its own ([Encode]).
//
// A [Builder] is filled and changed in place by one process. [Builder.Seal]
// makes it read-only [Data], which another process opens by its [Handle]
// without a copy. [Prepare] does all that is between the two for a fit, and
// [Recipe.Replay] for new rows.
package matrix
