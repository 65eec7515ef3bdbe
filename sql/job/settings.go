package job

import (
	"encoding/json"
	"maps"
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

	Groups      string // of features
	Pairs       string // of rows
	Start       string // labels, centers, or rows to start from
	Constraints string // on the centers

	Algorithm     string
	Params        map[string]Given // of the algorithm, as text; those that are not there have their defaults
	K             int              // number of clusters
	Ks            string           // several of them, for a tuning: see ParseKs; "": K
	Scale, Center string           // as for matrix.ParseScale; Scale "": the algorithm's
	Seed          uint64
	Restarts      int
	MaxIter       int // of each start
	Tol           float64
	Init          string  // of seeding.Names
	InitSpace     string  // fit.Fitted, fit.Raw, fit.Both
	Empty         string  // a framework.EmptyPolicy; "": the algorithm's
	Trim          float64 // share of the row weight that is left out as outliers

	Distances int // nearest centers of each row whose distances are measured, too

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

// byDefault is the origin of a value that nobody has given.
const byDefault = "default"

// Places that can run a fit.
const (
	onPlugin = "plugin"
	onHost   = "host"
)

// Defaults returns the settings of a fit that says nothing but its relation and K.
func Defaults() Settings {
	return Settings{
		Nulls: "keep", Order: "key", Storage: matrix.Auto, NullCategory: "error",
		Algorithm: plainAlgorithm, Center: "auto", Seed: 1, Restarts: 10, MaxIter: 300, Init: "kmeans++", InitSpace: fit.Both,
		Threads: runtime.NumCPU(), Driver: onPlugin,
	}
}

// Choices are the values of settings that take one of a few.
var Choices = map[string][]string{
	"nulls":         {"keep", "error", "drop"},
	"order":         {"key", "input"},
	"storage":       {string(matrix.Auto), "memory", "file"},
	"null_category": {"error", "level"},
	"unseen":        model.Unseen,
	"driver":        {onPlugin, onHost},
	"scale":         {"sd", "sd_n", "robust", "none", "raw"},
	"center":        {"auto", "mean", "median", "none"},
	"init":          seeding.Names(),
	"init_space":    {fit.Fitted, fit.Raw, fit.Both},
	"empty":         {string(framework.Reseed), string(framework.Origin), string(framework.Fail)},
}

// wrong is the fault of a setting.
func wrong(setting, format string, args ...any) *framework.Fault {
	return framework.Faultf(framework.Usage, "bad-flag", format, args...).At(setting)
}

// CheckReading refuses what no relation is read with.
func (s *Settings) CheckReading() error {
	for _, c := range []struct{ name, value string }{
		{"nulls", s.Nulls}, {"order", s.Order}, {"storage", string(s.Storage)}, {"null_category", s.NullCategory}, {"driver", s.Driver},
	} {
		if err := input.OneOf(c.name, c.value, Choices[c.name]); err != nil {
			return err
		}
	}
	if s.Threads < 1 {
		return wrong("threads", "threads is %d; it must be at least 1", s.Threads)
	}
	return model.CheckDistances(s.Distances)
}

// complete fills in what the algorithm prefers.
func (s *Settings) complete(d framework.Description, params framework.Params) {
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

// fitting returns the settings of the driver.
func (s *Settings) fitting() fit.Settings {
	return fit.Settings{Init: s.Init, InitSpace: s.InitSpace, Restarts: s.Restarts, MaxIter: s.MaxIter, Tol: s.Tol,
		Empty: framework.EmptyPolicy(s.Empty), Trim: s.Trim, Threads: s.Threads}
}

// origin returns where the value of a setting came from.
func (s *Settings) origin(name string) string {
	if from, ok := s.Origins[strings.ReplaceAll(name, "-", "_")]; ok {
		return from
	}
	return byDefault
}

// recorded is what the fit table records: the parameters of the algorithm and every
// setting that can change a result, a parameter of the name of such a setting with
// "param." before it. Where a value stands (a file's path, say) matters less than
// what kind of place that is.
func (b *Job) recorded() (string, error) {
	s := &b.Settings
	values := map[string]any{"k": s.K, "scale": s.Scale, "center": s.Center, "seed": s.Seed, "restarts": s.Restarts, "max-iter": s.MaxIter,
		"tol": s.Tol, "init": s.Init, "init-space": s.InitSpace, "empty": s.Empty, "start": s.Start, "id": s.ID, "features": s.Features,
		"exclude": s.Exclude, "categorical": s.Categorical, "null-category": s.NullCategory, "groups": s.Groups, "pairs": s.Pairs,
		"weight": s.Weight, "nulls": s.Nulls, "order": s.Order, "algorithm": s.Algorithm}
	if s.Constraints != "" {
		values["constraints"] = s.Constraints
	}
	if s.IgnoreText {
		values["ignore-text"] = true
	}
	if s.Ks != "" {
		values["k"] = s.Ks
	}
	if s.Trim != 0 {
		values["trim"] = s.Trim
	}
	maps.Copy(values, b.also)
	all := map[string]Given{}
	for name, v := range values {
		all[name] = Given{v, s.origin(name)}
	}
	for name, g := range b.params {
		if _, taken := all[name]; taken {
			name = "param." + name
		}
		all[name] = g
	}
	text, err := json.Marshal(all)
	return string(text), err
}
