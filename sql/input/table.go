package input

import "github.com/sqlcluster/sqlcluster/framework/matrix"

// A Spec says what to read, and how.
type Spec struct {
	Relation string         // a query, a table or view, or a file
	ID       string         // key column; "": rows are numbered from 1
	Key      string         // key column where ID is "" and the relation has it; that of a run
	Features []string       // names and patterns; none: every numeric column
	Exclude  []string       // names and patterns
	Long     *Long          // the relation has triples, and no columns of features; nil: it has
	Weight   string         // column of row weights; "": none
	Nulls    string         // "keep", "error" or "drop"; "": keep if MissingOK, else error
	Order    string         // "key" or "input"; "": key
	Storage  matrix.Storage // of the matrix
	Most     int64          // bytes of it, where there is to be no file; 0: what is available

	Categorical []string // names and patterns of columns whose values are categories; auto: text with few values
	IgnoreText  bool     // columns of text that are not named as categories are left out
	Categories  bool     // text, ENUM and BOOLEAN columns are categories without being named
	NullLevel   bool     // NULL is a category of its own; else it is a missing cell
	Results     []string // result tables that columns of groups are in front of; nil: any of them
	Dir         string   // of a matrix in a file; "": the system's directory for temporary files

	MissingOK bool     // the algorithm takes missing cells
	Want      []string // exactly these features, in this order (those of a model); nil: by Features and Exclude

	// Map is the column of maps whose keys Want are, if the relation has it: each cell of
	// a map is one of the row. "": there is none.
	Map string

	// Optional are those of Want that the relation need not have: they are NULL
	// then in every row, which is no reason to leave a row out or to refuse it.
	Optional map[string]bool

	// WantCategories are those of Want that are categorical, and whether NULL is
	// a category of theirs.
	WantCategories map[string]bool

	// Expect is called before rows are read, if it is known how many there are; may be nil.
	Expect func(rows, columns int)

	Progress func(rows int) // called now and then with the rows read so far; may be nil
}

// A Table is a relation in memory.
type Table struct {
	Name     string           // the relation as given
	Features []string         // names, in column order of the matrix
	Builder  *matrix.Builder  // sparse if the relation was long
	Sources  []matrix.Source  // of the features, with the levels of those that are categorical
	Encoded  []matrix.Feature // what the columns of the matrix have become; nil: they are Features
	Weights  []float64        // row weights, which the builder has too; nil: none

	Long *Long  // the relation had triples in these columns; nil: it had none
	Map  string // or a column of maps with the cells; "": none

	Keys    Keys // of the rows, in their order
	KeyName string
	KeyType string // SQL of the type

	Dropped     int    // rows left out because of NULLs
	DroppedKeys Keys   // their keys, ascending
	DroppedWhy  string // NullCell or NoCells

	Missing   []int    // NULL cells of each feature
	Absent    []string // optional features that the relation does not have
	KeyLike   []KeyLike
	Excluded  []Excluded
	Warnings  []string
	SourceSQL string // the query, or FROM and the name
}

// Close frees the matrix, if it has not been sealed.
func (t *Table) Close() error { return t.Builder.Discard() }

// LeftOut says how many rows were left out, and why; "" when none.
func (t *Table) LeftOut() string {
	switch {
	case t.Dropped == 0:
		return ""
	case t.DroppedWhy == NoCells:
		return Counted(t.Dropped, "row has NULL in all features and so no cluster", "rows have NULL in all features and so no cluster")
	}
	return Counted(t.Dropped, "row with a NULL was left out", "rows with NULLs were left out")
}

// Columns returns the names of the columns of the matrix: "sex=male" is the
// category male of the feature sex.
func (t *Table) Columns() []string {
	if t.Encoded == nil {
		return t.Features
	}
	return NamesOf(t.Encoded, func(f matrix.Feature) string { return f.Name })
}

// Empty reports whether a column of the matrix has no value in any row.
func (t *Table) Empty(l int) bool {
	if t.Encoded != nil {
		return t.Encoded[l].Missing == t.Keys.Len()
	}
	return t.Missing[l] == t.Keys.Len()
}

// A KeyLike is a feature that looks like a row key.
type KeyLike struct {
	Name   string // of the column
	Unique bool   // every row has a value, and no other row has it: it could be the key
	Named  bool   // it is called like a key, too
}

// An Excluded is a column that is not a feature, and the reason.
type Excluded struct {
	Name, Why string
}

// Why rows were left out, and have no cluster.
const (
	NullCell = "null_cell" // one cell or more is NULL, and Nulls is "drop"
	NoCells  = "no_cells"  // every cell is NULL
	// NoCluster is the status of a row that was fitted, but that the algorithm
	// put into no cluster.
	NoCluster = "no_cluster"
	NoModel   = "no_model" // the run has no model of its group
	Outlier   = "outlier"  // it is farther from all centers than most rows
)
