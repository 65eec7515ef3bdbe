package input

import "github.com/sqlcluster/sqlcluster/framework"

// Pairs are links between rows of a table.
type Pairs struct {
	Links   []framework.Link // in an order of their own: that of the relation changes nothing
	Dropped int              // pairs of which a row was left out because of a NULL

	Unlabelled int // suggestions without a kind, which are left out
}

// Start is a start given as a relation: exactly one field is set.
type Start struct {
	Labels  []int32           // one a row of the table, in its order
	Centers *framework.Matrix // k×p, in original units
	Rows    []int             // k rows of the table, in the order of the relation
}
