// Package settings holds what a user says of a clustering: the settings of fits, the
// numbers of clusters and the grids that are tried, and how points are judged. It reads
// them from text, checks what no data are needed for, and writes them to the record of
// a run, from which Recorded reads them again.
package settings

import (
	"cmp"
	"runtime"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/model"
)

// Settings say what is clustered, and how. Begin with Defaults: of the zero value
// only empty texts and lists mean something, namely none, or what the algorithm
// prefers. Faults and records call a field by its name in lower case: max_iter.
type Settings struct {
	// Relation is a query, a table or view, or a file. So are Pairs, Groups, Start
	// and Constraints, all of which may be empty.
	Relation string

	ID           string         // column that is the key of a row; "": rows are numbered from 1
	Features     []string       // columns to cluster by, names and patterns; none: all numeric ones
	Exclude      []string       // columns to leave out
	Weight       string         // column with the weights of rows
	Categorical  []string       // columns of categories; input.AutoCategories: text with few values
	IgnoreText   bool           // leave out columns of text that are not named as categories
	NullCategory string         // NULL in a column of categories: error, level
	Nulls        string         // rows with NULLs: keep, error, drop
	Order        string         // in which rows are fitted: key, input
	Storage      matrix.Storage // where the matrix lives
	Most         int64          // bytes of it, where there is to be no file; 0: what is available

	Long     []string // columns of a relation of triples: key, feature, value; none: it has columns of features
	Repeated string   // several triples of a key and a feature: error, sum
	MinRows  int      // leave out features that fewer rows have; of Long
	MaxShare float64  // and those that a larger share of the rows have; 0: none

	Passing bool // relations beside the table are there only while a statement runs, see NotKept

	By []string // columns: a run for each group of rows that have the same values there; none: one run

	Groups      string // of features
	Pairs       string // of rows
	Labels      string // known classes of rows
	LabelsAs    string // what they are used as: LabelsHeld, LabelsStart, LabelsPairs
	Start       string // labels, centers, or rows to start from
	Constraints string // on the centers

	Algorithm     string
	Params        map[string]Given // of the algorithm, as text; those that are not there have their defaults
	K             int              // number of clusters
	Ks            string           // several of them, for a tuning: see ParseKs; "": K
	Scale, Center string           // as for matrix.ParseScale; Scale "": the algorithm's
	Norm          string           // as for matrix.Scaling.WithNorm; "": the algorithm's
	Seed          uint64
	Restarts      int
	MaxIter       int // of each start
	Tol           float64
	Init          string  // of seeding.Names
	InitSpace     string  // fit.Fitted, fit.Raw, fit.Both
	Empty         string  // a framework.EmptyPolicy; "": the algorithm's
	Trim          float64 // share of the row weight that is left out as outliers
	Batch         int     // rows of the first batch that a start is made from, see tune.Begin; 0: starts are made from all

	Distances  int    // nearest centers of each row whose distances are measured, too
	CenterRows string // which entries of the centers have a row in the results: AutoCenters, AllCenters, NonzeroCenters

	Threads int    // changes no result
	Driver  string // who runs the iterations: plugin, host

	// Origins says where values came from, by the name of the setting: flag, say, or
	// the name of a file. Values without an origin are defaults.
	Origins map[string]string
}

// A Given is a value with the place that it came from.
type Given struct {
	Value  any    `json:"value"`
	Origin string `json:"origin"`
}

// ByDefault is the origin of a value that nobody has given.
const ByDefault = "default"

// Places that can run a fit.
const (
	OnPlugin = "plugin"
	OnHost   = "host"
)

// What known classes of rows are used as.
const (
	LabelsHeld  = "held"  // rows stay in the cluster of their class, or leaving it costs their weight
	LabelsStart = "start" // the classes make the start only
	LabelsPairs = "pairs" // pairs are made of them
)

// Entries of the centers that have a row in NAME_centers. Those of NonzeroCenters are
// not 0 in original units, and of features that are selected for a cluster.
const (
	AutoCenters    = "auto" // NonzeroCenters where there are more than ManyCenters, else AllCenters
	AllCenters     = "all"
	NonzeroCenters = "nonzero"
)

// ManyCenters is how many entries centers may have, and still have a row each.
const ManyCenters = 100_000

// OnlyNonzero reports whether only entries that are not 0 have a row, of so many. Such
// rows may be a start, too.
func (s *Settings) OnlyNonzero(entries int) bool {
	return s.CenterRows == NonzeroCenters || s.CenterRows != AllCenters && entries > ManyCenters
}

// PlainAlgorithm clusters by all features.
const PlainAlgorithm = "kmeans"

// MostValues is how many values a grid may have, each of which is many fits.
const MostValues = 1000

// Defaults returns the settings of a fit that says nothing but its relation and K.
func Defaults() Settings {
	return Settings{
		Nulls: "keep", Order: "key", Storage: matrix.Auto, NullCategory: "error", Repeated: input.RepeatedError, MaxShare: 1,
		Algorithm: PlainAlgorithm, Center: "auto", Seed: 1, Restarts: 10, MaxIter: 300, Init: "kmeans++", InitSpace: fit.Both,
		CenterRows: AutoCenters, LabelsAs: LabelsHeld, Threads: runtime.NumCPU(), Driver: OnPlugin,
	}
}

// Choices are the values of settings that take one of a few.
var Choices = map[string][]string{
	"nulls":         {"keep", "error", "drop"},
	"order":         {"key", "input"},
	"storage":       {string(matrix.Auto), "memory", "file", string(matrix.NoFile)},
	"null_category": {"error", "level"},
	"repeated":      {input.RepeatedError, input.RepeatedSum},
	"unseen":        model.Unseen,
	"driver":        {OnPlugin, OnHost},
	"norm":          matrix.Norms,
	"scale":         {"sd", "sd_n", "robust", "none", "raw"},
	"center":        {"auto", "mean", "median", "none"},
	"init":          seeding.Names(),
	"init_space":    {fit.Fitted, fit.Raw, fit.Both},
	"labels_as":     {LabelsHeld, LabelsStart, LabelsPairs},
	"center_rows":   {AutoCenters, AllCenters, NonzeroCenters},
	"empty":         {string(framework.Reseed), string(framework.Origin), string(framework.Fail)},
}

// Wrong is the fault of a setting.
func Wrong(setting, format string, args ...any) *framework.Fault {
	return framework.Faultf(framework.Usage, "bad-flag", format, args...).At(setting)
}

// CheckReading refuses what no relation is read with.
func (s *Settings) CheckReading() error {
	for _, c := range []struct{ name, value string }{
		{"nulls", s.Nulls}, {"order", s.Order}, {"storage", string(s.Storage)}, {"null_category", s.NullCategory}, {"driver", s.Driver},
		{"repeated", s.Repeated},
		{"center_rows", s.CenterRows}, {"labels_as", s.LabelsAs},
	} {
		if err := input.OneOf(c.name, c.value, Choices[c.name]); err != nil {
			return err
		}
	}
	if err := s.checkLong(); err != nil {
		return err
	}
	if s.Threads < 1 {
		return Wrong("threads", "threads is %d; it must be at least 1", s.Threads)
	}
	return model.CheckDistances(s.Distances)
}

// Spec says how a relation is read, whatever is done with it.
func (s *Settings) Spec() input.Spec {
	return input.Spec{Relation: s.Relation, ID: s.ID, Features: s.Features, Exclude: s.Exclude, Weight: s.Weight,
		Nulls: s.Nulls, Order: s.Order, Storage: s.Storage, Most: s.Most, Long: s.long()}
}

// Scaling says how rows become those that are fitted, once the settings are complete.
func (s *Settings) Scaling() (matrix.Scaling, error) {
	scaling, err := matrix.ParseScale(s.Scale, s.Center)
	if err != nil {
		return scaling, err
	}
	return scaling.WithNorm(s.Norm)
}

// CheckNorm refuses another norm or scaling than that of an algorithm which is one for
// rows of length 1.
func (s *Settings) CheckNorm(d framework.Description) error {
	if d.Norm == "" {
		return nil
	}
	for _, c := range []struct{ name, value, is string }{
		{"norm", s.Norm, d.Norm}, {"scale", s.Scale, d.Scale}, {"center", s.Center, "none"},
	} {
		if c.value != "" && c.value != c.is && c.value != "auto" {
			return framework.Faultf(framework.Usage, "fixed-scaling", "algorithm %s is for rows of length 1, as %s makes them, and not for %s",
				d.Name, framework.SettingTo("norm", d.Norm), framework.SettingTo(c.name, c.value)).At(c.name).
				WithHint("leave out %s, or use %s", framework.Setting(c.name), framework.SettingTo("algorithm", PlainAlgorithm))
		}
	}
	return nil
}

// Complete fills in what the algorithm prefers.
func (s *Settings) Complete(d framework.Description, params framework.Params) {
	if s.Norm == "" {
		s.Norm = cmp.Or(d.Norm, "none")
	}
	if s.Scale == "" {
		s.Scale = d.Scale
	}
	if s.Empty == "" {
		s.Empty = string(d.Empty)
	}
	if s.Center == "auto" && s.Scale != "raw" && s.Scale != "robust" { // which have locations of their own
		if center := d.CenterFor(params); center != "" {
			s.Center = center
		}
	}
}

// Fitting returns the settings of the driver.
func (s *Settings) Fitting() fit.Settings {
	return fit.Settings{Init: s.Init, InitSpace: s.InitSpace, Restarts: s.Restarts, MaxIter: s.MaxIter, Tol: s.Tol,
		Empty: framework.EmptyPolicy(s.Empty), Trim: s.Trim, Threads: s.Threads}
}

// Origin returns where the value of a setting came from.
func (s *Settings) Origin(name string) string {
	if from, ok := s.Origins[strings.ReplaceAll(name, "-", "_")]; ok {
		return from
	}
	return ByDefault
}
