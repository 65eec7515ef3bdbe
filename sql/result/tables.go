package result

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// Violation is a row of the violations.
type Violation struct {
	A, B   int // rows of the assignments
	Kind   string
	Weight float64 // infinite: NULL
	Cost   float64

	Derived bool // it was not given, but follows from pairs that were
}

// Limit is a row of the limits.
type Limit struct {
	Kind, Name string
	Column     string  // that is counted or added up; "": NULL
	Cluster    int     // −1: NULL, all
	Value      string  // of the column; "": NULL
	Amount     float64 // what the rows of the cluster have
	Lo, Hi     float64
	Slack      float64
	Price      float64
}

// Suggestion is a row of the suggestions.
type Suggestion struct {
	A, B   int // rows of the table
	Weight float64
	Why    string
}

// Silhouettes are those of rows that have a cluster, of a run. Slices have one entry a
// key.
type Silhouettes struct {
	Run     string
	KeyName string
	Keys    input.Keys
	Labels  []int32
	Nearest []int32   // the other cluster that is nearest; −1: there is none
	Values  []float64 // NaN: there is only one cluster
}

// Tables are the rows of all result tables of a run, see package schema. A
// number that is not finite and a cluster below 0 are written as NULL.
type Tables struct {
	Assignments Assignments
	Centers     []Center
	Features    []Feature
	Clusters    []Cluster
	Trace       []Iteration
	Violations  []Violation // nil: there are no pairs, and no such table
	Limits      []Limit     // nil: no cluster has a limit, and there is no such table
	Fit         Fit
	Run         Run

	CentersLeftOut int        // entries that Centers do not have: see settings.NonzeroCenters
	TopFeatures    [][]string // those that name each cluster; nil: there are few features
}

// Assignments are the clusters of rows. Slices have one entry a key; all but
// Labels may be nil.
type Assignments struct {
	KeyName  string
	Keys     input.Keys
	Labels   []int32
	Distance []float64
	Second   []int32
	Margin   []float64

	Dropped input.Keys // rows without a cluster; may be nil
	Status  string     // why they have none; "": NullCell

	Unlabelled string // why rows with a label below 0 and no distance have none; "": NoCluster

	By string // the run that has labelled the rows, of a table of predictions

	Distances *Distances // nil: none, and no such table

	// From is the query of the rows, in place of slices, where they have stayed in the
	// database; "": they have not.
	From string
	// Elsewhere is where the table is, if not in the database of the other tables: there
	// is no such table in that; "": it is.
	Elsewhere string
}

// Distances are those of rows to their nearest centers, the nearest first: PerRow
// entries for each key of the assignments.
type Distances struct {
	PerRow   int
	Cluster  []int32
	Distance []float64
}

// Assigned pairs the keys of a table with the labels of its rows.
func Assigned(t *input.Table, p *fit.Prediction) Assignments {
	return Assignments{KeyName: t.KeyName, Keys: t.Keys, Labels: p.Labels, Distance: p.Distance,
		Second: p.Second, Margin: p.Margin, Dropped: t.DroppedKeys, Status: t.DroppedWhy}
}

// Len returns the number of rows, with those that were left out.
func (a Assignments) Len() int {
	n := a.Keys.Len()
	if a.Dropped != nil {
		n += a.Dropped.Len()
	}
	return n
}

// StatusOf says why a row that was not left out has no cluster; "" if it has one.
// Rows that are outliers have a distance.
func (a Assignments) StatusOf(row int) string {
	switch {
	case row >= len(a.Labels) || a.Labels[row] >= 0:
		return ""
	case row < len(a.Distance) && a.Distance[row] >= 0:
		return input.Outlier
	}
	return cmp.Or(a.Unlabelled, input.NoCluster)
}

// Center is a row of the centers.
type Center struct {
	Cluster   int
	Feature   string
	Category  *string // nil: NULL, for numbers
	Center    float64
	Scaled    float64
	Frequency float64 // of a category
	Modal     *bool   // of a category; nil: NULL
}

// Feature is a row of the features.
type Feature struct {
	Feature  string
	Category *string // nil: NULL, for numbers
	Group    string  // "": NULL
	Cluster  int     // −1: NULL, for all clusters alike
	Selected *bool   // nil: NULL, the algorithm selects nothing
	Weight   float64
	Norm     float64 // of the weights of its group
	Gain     float64
	Rank     int // 0: NULL
	Location float64
	Scale    float64
}

// Cluster is a row of the clusters.
type Cluster struct {
	Cluster int
	Class   string // of the rows that are known to belong to it; "": NULL
	Size    int
	Weight  float64
	Inertia float64
}

// Iteration is a row of the trace.
type Iteration struct {
	Restart   int
	Iteration int
	Objective float64
	Moved     int
	Selected  int
}

// Fit is the row of the fit: nothing in it differs when the fit is repeated.
type Fit struct {
	RunID        string // see RunID
	Algorithm    string
	Version      string
	PluginSHA256 string
	Params       string // JSON
	Seed         uint64
	N, P, K      int
	Objective    float64
	Maximize     bool
	Inertia      float64
	Iterations   int
	Converged    bool
	StopReason   string
	Approximate  bool     // the start came from batches of rows
	LabelGap     *float64 // nil: NULL, clusters have no limits
	Source       string
	ToolVersion  string
	Model        string // JSON
}

// Run is the row of the run: what a clock or the machine decided.
type Run struct {
	StartedAt         time.Time
	SecondsRead       float64
	SecondsFit        float64
	SecondsSeeding    float64
	SecondsIterations float64
	Threads           int
	Driver            string
	BlocksByWorker    string // JSON
	StepCalls         string // JSON
}

// RunID returns a name for a run that depends on its parameters and data only:
// 16 hexadecimal digits of a SHA-256.
func RunID(parameters, fingerprint string) string {
	sum := sha256.Sum256([]byte(parameters + "\x00" + fingerprint))
	return hex.EncodeToString(sum[:8])
}
