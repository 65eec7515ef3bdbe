// Package zoo holds wrong constraint sets and wrong clusterers, each a small
// mutation of a right one, with the law of package conformance that catches it.
// They keep the suite honest: a law that none of them breaks may be empty.
package zoo
