package input

import "github.com/sqlcluster/sqlcluster/framework"

// Pairs are links between rows of a table.
type Pairs struct {
	Links   []framework.Link // in an order of their own: that of the relation changes nothing
	Dropped int              // pairs of which a row was left out because of a NULL

	Unlabelled int // suggestions without a kind, which are left out
}

// A Beside is a column of the relation that is read beside the features.
type Beside struct {
	Name   string
	Values bool // its values are wanted, as text, and not only its numbers
	Finite bool // its numbers are added up: none may be infinite or NaN
}

// Start is a start given as a relation: exactly one field is set.
type Start struct {
	Labels  []int32           // one a row of the table, in its order
	Centers *framework.Matrix // k×p, in original units
	Rows    []int             // k rows of the table, in the order of the relation
}

// A Truth counts the rows of a run by their cluster and the class in a column.
type Truth struct {
	KeyName string // of the run
	Cells   []TruthCell
}

// A TruthCell is a number of rows of one class and one cluster. Classes are
// numbered in the order of the first row that has each; −1 is none.
type TruthCell struct {
	Class, Cluster int32
	Rows           int
}

// A Common says which rows a table and a run have in common.
type Common struct {
	Labels      []int32 // of the rows of the table that are left, all ≥ 0
	NotInRun    int     // rows of the table that the run does not have
	NotInTable  int     // rows of the run that the table does not have
	Unclustered int     // rows of both that have no cluster
	Dropped     int     // rows of both that have one, but have been dropped from the table
}

// An Overlap counts the rows of two runs by their cluster in each. Class is that of
// the first run; −1 is none.
type Overlap struct {
	KeyNames [2]string
	Cells    []TruthCell // of rows that both have, in no order
	Only     [2]int      // rows that the first, and the second, has alone
}

// Labels are known classes of rows of a table. Slices have one entry a row.
type Labels struct {
	Names   []string  // of the classes, in their order
	Class   []int32   // place in Names; −1: not known
	Weight  []float64 // of rows with a class: +Inf is certain
	Dropped int       // labels of rows that were left out because of a NULL
}
