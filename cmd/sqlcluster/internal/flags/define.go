package flags

import (
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// GroupOf is the annotation of a flag that says in which group help shows it.
const GroupOf = "sqlcluster_group"

// The groups of flags, in the order of help.
const (
	GroupInput  = "Input"
	GroupModel  = "Model"
	GroupParams = "Parameters"
	GroupOutput = "Output"
	GroupExpert = "Expert"
	GroupOther  = "Other"
)

// Groups lists them.
var Groups = []string{GroupInput, GroupModel, GroupParams, GroupOutput, GroupExpert, GroupOther}

// In puts flags into a group.
func In(f *pflag.FlagSet, group string, names ...string) {
	for _, name := range names {
		if err := f.SetAnnotation(name, GroupOf, []string{group}); err != nil {
			panic(err) // a flag that does not exist
		}
	}
}

// defaults are those of the flags of a fit.
var defaults = settings.Defaults()

// AddGlobal adds the flags of all commands.
func (v *Values) AddGlobal(f *pflag.FlagSet) {
	f.StringVar(&v.DB, "db", "", "DuckDB database `file`; without it, a private temporary one")
	f.BoolVar(&v.AllowExtensions, "allow-extensions", false,
		"let DuckDB install and load extensions that a query needs, such as the one for files at a URL")
	f.StringVarP(&v.Output, "output", "o", "table", "`format` of results: "+strings.Join(render.Formats, ", "))
	f.BoolVarP(&v.Quiet, "quiet", "q", false, "write only results and errors")
	f.BoolVarP(&v.Verbose, "verbose", "v", false, "say more about what is done")
	f.StringVar(&v.Color, "color", "auto", "colors: auto, always, never")
	f.IntVar(&v.Threads, "threads", defaults.Threads, "`number` of threads; does not change results")
	f.DurationVar(&v.Timeout, "timeout", 0, "give up after this `time`, such as 90s or 10m")
	f.DurationVar(&v.StepTimeout, "step-timeout", 10*time.Minute, "`time` that a plugin may take for one step before it counts as hung")
	In(f, GroupInput, "db")
	In(f, GroupOutput, "output", "quiet", "verbose", "color")
	In(f, GroupExpert, "threads", "timeout", "step-timeout", "allow-extensions")
}

// Tables is the help of --into where a command writes the tables of a run.
const Tables = "write the results to tables NAME_... of --db: `NAME` or SCHEMA.NAME"

// AddFit adds the flags of a command that fits: what is read and how it is fitted,
// the parameters of algorithms, and --into, whose help is given.
func (v *Values) AddFit(f *pflag.FlagSet, into string) {
	v.AddReading(f)
	v.AddEngine(f)
	v.addFitting(f)
	f.Var(&columnList{list: &v.By}, "by", "`columns` whose values make groups of rows: each group has a model of its own")
	In(f, GroupModel, "by")
	v.AddWriting(f, into)
	v.addParams(f)
}

// AddEngine adds the flags that say where the rows stay.
func (v *Values) AddEngine(f *pflag.FlagSet) {
	f.StringVar(&v.Engine, "engine", "",
		"leave the rows where they are, and do the work over them in statements there: `duckdb` (of --db) or clickhouse://HOST:PORT/DATABASE")
	f.StringVar(&v.EngineCredentials, "engine-credentials", "",
		"`file` with lines user=NAME and password=WORD for --engine; else the variables SQLCLUSTER_ENGINE_USER and _PASSWORD")
	In(f, GroupInput, "engine", "engine-credentials")
}

// AddReading adds the flags that say which rows are read.
func (v *Values) AddReading(f *pflag.FlagSet) {
	f.StringVar(&v.ID, "id", "", "`column` that is the key of a row; without it, rows are numbered from 1")
	f.Var(&columnList{list: &v.Long}, "long",
		"`columns` KEY,FEATURE,VALUE of a relation of triples: a row for each cell that is not 0; in place of --id and columns of features")
	f.StringVar(&v.Repeated, "repeated", defaults.Repeated, "several values of a key and a feature in a relation of --long: error, sum")
	f.StringVar(&v.Nulls, "nulls", defaults.Nulls, "rows with NULLs: keep (the algorithm handles them), error, drop")
	f.StringVar(&v.Order, "order", defaults.Order, "order in which rows are fitted: key, input")
	f.StringVar((*string)(&v.Storage), "storage", string(defaults.Storage), "where the matrix lives: auto, memory, file")
	_ = f.MarkHidden("storage")
	In(f, GroupInput, "id", "long", "repeated", "nulls", "order")
}

// AddColumns adds the flags that say what is read and how it is scaled.
func (v *Values) AddColumns(f *pflag.FlagSet) {
	f.Var(&columnList{list: &v.Features}, "features",
		"`columns` to cluster by: names, \"names\" in double quotes or patterns, separated by commas (default: all numeric columns)")
	f.Var(&columnList{list: &v.Exclude}, "exclude", "`columns` to leave out, named as for --features")
	f.StringVar(&v.Weight, "weight", "", "`column` with the weights of rows")
	f.IntVar(&v.MinRows, "min-rows", 0, "leave out features of --long that fewer than `number` rows have")
	f.Float64Var(&v.MaxShare, "max-share", defaults.MaxShare, "leave out features of --long that more than this `share` of the rows have")
	f.Var(&columnList{list: &v.Categorical}, "categorical",
		"`columns` of categories, named as for --features; each category becomes a feature; auto: text with few different values")
	f.BoolVar(&v.IgnoreText, "ignore-text", false, "leave out text columns that --categorical does not name")
	f.StringVar(&v.NullCategory, "null-category", defaults.NullCategory,
		"NULL in a categorical column: error, level (a category of its own)")
	f.StringVar(&v.Pairs, "pairs", "",
		"`relation` with pairs of rows: a and b (keys), kind (must or cannot) and optionally weight (NULL: never broken)")
	f.StringVar(&v.Labels, "labels", "",
		"`relation` with known classes of rows: the key, class and optionally weight (the cost of leaving the cluster; NULL: certain)")
	f.StringVar(&v.LabelsAs, "labels-as", defaults.LabelsAs,
		"what classes of --labels are used as: held (rows stay in the cluster of their class), start, pairs (for algorithms that take pairs)")
	f.VarP(&clusterCount{v}, "k", "k", "`number` of clusters; auto, or several (2:10; 2,3,5), to let sqlcluster choose (required)")
	f.StringVar(&v.Norm, "norm", "",
		"what each row is divided by before columns are scaled: none, l2 (its length over the columns that it has; default: the algorithm's)")
	f.StringVar(&v.Scale, "scale", "",
		"how columns are scaled: sd, sd_n, robust, none (centered only), raw (default: the algorithm's)")
	f.StringVar(&v.Center, "center", defaults.Center,
		"what is subtracted from columns first: auto (median for robust, else what suits the algorithm's parameters, "+
			"else mean), mean, median, none")
	f.Uint64Var(&v.Seed, "seed", defaults.Seed, "`number` that all random choices depend on")
	In(f, GroupInput, "features", "exclude", "weight", "min-rows", "max-share", "categorical", "ignore-text", "null-category", "pairs",
		"labels", "labels-as")
	In(f, GroupModel, "k", "norm", "scale", "center", "seed")
}

// addFitting adds the flags that say how the rows are fitted.
func (v *Values) addFitting(f *pflag.FlagSet) {
	v.AddColumns(f)
	f.StringVar(&v.Groups, "groups", "", "`relation` with groups of features: (feature, feature_group) and optionally weight")
	f.StringVarP(&v.Algorithm, "algorithm", "a", defaults.Algorithm, "`name` of the algorithm, see: sqlcluster plugin list")
	f.IntVar(&v.Restarts, "restarts", defaults.Restarts, "`number` of starts; the best result is kept")
	f.IntVar(&v.MaxIter, "max-iter", defaults.MaxIter, "maximum `number` of iterations per start")
	f.Float64Var(&v.Tol, "tol", 0, "stop when the objective improves by less than this `part`; 0: when nothing moves")
	f.StringVar(&v.Init, "init", defaults.Init, "start method: "+strings.Join(seeding.Names(), ", "))
	f.StringVar(&v.InitSpace, "init-space", defaults.InitSpace,
		"units in which starts are chosen: fitted (scaled), raw (those of the columns), both (in turn)")
	f.StringVar(&v.Empty, "empty", "", "clusters without rows: reseed, origin, fail (default: the algorithm's)")
	f.Float64Var(&v.Trim, "trim", 0, "`share` of the rows, by weight, to leave out as outliers: those farthest from all centers")
	f.IntVar(&v.Batch, "batch", 0,
		"for large tables: make the start from batches of the rows, the first of so many `rows`; the result is approximate")
	f.StringVar(&v.Start, "start", "", "`relation` with the start: (key, cluster), (cluster, feature, center) or k keys")
	f.StringVar(&v.Constraints, "constraints", "",
		"`relation` with limits on the centers, or on the sizes and contents of the clusters, one per row: "+
			"(kind, name, cluster, feature, coef, lo, hi, value)")
	f.StringArrayVar(&v.Listed, "param", nil, "`name=value` of a parameter of the algorithm")
	f.StringVar(&v.Driver, "driver", defaults.Driver, "process that runs the iterations: plugin, host")
	_ = f.MarkHidden("driver")
	In(f, GroupInput, "groups", "start", "constraints")
	In(f, GroupModel, "algorithm", "restarts", "init", "trim", "batch")
	In(f, GroupExpert, "max-iter", "tol", "init-space", "empty", "param")
}

// AddWriting adds the flags that say where results are written; what is the help of
// --into.
func (v *Values) AddWriting(f *pflag.FlagSet, what string) {
	f.StringVar(&v.Into, "into", "", what)
	f.BoolVar(&v.Replace, "replace", false, "replace tables of that name")
	In(f, GroupOutput, "into", "replace")
}

// AddModel adds the flag that chooses a model of a run with groups.
func (v *Values) AddModel(f *pflag.FlagSet) {
	f.StringVar(&v.Model, "model", "", "the group of a run with --by whose model is meant, by its `values`: north, or north,2025")
	In(f, GroupInput, "model")
}

// AddDistances adds the flag that asks for distances.
func (v *Values) AddDistances(f *pflag.FlagSet) {
	f.IntVar(&v.Distances, "distances", 0, "also write how far each row is from its `number` nearest centers, to the table ..._distances "+
		"of --into")
	In(f, GroupOutput, "distances")
}

// AddCenterRows adds the flag that says how much of the centers is written.
func (v *Values) AddCenterRows(f *pflag.FlagSet) {
	f.StringVar(&v.CenterRows, "center-rows", defaults.CenterRows,
		"what NAME_centers has a row for: all (each feature in each cluster), nonzero (centers that are not 0, of selected features), "+
			"auto (nonzero where all are more than 100000)")
	In(f, GroupOutput, "center-rows")
}

// AddRunning adds the flags of fit alone.
func (v *Values) AddRunning(f *pflag.FlagSet) {
	v.AddDistances(f)
	v.AddCenterRows(f)
	f.BoolVar(&v.Resume, "resume", false, "go on with NAME of --into, which was interrupted: a fit with --engine, or the choice of k")
	f.BoolVar(&v.Strict, "strict", false, "exit with code 5 when the fit did not converge")
	f.StringVar(&v.CPUProfile, "cpuprofile", "",
		"write a CPU profile of the command to `FILE`, and one of the algorithm's process to FILE.plugin")
	f.StringVar(&v.Trace, "trace", "",
		"write an execution trace of the command to `FILE`, and one of the algorithm's process to FILE.plugin")
	f.StringVar(&v.Attach, "attach", "",
		"run the algorithm in the process of its plugin that listens at the Unix socket `FILE`, such as one under a debugger")
	_ = f.MarkHidden("attach")
	In(f, GroupOutput, "strict", "resume")
	In(f, GroupExpert, "cpuprofile", "trace")
}

// A columnList is the value of a flag that takes columns: names, names in double
// quotes and patterns, with commas between them. A flag that is given twice takes
// the columns of both.
type columnList struct {
	list  *[]string
	given bool
}

func (l *columnList) Set(text string) error {
	items := input.SplitColumns(text)
	if !l.given {
		*l.list, l.given = nil, true
	}
	*l.list = append(*l.list, items...)
	return nil
}

func (l *columnList) Append(item string) error {
	*l.list = append(*l.list, item)
	return nil
}

func (l *columnList) Replace(items []string) error {
	*l.list = items
	return nil
}

func (l *columnList) GetSlice() []string { return *l.list }
func (l *columnList) Type() string       { return "columns" }
func (l *columnList) String() string     { return strings.Join(*l.list, ",") }
