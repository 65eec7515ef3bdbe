package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"time"
	"unsafe"
)

// Results are the rows of all result tables of a run, see package schema. A
// number that is not finite and a cluster below 0 are written as NULL.
type Results struct {
	Assignments Assignments
	Centers     []Center
	Features    []Feature
	Clusters    []Cluster
	Trace       []Iteration
	Violations  []Violation // nil: there are no pairs, and no such table
	Fit         Fit
	Run         Run
}

// Assignments are the clusters of rows. Slices have one entry a key; all but
// Labels may be nil.
type Assignments struct {
	KeyName  string
	Keys     *Keys
	Labels   []int32
	Distance []float64
	Second   []int32
	Margin   []float64

	Dropped *Keys  // rows without a cluster; may be nil
	Status  string // why they have none; "": NullCell

	Unlabelled string // why rows with a label below 0 have none; "": NoCluster

	By string // the run that has labelled the rows, of a table of predictions
}

// Len returns the number of rows, with those that were left out.
func (a Assignments) Len() int {
	n := a.Keys.Len()
	if a.Dropped != nil {
		n += a.Dropped.Len()
	}
	return n
}

// Unlabelling says why rows with a label below 0 have no cluster.
func (a Assignments) Unlabelling() string { return cmp.Or(a.Unlabelled, NoCluster) }

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

// Fingerprint returns a hash of the names, keys, weights and cells of the
// table. It must be taken before the cells are scaled. It tells data apart, but
// is no proof against forgery.
func (t *Table) Fingerprint() string {
	h := sha256.New()
	h.Write([]byte(strings.Join(t.Features, "\x00") + "\x00\x00" + t.KeyName + "\x00" + t.KeyType))
	sum := func(words []float64) {
		var part [16]byte
		binary.LittleEndian.PutUint64(part[:], uint64(len(words)))
		binary.LittleEndian.PutUint64(part[8:], uint64(checksum(words)))
		h.Write(part[:])
	}
	for _, s := range t.Sources {
		if s.Categorical {
			fmt.Fprintf(h, "%q %t %q", s.Name, s.NullLevel, s.Levels)
		}
	}
	v := t.Builder.Values()
	const rows = 4096 // a checksum for each piece
	for from := 0; from < v.Rows; from += rows {
		sum(v.Slice(from, min(from+rows, v.Rows)).Data)
	}
	sum(t.Weights)
	keys := uint32(0)
	for i := range t.Keys.Len() {
		var part [16]byte
		if t.Keys.kind.isText() {
			binary.LittleEndian.PutUint64(part[:], uint64(len(t.Keys.bytes(i))))
			keys = crc32.Update(crc32.Update(keys, castagnoli, part[:8]), castagnoli, t.Keys.bytes(i))
			continue
		}
		hi, lo := t.Keys.words(i)
		binary.LittleEndian.PutUint64(part[:], hi)
		binary.LittleEndian.PutUint64(part[8:], lo)
		keys = crc32.Update(keys, castagnoli, part[:])
	}
	h.Write(binary.LittleEndian.AppendUint32(nil, keys))
	return hex.EncodeToString(h.Sum(nil))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli) // in hardware on most machines

// checksum returns a checksum of the bits of numbers.
func checksum(words []float64) uint32 {
	if len(words) == 0 {
		return 0
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*8)
	return crc32.Checksum(bytes, castagnoli)
}

// finite reports whether x is a number to be written.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
