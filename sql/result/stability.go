package result

import "github.com/sqlcluster/sqlcluster/sql/input"

// Stability are the rows of the tables of a stability, see package schema. NaN is
// NULL.
type Stability struct {
	KeyName  string
	Keys     input.Keys
	Clusters []StabilityCluster
	Features []StabilityFeature
	Draws    []StabilityDraw
	Jaccards []StabilityJaccard
	Fit      Fit // without model
	Run      Run
}

// StabilityCluster is a row of the clusters of a stability.
type StabilityCluster struct {
	Cluster, Size                        int
	Jaccard, Error, Dissolved, Recovered float64
}

// StabilityFeature is a row of the features of a stability.
type StabilityFeature struct {
	Feature   string
	Category  *string
	Selected  bool
	Frequency float64
}

// StabilityDraw is a row of the draws of a stability.
type StabilityDraw struct {
	Draw, Rows           int
	Status               string
	Converged            bool
	Iterations, Selected int // −1: NULL
	ARI                  float64
}

// StabilityJaccard is a row for a draw and a cluster.
type StabilityJaccard struct {
	Draw, Cluster int
	Jaccard       float64
}
