// Package flags turns what a user wrote into settings of jobs: flags, environment
// variables and configuration files, each value with the place that it came from.
package flags

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/process"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// Values are the values of all flags. Origins has the place that each came from.
type Values struct {
	settings.Settings

	// of every command
	DB              string
	Output, Color   string
	Quiet, Verbose  bool
	Timeout         time.Duration
	StepTimeout     time.Duration
	AllowExtensions bool // of DuckDB

	Engine            string // where the rows stay; "": they are read
	EngineCredentials string // file; "": those of the environment

	Model   string   // of a run with groups, for commands about one model
	Unseen  string   // of predict alone
	Flag    string   // of predict alone
	Enforce bool     // of predict alone
	Listed  []string // parameters of --param
	Into    string
	Replace bool

	// of fit alone
	Strict, Resume    bool
	CPUProfile, Trace string
	Attach            string // socket of a plugin that a person has started; "": none

	Registry *registry.Registry
}

// New returns values that are not set yet, of parameters that are in a registry.
func New(r *registry.Registry) *Values {
	return &Values{Registry: r, Settings: settings.Settings{Origins: map[string]string{}}}
}

// Library is what the jobs of the command cluster with.
func (v *Values) Library() library.Library { return v.Registry.Library(v.Plugins()) }

// Plugins says how plugins are run.
func (v *Values) Plugins() host.Options {
	return host.Options{StepTimeout: v.StepTimeout, Profile: process.Profiles(v.Profiles())}
}

// Profiles are those that are made of this process.
func (v *Values) Profiles() host.Profile { return host.Profile{CPU: v.CPUProfile, Trace: v.Trace} }

// Job returns the settings of a job on a relation, without parameters.
func (v *Values) Job(relation string) settings.Settings {
	s := v.Settings
	s.Relation = relation
	return s
}

// FitJob returns the settings of a job on a relation, with the parameters of the
// algorithm. vary is the parameter that a path or a tuning varies; "": none.
func (v *Values) FitJob(flags *pflag.FlagSet, relation, vary string) (s settings.Settings, err error) {
	s = v.Job(relation)
	s.Params, err = v.params(flags, vary)
	return s, err
}

// FitJobs returns the settings of fits by each of the algorithms, which stand in
// --algorithm with commas between them. A parameter is given to those that have it.
func (v *Values) FitJobs(flags *pflag.FlagSet, relation string) ([]settings.Settings, error) {
	names := strings.Split(v.Algorithm, ",")
	all := make([]settings.Settings, len(names))
	has := func(name, param string) bool { return slices.Contains(v.Library().Having(param), name) }
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		if slices.Contains(names[:i], names[i]) {
			return nil, framework.Faultf(framework.Usage, "bad-flag", "the algorithm %s is named twice", names[i]).At("algorithm")
		}
	}
	for i, name := range names {
		v.Algorithm = name
		s, err := v.FitJob(flags, relation, "")
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(s.Params, func(param string, _ settings.Given) bool {
			return !has(name, param) && slices.ContainsFunc(names, func(other string) bool { return has(other, param) })
		})
		all[i] = s
	}
	return all, nil
}

// IsDefault reports whether nobody has given a value to a setting.
func (v *Values) IsDefault(setting string) bool { return v.Origins[setting] == byDefault }

// IsGiven reports whether a setting is on the command line.
func (v *Values) IsGiven(setting string) bool { return v.Origins[setting] == byFlag }

// SetDB names the database by an argument of the command line.
func (v *Values) SetDB(path string) {
	v.DB, v.Origins["db"] = path, byFlag
	if strings.HasPrefix(path, inMemory) {
		v.DB = ""
	}
}

// inMemory begins DuckDB's names of databases in memory.
const inMemory = ":memory:"

// Places that a value may come from, beside variables and files.
const (
	byDefault = "default"
	byFlag    = "flag"
)

// Choices returns the values of a flag that takes one of a few; nil for others.
func Choices(flag string) []string {
	if of, ok := map[string][]string{"output": render.Formats, "color": {"auto", "always", "never"}}[flag]; ok {
		return of
	}
	return settings.Choices[Setting(flag)]
}

// Check refuses values that no command takes.
func (v *Values) Check() error {
	if v.Replace && v.Into == "" && v.Origins["replace"] == byFlag {
		return framework.Faultf(framework.Usage, "bad-flag", "there is nothing to replace without --into").
			At("replace").WithHint("add --into NAME, or leave out --replace")
	}
	for _, c := range []struct{ flag, value string }{{"output", v.Output}, {"color", v.Color}, {"unseen", v.Unseen}} {
		if err := input.OneOf(c.flag, c.value, Choices(c.flag)); err != nil {
			if c.flag == "output" && strings.ContainsAny(c.value, `./\`) {
				framework.AsFault(err).Hint = "--output sets the format; to write to a file, add --out FILE if the command has it, or > FILE"
			}
			return err
		}
	}
	if err := v.CheckReading(); err != nil {
		return err
	}
	for _, name := range []string{"repeated", "min_rows", "max_share"} {
		if len(v.Long) == 0 && v.IsGiven(name) {
			return framework.Faultf(framework.Usage, "bad-flag", "--%s is about relations of triples", flagOf(name)).At(name).
				WithHint("add --long KEY,FEATURE,VALUE, or leave out --%s", flagOf(name))
		}
	}
	if v.Timeout < 0 {
		return framework.Faultf(framework.Usage, "bad-flag", "--timeout is %v; it must not be negative", v.Timeout).
			At("timeout").WithHint("0 means no limit")
	}
	if v.StepTimeout <= 0 {
		return framework.Faultf(framework.Usage, "bad-flag", "--step-timeout is %v; it must be positive", v.StepTimeout).
			At("step_timeout").WithHint("for steps that take very long: --step-timeout 1000h")
	}
	private := strings.HasPrefix(v.DB, inMemory)
	if private && v.Into == "" {
		v.DB = ""
	}
	if v.Into == "" {
		return nil
	}
	if err := checkInto(v.Into); err != nil {
		return err
	}
	if private {
		return framework.Faultf(framework.Usage, "no-database", "%s is a database in memory: nothing in it would be kept", v.DB).
			At("db").WithHint("write to a file: --db FILE (created if it does not exist)")
	}
	if v.DB == "" {
		return framework.Faultf(framework.Usage, "no-database", "--into needs a database to write to").
			At("into").WithHint("name it: --db FILE (created if it does not exist)")
	}
	return nil
}
