package cli

import (
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/process"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
	"github.com/sqlcluster/sqlcluster/sql/job"
)

// settings are the values of all flags.
type settings struct {
	job.Settings

	// of every command
	db              string
	output, color   string
	quiet, verbose  bool
	timeout         time.Duration
	stepTimeout     time.Duration
	allowExtensions bool // of DuckDB

	unseen  string // of predict alone
	params  []string
	into    string
	replace bool

	// of fit alone
	strict            bool
	cpuprofile, trace string
}

func (s *settings) addGlobal(f *pflag.FlagSet) {
	f.StringVar(&s.db, "db", "", "DuckDB database `file`; without it, a private temporary one")
	f.BoolVar(&s.allowExtensions, "allow-extensions", false,
		"let DuckDB install and load extensions that a query needs, such as the one for files at a URL")
	f.StringVarP(&s.output, "output", "o", "table", "`format` of results: "+strings.Join(render.Formats, ", "))
	f.BoolVarP(&s.quiet, "quiet", "q", false, "write only results and errors")
	f.BoolVarP(&s.verbose, "verbose", "v", false, "say more about what is done")
	f.StringVar(&s.color, "color", "auto", "colors: auto, always, never")
	f.IntVar(&s.Threads, "threads", defaults.Threads, "`number` of threads; does not change results")
	f.DurationVar(&s.timeout, "timeout", 0, "give up after this `time`, such as 90s or 10m")
	f.DurationVar(&s.stepTimeout, "step-timeout", 10*time.Minute, "`time` that a plugin may take for one step before it counts as hung")
	in(f, groupInput, "db")
	in(f, groupOutput, "output", "quiet", "verbose", "color")
	in(f, groupExpert, "threads", "timeout", "step-timeout", "allow-extensions")
}

// of returns the settings of a job on a relation.
func (a *app) of(relation string) job.Settings {
	s := a.settings.Settings
	s.Relation, s.Origins = relation, map[string]string{}
	for flag, from := range a.origins {
		s.Origins[configName(flag)] = from
	}
	return s
}

// withParams returns the settings of a job on a relation, with the parameters of
// the algorithm. vary is the parameter that a path or a tuning varies; "": none.
func (a *app) withParams(flags *pflag.FlagSet, relation, vary string) (s job.Settings, err error) {
	s = a.of(relation)
	s.Params, err = a.paramsOf(flags, vary)
	return s, err
}

// process says how plugins are run.
func (s *settings) process() host.Options {
	return host.Options{StepTimeout: s.stepTimeout, CallTimeout: Silence, Profile: process.Profiles(s.profiles())}
}

// Silence is host.Options.CallTimeout; tests have less.
var Silence time.Duration

// profiles are those that are made of this process.
func (s *settings) profiles() host.Profile { return host.Profile{CPU: s.cpuprofile, Trace: s.trace} }

func (s *settings) addReading(f *pflag.FlagSet) {
	f.StringVar(&s.ID, "id", "", "`column` that is the key of a row; without it, rows are numbered from 1")
	f.StringVar(&s.Nulls, "nulls", defaults.Nulls, "rows with NULLs: keep (the algorithm handles them), error, drop")
	f.StringVar(&s.Order, "order", defaults.Order, "order in which rows are fitted: key, input")
	f.StringVar((*string)(&s.Storage), "storage", string(defaults.Storage), "where the matrix lives: auto, memory, file")
	_ = f.MarkHidden("storage")
	in(f, groupInput, "id", "nulls", "order")
}

// addColumns adds the flags that say what is read and how it is scaled.
func (s *settings) addColumns(f *pflag.FlagSet) {
	f.Var(&columnList{list: &s.Features}, "features",
		"`columns` to cluster by: names, \"names\" in double quotes or patterns, separated by commas (default: all numeric columns)")
	f.Var(&columnList{list: &s.Exclude}, "exclude", "`columns` to leave out, named as for --features")
	f.StringVar(&s.Weight, "weight", "", "`column` with the weights of rows")
	f.Var(&columnList{list: &s.Categorical}, "categorical",
		"`columns` of categories, named as for --features; each category becomes a feature; auto: text with few different values")
	f.BoolVar(&s.IgnoreText, "ignore-text", false, "leave out text columns that --categorical does not name")
	f.StringVar(&s.NullCategory, "null-category", defaults.NullCategory, "NULL in a categorical column: error, level (a category of its own)")
	f.StringVar(&s.Pairs, "pairs", "", "`relation` with pairs of rows: a and b (keys), kind (must or cannot) and optionally weight (NULL: never broken)")
	f.IntVarP(&s.K, "k", "k", 0, "`number` of clusters (required)")
	f.StringVar(&s.Scale, "scale", "", "how columns are scaled: sd, sd_n, robust, none (centered only), raw (default: the algorithm's)")
	f.StringVar(&s.Center, "center", defaults.Center, "what is subtracted from columns first: auto (median for robust, else what suits the algorithm's parameters, else mean), mean, median, none")
	f.Uint64Var(&s.Seed, "seed", defaults.Seed, "`number` that all random choices depend on")
	in(f, groupInput, "features", "exclude", "weight", "categorical", "ignore-text", "null-category", "pairs")
	in(f, groupModel, "k", "scale", "center", "seed")
}

func (s *settings) addFitting(f *pflag.FlagSet) {
	s.addColumns(f)
	f.StringVar(&s.Groups, "groups", "", "`relation` with groups of features: (feature, feature_group) and optionally weight")
	f.StringVarP(&s.Algorithm, "algorithm", "a", defaults.Algorithm, "`name` of the algorithm, see: sqlcluster plugin list")
	f.IntVar(&s.Restarts, "restarts", defaults.Restarts, "`number` of starts; the best result is kept")
	f.IntVar(&s.MaxIter, "max-iter", defaults.MaxIter, "maximum `number` of iterations per start")
	f.Float64Var(&s.Tol, "tol", 0, "stop when the objective improves by less than this `part`; 0: when nothing moves")
	f.StringVar(&s.Init, "init", defaults.Init, "start method: "+strings.Join(seeding.Names(), ", "))
	f.StringVar(&s.InitSpace, "init-space", defaults.InitSpace, "units in which starts are chosen: fitted (scaled), raw (those of the columns), both (in turn)")
	f.StringVar(&s.Empty, "empty", "", "clusters without rows: reseed, origin, fail (default: the algorithm's)")
	f.StringVar(&s.Start, "start", "", "`relation` with the start: (key, cluster), (cluster, feature, center) or k keys")
	f.StringVar(&s.Constraints, "constraints", "", "`relation` with limits on the centers, one per row: (kind, name, cluster, feature, coef, lo, hi, value)")
	f.StringArrayVar(&s.params, "param", nil, "`name=value` of a parameter of the algorithm")
	f.StringVar(&s.Driver, "driver", defaults.Driver, "process that runs the iterations: plugin, host")
	_ = f.MarkHidden("driver")
	in(f, groupInput, "groups", "start", "constraints")
	in(f, groupModel, "algorithm", "restarts", "init")
	in(f, groupExpert, "max-iter", "tol", "init-space", "empty", "param")
}

func (s *settings) addWriting(f *pflag.FlagSet, what string) {
	f.StringVar(&s.into, "into", "", what)
	f.BoolVar(&s.replace, "replace", false, "replace tables of that name")
	in(f, groupOutput, "into", "replace")
}

func (s *settings) addRunning(f *pflag.FlagSet) {
	f.BoolVar(&s.strict, "strict", false, "exit with code 5 when the fit did not converge")
	f.StringVar(&s.cpuprofile, "cpuprofile", "", "write a CPU profile of the command to `FILE`, and one of the algorithm's process to FILE.plugin")
	f.StringVar(&s.trace, "trace", "", "write an execution trace of the command to `FILE`, and one of the algorithm's process to FILE.plugin")
	in(f, groupOutput, "strict")
	in(f, groupExpert, "cpuprofile", "trace")
}

// defaults are those of the flags of a fit.
var defaults = job.Defaults()

// choices returns the values of a flag that takes one of a few; nil for others.
func choices(flag string) []string {
	switch flag {
	case "output":
		return render.Formats
	case "color":
		return []string{"auto", "always", "never"}
	}
	return job.Choices[configName(flag)]
}

// check refuses values that no command takes.
func (s *settings) check() error {
	for _, c := range []struct{ flag, value string }{{"output", s.output}, {"color", s.color}, {"unseen", s.unseen}} {
		if err := job.OneOf(c.flag, c.value, choices(c.flag)); err != nil {
			return err
		}
	}
	if err := s.CheckReading(); err != nil {
		return err
	}
	if s.timeout < 0 {
		return framework.Faultf(framework.Usage, "bad-flag", "--timeout is %v; it must not be negative", s.timeout).At("timeout").
			WithHint("0 means no limit")
	}
	if s.stepTimeout <= 0 {
		return framework.Faultf(framework.Usage, "bad-flag", "--step-timeout is %v; it must be positive", s.stepTimeout).At("step_timeout").
			WithHint("for steps that take very long: --step-timeout 1000h")
	}
	inMemory := strings.HasPrefix(s.db, ":memory:")
	if inMemory && s.into == "" {
		s.db = ""
	}
	if s.into == "" {
		return nil
	}
	if err := checkInto(s.into); err != nil {
		return err
	}
	if inMemory {
		return framework.Faultf(framework.Usage, "no-database", "%s is a database in memory: nothing in it would be kept", s.db).
			At("db").WithHint("write to a file: --db FILE (created if it does not exist)")
	}
	if s.db == "" {
		return framework.Faultf(framework.Usage, "no-database", "--into needs a database to write to").
			At("into").WithHint("name it: --db FILE (created if it does not exist)")
	}
	return nil
}
