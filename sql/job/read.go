package job

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/model"
)

// Spec says how Read reads the relation.
func (b *Job) Spec() input.Spec {
	s := &b.Settings
	spec := s.Spec()
	spec.MissingOK, spec.Categories = b.Algorithm.Missing, b.Algorithm.Categorical
	spec.Categorical, spec.NullLevel, spec.IgnoreText = s.Categorical, s.NullCategory == "level", s.IgnoreText
	return spec
}

// Read reads, scales and checks the relation, and what the settings name beside
// it. progress is called with the rows read so far; it may be nil.
func (b *Job) Read(ctx context.Context, src Source, progress func(rows int)) error {
	began := time.Now()
	s := &b.Settings
	scaling, err := s.Scaling()
	if err != nil {
		return err
	}
	spec := b.Spec()
	spec.Progress = progress
	expecting, done := context.WithCancel(ctx)
	defer done()
	spec.Expect = func(rows, columns int) { b.expect(expecting, rows, columns, "") }
	if b.Table, err = src.Read(ctx, spec); err != nil {
		return err
	}
	if all := b.Table.Builder; all.Path() != "" && b.staysInItsFile() {
		b.expect(expecting, all.Rows(), all.Cols(), all.Path())
	}
	if err := b.recode(ctx, src, scaling); err != nil {
		_ = b.Table.Close()
		return err
	}
	b.readTime = time.Since(began)
	return b.checkRows()
}

// expect tells the process of the algorithm what it is going to get, while that is read, and where it is then.
func (b *Job) expect(ctx context.Context, rows, columns int, path string) {
	if b.host == nil || b.Settings.Batch > 0 { // which begins with fewer rows
		return
	}
	go func() {
		host, err := b.host.Wait()
		if e, ok := host.(fit.Expecter); ok && err == nil {
			e.Expect(ctx, rows, columns, path)
		}
	}()
}

// staysInItsFile reports whether the fit will find the table in the file in which it was read.
func (b *Job) staysInItsFile() bool {
	coded := func(s matrix.Source) bool { return s.Categorical }
	return b.Table.Weights == nil && !slices.ContainsFunc(b.Table.Sources, coded)
}

// recode makes features of the rows, seals them, and completes the problem.
func (b *Job) recode(ctx context.Context, src Source, scaling matrix.Scaling) (err error) {
	s := &b.Settings
	b.fingerprint = b.Table.Fingerprint()
	var groups map[string]framework.Group
	if s.Groups != "" {
		if groups, err = src.ReadGroups(ctx, s.Groups, b.Table); err != nil {
			return err
		}
	}
	if err := b.enough(b.Table.Builder.Rows()); err != nil {
		return err
	}
	if err := b.readLabels(ctx, src); err != nil {
		return err
	}
	if err := b.readPairs(ctx, src); err != nil {
		return err
	}
	if err := b.settle(); err != nil {
		return err
	}
	known := b.Problem
	if b.Data, b.Recipe, b.Problem, err = matrix.Prepare(b.Table.Builder, b.Table.Sources, scaling, groups); err != nil {
		return err
	}
	b.Problem.K, b.Problem.Seed, b.Problem.Params, b.Problem.Links = known.K, known.Seed, known.Params, known.Links
	b.Table.Encoded = b.Recipe.Features
	if err := b.groupsRead(groups); err != nil {
		return err
	}
	if err := b.readConstraints(ctx, src); err != nil {
		return err
	}
	b.noteGroups(groups)
	if err := b.refused(); err != nil {
		return err
	}
	if err := b.readStart(ctx, src); err != nil {
		return err
	}
	return b.holdLabels(ctx)
}

// groupsRead adds groups to what tells data apart; nil: there are none.
func (b *Job) groupsRead(groups map[string]framework.Group) error {
	if groups == nil {
		return nil
	}
	text, err := json.Marshal(b.Recipe.Groups)
	if err != nil {
		return err
	}
	b.fingerprint += string(text)
	for _, f := range b.Recipe.Features {
		b.fingerprint += fmt.Sprintf(" %d", f.Group)
	}
	return nil
}

// noteGroups says that groups change nothing, if they do not.
func (b *Job) noteGroups(groups map[string]framework.Group) {
	selects := slices.ContainsFunc(b.constraints, func(r framework.ConstraintRow) bool { return r.Kind == "sparsity" })
	if groups != nil && !b.Algorithm.Groups && !selects {
		b.note("%s does not select groups of features, so %s does not change the clusters", b.Algorithm.Name, framework.Setting("groups"))
	}
}

// settle gives sparse rows all of their cells where the algorithm needs them.
func (b *Job) settle() error {
	d := b.Algorithm.Description
	if !b.Table.Builder.IsSparse() || d.TakesSparse(b.Problem.Params) {
		return nil
	}
	cells := b.Table.Builder.Entries()
	err := model.Settle(b.Table, d, b.Problem.Params)
	if f := framework.AsFault(err); f != nil && f.Code == "too-large-dense" {
		hint := fmt.Sprintf("keep fewer features, with %s and %s", framework.Setting("min_rows"), framework.Setting("max_share"))
		if takers := b.library.Names(func(d framework.Description) bool { return d.Sparse }); len(takers) > 0 {
			hint += "; or fit by an algorithm that does with the cells that are not 0: " + strings.Join(takers, ", ")
		}
		return f.WithHint("%s", hint)
	}
	if err == nil {
		b.note("%d of %d cells are not 0, and all are kept: the fit cannot do without the others", cells,
			b.Table.Builder.Rows()*b.Table.Builder.Cols())
	}
	return err
}

// enough refuses a table with fewer rows than two or k.
func (b *Job) enough(n int) error {
	k := b.Problem.K
	if n >= 2 && n >= k {
		return nil
	}
	var f *framework.Fault
	if n < 2 {
		f = framework.Faultf(framework.Data, "too-few-rows", "there is only %s to cluster; at least 2 are needed",
			input.Counted(n, "row", "rows"))
	} else {
		f = framework.Faultf(framework.Data, "too-few-rows", "k is %d, but there are only %d rows", k, n).At("k").
			WithHint("choose a k up to %d", n)
	}
	if left := b.Table.LeftOut(); left != "" {
		f.Details = []string{left}
	}
	return f
}

// refused returns why the algorithm refuses the problem. One that only its plugin
// can make says so when the problem is opened.
func (b *Job) refused() error {
	a := b.Algorithm.Local
	if a == nil {
		return nil
	}
	if t := b.Table; t.DroppedWhy == input.NoCells && t.Dropped > 0 {
		// An algorithm that refuses missing cells is to hear of these rows too.
		all := b.Problem
		all.N += t.Dropped
		all.Columns = slices.Clone(all.Columns)
		for l := range all.Columns {
			all.Columns[l].Missing += t.Dropped
		}
		if _, err := a.New(all); err != nil {
			return err
		}
	}
	_, err := a.New(b.Problem)
	return err
}

// readStart reads the start and brings centers into the fitted space.
func (b *Job) readStart(ctx context.Context, src Source) error {
	if b.Settings.Start == "" {
		return nil
	}
	s, err := src.ReadStart(ctx, b.Settings.Start, b.Table, b.Problem.K, b.onlyNonzero())
	if err != nil {
		return err
	}
	b.Start = fit.Start{Labels: s.Labels, Rows: s.Rows}
	if s.Centers != nil {
		c := s.Centers.Clone()
		for i, v := range c.Data {
			c.Data[i] = b.Recipe.Fitted(i%c.Cols, v)
		}
		b.Start.Centers = &c
	}
	return nil
}

// checkRows looks at the rows as a whole, and notes what a user should know.
func (b *Job) checkRows() error {
	if err := b.noteRows(); err != nil || b.Start.Given() {
		return err
	}
	return b.distinctEnough(seeding.DistinctRows(b.Data, b.Problem.K))
}

// distinctEnough refuses more clusters than rows that differ.
func (b *Job) distinctEnough(distinct int) error {
	if distinct >= b.Problem.K {
		return nil
	}
	return framework.Faultf(framework.Data, "too-few-distinct-rows", "k is %d, but there %s only %s", b.Problem.K,
		input.Agreed(distinct, "is", "are"), input.Counted(distinct, "different row", "different rows")).
		At("k").WithHint("choose a k up to %d", distinct)
}

// noteRows notes what a user should know of the rows as a whole, and refuses columns that
// all have one value.
func (b *Job) noteRows() error {
	b.Notes = append(b.Notes, b.Table.Warnings...)
	if left := b.Table.LeftOut(); left != "" {
		b.note("%s", left)
	}
	b.noteKeys()
	var constant, empty, instead []string
	missing := 0
	for _, f := range b.Recipe.Features {
		switch {
		case b.IsEmpty(f):
			empty = append(empty, f.Column())
		case f.Constant:
			constant = append(constant, f.Column())
		}
		if f.Instead {
			instead = append(instead, f.Column())
		}
		missing += f.Missing
	}
	b.noteRare()
	if len(constant)+len(empty) == len(b.Recipe.Features) {
		f := framework.Faultf(framework.Data, "all-constant", "every feature has only one value, or none, so no two rows differ")
		if len(b.Settings.Long) > 0 {
			return f.WithHint("check %s, %s, %s and %s", framework.Setting("min_rows"), framework.Setting("max_share"),
				framework.Setting("features"), framework.Setting("exclude"))
		}
		return f.WithHint("check %s and %s", framework.Setting("features"), framework.Setting("exclude"))
	}
	for _, n := range []struct {
		columns []string
		text    string
	}{
		{empty, input.Counted(len(empty), "column has", "columns have") + " no values and therefore no effect"},
		{constant, input.Counted(len(constant), "column has", "columns have") + " only one value and therefore no effect"},
		{instead, fmt.Sprintf("%s: more than half of the values are equal in %s, scaled by the standard deviation",
			framework.SettingTo("scale", "robust"), input.Counted(len(instead), "column", "columns"))},
	} {
		if len(n.columns) > 0 {
			b.note("%s: %s", n.text, strings.Join(input.FirstOf(n.columns, 5), ", "))
		}
	}
	if missing > 0 {
		b.note("NULL cells: %d of %d", missing, b.Problem.N*b.Problem.P)
	}
	if b.Problem.P > b.Problem.N {
		b.note("there are more features (%d) than rows (%d)", b.Problem.P, b.Problem.N)
	}
	return nil
}

// IsEmpty reports whether a feature has no value in any row.
func (b *Job) IsEmpty(f matrix.Feature) bool { return f.Missing == b.Problem.N }
