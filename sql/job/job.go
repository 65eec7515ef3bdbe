package job

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sqlcluster/sqlcluster/sql/settings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
)

// A Job is one clustering. Its exported fields are to be read only: Settings and
// Algorithm after New, the others after Read.
type Job struct {
	Settings  settings.Settings // with what the algorithm prefers
	Algorithm library.Algorithm
	Problem   framework.Problem
	Start     fit.Start
	Table     *input.Table
	Recipe    matrix.Recipe
	Data      *matrix.Data
	Notes     []string // what a user should know of the data
	Given     int      // how many of Problem.Links were given; the others follow from them

	library     library.Library
	params      map[string]settings.Given // of the algorithm, with their defaults
	vary        vary
	fingerprint string                    // of the data in original units
	constraints []framework.ConstraintRow // of Problem.Centers and, behind them, of Problem.Labels
	labels      *input.Labels             // nil: there are none
	sets        *library.SetHosts         // of Problem.Centers and Labels; nil: no constraints
	also        map[string]any            // settings of a path or a tuning that decide the result
	record      func() (string, error)    // recorded, once for all that have the settings
	host        *library.Running
	began       time.Time
	readTime    time.Duration
	hosted      atomic.Bool // the driver ran in this process
	maximize    atomic.Bool // of fits over a path: objectives are to be large
}

// vary is the parameter of which many values are tried, and what does so: path or
// tune. It has the smallest value as long as no other is asked for.
type vary struct{ parameter, by string }

// New returns a job whose settings are possible, as far as they go without data.
func New(s settings.Settings, l library.Library) (*Job, error) { return newJob(s, l, vary{}) }

func newJob(s settings.Settings, l library.Library, v vary) (*Job, error) {
	a, err := l.Find(s.Algorithm)
	if err != nil {
		return nil, err
	}
	b := &Job{Settings: s, Algorithm: a, library: l, vary: v, began: time.Now()}
	if err := b.resolve(); err != nil {
		return nil, err
	}
	if s.Constraints != "" && !a.Constraints && !a.Labels {
		return nil, framework.Faultf(framework.Usage, "no-constraints", "algorithm %s cannot restrict its centers", a.Name).
			At("constraints").WithHint("these can: %s", strings.Join(l.Names(func(d framework.Description) bool { return d.Constraints }), ", "))
	}
	if err := b.checkTrim(); err != nil {
		return nil, err
	}
	if s.Ks != "" {
		ks, err := settings.ParseKs(s.Ks)
		if err != nil {
			return nil, err
		}
		if v.by != "tune" {
			return nil, framework.Faultf(framework.Usage, "several-k", "k is %s; one number is needed here", s.Ks).At("k").
				WithHint("sqlcluster tune tries several")
		}
		s.K = ks[0]
	}
	if s.K == 0 && s.Origin("k") == settings.ByDefault {
		return nil, NoK()
	}
	if s.K < 1 {
		return nil, framework.Faultf(framework.Usage, "bad-setting", "k is %d; it must be at least 1", s.K).At("k")
	}
	if err := b.checkBatch(); err != nil {
		return nil, err
	}
	if err := b.checkLabels(); err != nil {
		return nil, err
	}
	if err := b.Settings.CheckNorm(a.Description); err != nil {
		return nil, err
	}
	b.Settings.Complete(a.Description, b.Problem.Params)
	b.Problem.K, b.Problem.Seed = s.K, s.Seed
	b.record = sync.OnceValues(b.recorded)
	return b, b.check()
}

// checkTrim refuses to leave rows out where that is not possible.
func (b *Job) checkTrim() error {
	s, bad := &b.Settings, ""
	switch {
	case s.Trim == 0:
		return nil
	case b.vary.by != "":
		bad = "several fits are compared, each of which would leave other rows out"
	case s.Pairs != "":
		bad = "no row with a pair can be left out"
	case !b.Algorithm.Trims:
		return framework.Faultf(framework.Usage, "no-trim", "algorithm %s cannot leave rows out", b.Algorithm.Name).At("trim").
			WithHint("these can: %s", strings.Join(b.library.Names(func(d framework.Description) bool { return d.Trims }), ", "))
	default:
		return nil
	}
	return framework.Faultf(framework.Usage, "no-trim", "%s is not possible here: %s", framework.SettingTo("trim", s.Trim), bad).At("trim")
}

// Again returns a job of the same settings for other rows. What follows from settings
// alone is not done again, which is a fourth of a fit of few rows. Several goroutines
// may call it, if b itself is not used.
func (b *Job) Again() *Job {
	known := framework.Problem{K: b.Problem.K, Seed: b.Problem.Seed, Params: b.Problem.Params}
	return &Job{Settings: b.Settings, Algorithm: b.Algorithm, Problem: known, library: b.library, params: b.params, vary: b.vary,
		record: b.record, began: time.Now()}
}

// AgainBeside is Again with the relations beside the table of other settings.
func (b *Job) AgainBeside(s settings.Settings) *Job {
	c, same := b.Again(), true
	of := s.Beside()
	for i, r := range c.Settings.Beside() {
		same = same && *r.Relation == *of[i].Relation
		*r.Relation = *of[i].Relation
	}
	if !same {
		c.record = sync.OnceValues(c.recorded)
	}
	return c
}

// NoK is the fault of a number of clusters that is not given.
func NoK() *framework.Fault {
	return framework.Faultf(framework.Usage, "k-missing", "how many clusters?").At("k").
		WithHint("set the number with %s", framework.SettingTo("k", "NUMBER"))
}

// check refuses, before anything is read, what no data allow.
func (b *Job) check() error {
	s := &b.Settings
	if err := s.CheckReading(); err != nil {
		return err
	}
	if err := s.Fitting().Check(); err != nil {
		return err
	}
	if s.Start == "" {
		if err := seeding.Check(s.Init); err != nil {
			return err
		}
	}
	_, err := s.Scaling()
	return err
}

// resolve gives the parameters of the algorithm their values.
func (b *Job) resolve() error {
	texts := map[string]string{}
	for name, g := range b.Settings.Params {
		texts[name] = fmt.Sprint(g.Value)
	}
	if name := b.vary.parameter; name != "" {
		if text, given := texts[name]; given {
			return settings.Wrong(name, "%s tries many values of %s, and does not take a single one",
				map[string]string{"path": "a path", "tune": "tune"}[b.vary.by], name).
				WithHint("%s gives the values", framework.SettingTo("grid", name+"="+text+",..."))
		}
		p, _ := b.Algorithm.Param(name)
		texts[name] = settings.Number(*p.Min)
	}
	values, err := b.Algorithm.Resolve(texts)
	if err != nil {
		return b.ofOthers(err, texts)
	}
	b.Problem.Params, b.params = values, map[string]settings.Given{}
	for name, v := range values {
		g := settings.Given{Value: v, Origin: settings.ByDefault}
		if given, ok := b.Settings.Params[name]; ok {
			g.Origin = given.Origin
		}
		if name == b.vary.parameter {
			g.Origin = b.vary.by
		}
		b.params[name] = g
	}
	return nil
}

// ofOthers adds to the fault of a parameter that an algorithm does not have the
// algorithms that have it.
func (b *Job) ofOthers(err error, texts map[string]string) error {
	f := framework.AsFault(err)
	if f == nil || f.Code != "unknown-parameter" {
		return err
	}
	var unknown []string
	for name := range texts {
		if _, ours := b.Algorithm.Param(name); !ours {
			unknown = append(unknown, name)
		}
	}
	name := slices.Min(unknown) // the one that the fault is about
	if of := b.library.Having(name); len(of) > 0 {
		f.Similar, f.Where = "", framework.Setting(name)
		f.Hint = "it is a parameter of " + strings.Join(of, ", ") + ": use " + settings.Either("algorithm", of)
	}
	return f
}

// Launch starts the algorithm in the background, so that it is ready when the
// relation has been read. Fit does it otherwise.
func (b *Job) Launch(ctx context.Context) {
	if b.host == nil {
		b.host = b.Algorithm.Start(ctx)
	}
}

// Close ends what runs, and frees the rows.
func (b *Job) Close() {
	if b.host != nil {
		b.host.Close()
	}
	if b.Data != nil {
		_ = b.Data.Close()
	}
	if b.sets != nil {
		b.sets.Close()
	}
}

// Size says what is clustered: "178 rows, 1 feature, 3 clusters".
func (b *Job) Size() string {
	features := input.Counted(b.Problem.P, "feature", "features")
	if columns := len(b.Table.Features); columns != b.Problem.P {
		features += fmt.Sprintf(" from %s", input.Counted(columns, "column", "columns"))
	}
	return input.Counted(b.Problem.N, "row", "rows") + ", " + features + ", " + input.Counted(b.Problem.K, "cluster", "clusters")
}

func (b *Job) note(format string, args ...any) {
	b.Notes = append(b.Notes, fmt.Sprintf(format, args...))
}
