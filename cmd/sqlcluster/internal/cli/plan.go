package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sqlcluster/sqlcluster/sql/input"

	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// A prepared fit has passed every check that needs no plugin process.
type prepared struct {
	description framework.Description
	algorithm   algorithm
	params      map[string]given
	settings    fit.Settings
	start       fit.Start
	table       *input.Table
	recipe      matrix.Recipe
	fingerprint string // of the data in original units
	data        *matrix.Data
	problem     framework.Problem
	pairsGiven  int                       // how many of problem.Links were given, and not derived
	constraints []framework.ConstraintRow // of problem.Centers
	sets        *setProcesses             // of problem.Centers; nil: no constraints
	notes       []string                  // diagnostics
	also        map[string]any            // flags of the command alone that decide the result
	readTime    time.Duration
	hosted      atomic.Bool // the plugin has no driver: this process ran it
	maximize    atomic.Bool // of fits over a path: objectives are to be large
}

func (p *prepared) close() {
	if p.data != nil {
		_ = p.data.Close()
	}
	if p.sets != nil {
		p.sets.close()
	}
}

// choose resolves what flags alone decide.
func (a *app) choose(flags *pflag.FlagSet) (*prepared, error) {
	s := a.settings
	alg, err := algorithmOf(s.algorithm)
	if err != nil {
		return nil, err
	}
	p := &prepared{description: alg.Description, algorithm: alg}
	if p.problem.Params, p.params, err = a.algorithmParams(flags, p.description); err != nil {
		return nil, err
	}
	if s.constraints != "" && !p.description.Constraints {
		return nil, framework.Faultf(framework.Usage, "no-constraints", "algorithm %s cannot restrict its centers", p.description.Name).
			At("constraints").WithHint("these can: %s", strings.Join(restrictable(), ", "))
	}
	if a.origins["k"] == "default" {
		return nil, framework.Faultf(framework.Usage, "k-missing", "how many clusters?").At("k").WithHint("set the number with -k NUMBER")
	}
	if s.k < 1 {
		return nil, framework.Faultf(framework.Usage, "bad-setting", "k is %d; it must be at least 1", s.k).At("k")
	}
	if s.scale == "" {
		s.scale = p.description.Scale
	}
	if s.empty == "" {
		s.empty = string(p.description.Empty)
	}
	if s.center == "auto" && s.scale != "raw" && s.scale != "robust" { // which have locations of their own
		if center := p.description.CenterFor(p.problem.Params); center != "" {
			s.center = center
		}
	}
	p.settings = fit.Settings{Init: s.init, InitSpace: s.initSpace, Restarts: s.restarts, MaxIter: s.maxIter, Tol: s.tol,
		Empty: framework.EmptyPolicy(s.empty), Threads: s.threads}
	p.problem.K, p.problem.Seed = s.k, s.seed
	return p, a.checkSettings(p)
}

// checkSettings refuses, before anything is read, what no data allow.
func (a *app) checkSettings(p *prepared) error {
	if err := p.settings.Check(); err != nil {
		return err
	}
	if a.settings.start == "" {
		if err := seeding.Check(a.settings.init); err != nil {
			return err
		}
	}
	_, err := matrix.ParseScale(a.settings.scale, a.settings.center)
	return err
}

// restrictable names the algorithms whose centers can be restricted.
func restrictable() (names []string) {
	eachAlgorithm(func(_ string, d framework.Description) {
		if d.Constraints {
			names = append(names, d.Name)
		}
	})
	return names
}

// readSpec is what the flags say of reading.
func (a *app) readSpec(relation string) input.Spec {
	s := a.settings
	return input.Spec{Relation: relation, ID: s.id, Features: s.features, Exclude: s.exclude, Weight: s.weight,
		Nulls: s.nulls, Order: s.order, Storage: matrix.Storage(s.storage)}
}

// load reads, scales and checks the relation.
func (a *app) load(ctx context.Context, db *store.DB, relation string, p *prepared) error {
	began := time.Now()
	spec := a.readSpec(relation)
	spec.MissingOK = p.description.Missing
	spec.Categorical, spec.Categories, spec.NullLevel = a.settings.categorical, p.description.Categorical, a.settings.nullCategory == "level"
	spec.IgnoreText = a.settings.ignoreText
	scaling, err := matrix.ParseScale(a.settings.scale, a.settings.center)
	if err != nil {
		return err
	}
	progress := a.progress("reading")
	spec.Progress = func(rows int) { progress.say("%d rows", rows) }
	t, err := db.Read(ctx, spec)
	progress.end()
	if err != nil {
		return err
	}
	p.table = t
	p.fingerprint = t.Fingerprint()
	var groups map[string]framework.Group
	if a.settings.groups != "" {
		if groups, err = db.ReadGroups(ctx, a.settings.groups, t); err != nil {
			_ = t.Close()
			return err
		}
	}
	if err := a.readPairs(ctx, db, p); err != nil {
		_ = t.Close()
		return err
	}
	if err := a.recode(ctx, db, p, scaling, groups); err != nil {
		_ = t.Close()
		return err
	}
	if a.settings.start != "" {
		if err := a.readStart(ctx, db, p); err != nil {
			_ = t.Close()
			return err
		}
	}
	if p.data, err = t.Builder.Seal(); err != nil {
		return err
	}
	p.readTime = time.Since(began)
	return a.checkRows(p)
}

// tooFewRows refuses a table with fewer rows than two or k.
func tooFewRows(t *input.Table, k int) error {
	n := t.Builder.Rows()
	if n >= 2 && n >= k {
		return nil
	}
	var f *framework.Fault
	if n < 2 {
		f = framework.Faultf(framework.Data, "too-few-rows", "there is only %s to cluster; at least 2 are needed", counted(n, "row", "rows"))
	} else {
		f = framework.Faultf(framework.Data, "too-few-rows", "k is %d, but there are only %d rows", k, n).At("k").
			WithHint("choose a k up to %d", n)
	}
	if left := leftOut(t); left != "" {
		f.Details = []string{left}
	}
	return f
}

// recode makes features of the table's categories, scales it in place, and
// completes the problem.
func (a *app) recode(ctx context.Context, db *store.DB, p *prepared, scaling matrix.Scaling, groups map[string]framework.Group) error {
	if err := tooFewRows(p.table, p.problem.K); err != nil {
		return err
	}
	if err := p.table.Encode(); err != nil {
		return err
	}
	b := p.table.Builder
	var err error
	if p.recipe, err = matrix.LearnEncoded(b, p.table.Encoded, scaling); err != nil {
		return err
	}
	if groups != nil || p.recipe.HasCategories() {
		p.recipe.SetGroups(groups)
		p.problem.Groups = p.recipe.ProblemGroups()
	}
	if groups != nil {
		text, err := json.Marshal(p.recipe.Groups)
		if err != nil {
			return err
		}
		p.fingerprint += string(text)
		for _, f := range p.recipe.Features {
			p.fingerprint += fmt.Sprintf(" %d", f.Group)
		}
	}
	if p.problem.Columns, err = p.recipe.Apply(b); err != nil {
		return err
	}
	p.problem.N, p.problem.P, p.problem.Mass, p.problem.Weighted = b.Rows(), b.Cols(), float64(b.Rows()), b.Weights() != nil
	if w := b.Weights(); w != nil {
		p.problem.Mass = 0
		for _, v := range w {
			p.problem.Mass += v
		}
		if p.problem.Mass == 0 {
			return framework.Faultf(framework.Data, "bad-weight", "all row weights are 0").WithWhere("%s", framework.SettingTo("weight", a.settings.weight))
		}
	}
	if err := a.readConstraints(ctx, db, p); err != nil {
		return err
	}
	selects := slices.ContainsFunc(p.constraints, func(r framework.ConstraintRow) bool { return r.Kind == "sparsity" })
	if groups != nil && !p.description.Groups && !selects {
		p.notes = append(p.notes, fmt.Sprintf("%s does not select groups of features, so --groups does not change the clusters", p.description.Name))
	}
	return p.refused()
}

// refused returns why the algorithm refuses the problem. An added plugin says so
// when the problem is opened.
func (p *prepared) refused() error {
	alg := p.algorithm.built
	if alg == nil {
		return nil
	}
	if t := p.table; t.DroppedWhy == input.NoCells && t.Dropped > 0 {
		// An algorithm that refuses missing cells is to hear of these rows too.
		all := p.problem
		all.N += t.Dropped
		all.Columns = slices.Clone(all.Columns)
		for l := range all.Columns {
			all.Columns[l].Missing += t.Dropped
		}
		if _, err := alg.New(all); err != nil {
			return err
		}
	}
	_, err := alg.New(p.problem)
	return err
}

// leftOut says how many rows of a table were left out, and why; "" when none.
func leftOut(t *input.Table) string {
	switch {
	case t.Dropped == 0:
		return ""
	case t.DroppedWhy == input.NoCells:
		return counted(t.Dropped, "row has NULL in all features and so no cluster", "rows have NULL in all features and so no cluster")
	}
	return counted(t.Dropped, "row with a NULL was left out", "rows with NULLs were left out")
}

// readConstraints reads --constraints and makes the set of centers that they
// declare.
func (a *app) readConstraints(ctx context.Context, db *store.DB, p *prepared) error {
	if a.settings.constraints == "" {
		return nil
	}
	rows, err := db.ReadConstraints(ctx, a.settings.constraints)
	if err != nil {
		return err
	}
	set, err := p.declare(ctx, rows, a.settings.process())
	if err != nil {
		return err
	}
	if set == nil {
		p.notes = append(p.notes, "--constraints has no rows, so it has no effect")
		return nil
	}
	p.problem.Centers, p.constraints = set, set.Rows
	if a.varied != "" { // many fits, each of which the algorithm's process makes by itself
		if err := p.refuseForeign("path"); err != nil {
			return err
		}
	}
	text, err := json.Marshal(set.Rows) // the relation's text alone does not say what its rows are
	p.fingerprint += string(text)
	for _, k := range p.storedKinds() {
		p.fingerprint += fmt.Sprint(k)
	}
	return err
}

// readStart reads --start and brings centers into the fitted space.
func (a *app) readStart(ctx context.Context, db *store.DB, p *prepared) error {
	s, err := db.ReadStart(ctx, a.settings.start, p.table, p.problem.K)
	if err != nil {
		return err
	}
	p.start = fit.Start{Labels: s.Labels, Rows: s.Rows}
	if s.Centers != nil {
		c := s.Centers.Clone()
		for i, v := range c.Data {
			c.Data[i] = p.recipe.Fitted(i%c.Cols, v)
		}
		p.start.Centers = &c
	}
	return nil
}

// checkRows looks at the rows as a whole, and notes what a user should know.
func (a *app) checkRows(p *prepared) error {
	p.notes = append(p.notes, p.table.Warnings...)
	if left := leftOut(p.table); left != "" {
		p.notes = append(p.notes, left)
	}
	if n := keysNote(p.table.KeyLike, a.settings.id != ""); n != "" {
		p.notes = append(p.notes, n)
	}
	var constant, empty, instead []string
	missing := 0
	for _, f := range p.recipe.Features {
		switch {
		case p.isEmpty(f):
			empty = append(empty, f.Column())
		case f.Constant:
			constant = append(constant, f.Column())
		}
		if f.Instead {
			instead = append(instead, f.Column())
		}
		missing += f.Missing
	}
	p.noteRare()
	if len(constant)+len(empty) == len(p.recipe.Features) {
		return framework.Faultf(framework.Data, "all-constant", "every feature has only one value, or none, so no two rows differ").
			WithHint("check --features and --exclude")
	}
	if len(empty) > 0 {
		p.notes = append(p.notes, fmt.Sprintf("%s no values and therefore no effect: %s", counted(len(empty), "column has", "columns have"), strings.Join(firstOf(empty, 5), ", ")))
	}
	if len(constant) > 0 {
		p.notes = append(p.notes, fmt.Sprintf("%s only one value and therefore no effect: %s", counted(len(constant), "column has", "columns have"), strings.Join(firstOf(constant, 5), ", ")))
	}
	if len(instead) > 0 {
		p.notes = append(p.notes, fmt.Sprintf("--scale robust: more than half of the values are equal in %s, scaled by the standard deviation: %s",
			counted(len(instead), "column", "columns"), strings.Join(firstOf(instead, 5), ", ")))
	}
	if missing > 0 {
		p.notes = append(p.notes, fmt.Sprintf("NULL cells: %d of %d", missing, p.problem.N*p.problem.P))
	}
	if p.problem.P > p.problem.N {
		p.notes = append(p.notes, fmt.Sprintf("there are more features (%d) than rows (%d)", p.problem.P, p.problem.N))
	}
	if p.start.Given() {
		return nil
	}
	if distinct := seeding.DistinctRows(p.data, p.problem.K); distinct < p.problem.K {
		return framework.Faultf(framework.Data, "too-few-distinct-rows", "k is %d, but there are only %d different rows", p.problem.K, distinct).
			At("k").WithHint("choose a k up to %d", distinct)
	}
	return nil
}

// isEmpty reports whether a feature has no value in any row.
func (p *prepared) isEmpty(f matrix.Feature) bool { return f.Missing == p.problem.N }

// counted writes a number with what it counts.
func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

func firstOf(all []string, n int) []string {
	if len(all) > n {
		return append(append([]string{}, all[:n]...), "...")
	}
	return all
}
