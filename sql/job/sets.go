package job

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/model"
)

// readConstraints reads the constraints and makes the sets of centers and of labels that
// they declare, by plugins where they serve a kind.
func (b *Job) readConstraints(ctx context.Context, src Source) error {
	if b.Settings.Constraints == "" {
		return nil
	}
	rows, err := src.ReadConstraints(ctx, b.Settings.Constraints)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		b.note("%s has no rows, so it has no effect", framework.Setting("constraints"))
		return nil
	}
	ofCenters, ofLabels, hosts := b.library.SetKinds(ctx)
	b.sets = hosts
	unknown := func(r framework.ConstraintRow) bool {
		known := slices.ContainsFunc(b.library.Kinds, func(k library.Kind) bool { return k.SetDescription.Kind == r.Kind })
		return !known && !declare.Taken(r.Kind)
	}
	if b.library.Lack != nil && slices.ContainsFunc(rows, unknown) {
		return b.library.Lack
	}
	labels, centers := declare.OfLabels(rows, ofLabels...)
	if err := b.restrictCenters(centers, ofCenters); err != nil {
		return err
	}
	if err := b.restrictLabels(ctx, src, labels, ofLabels); err != nil {
		return err
	}
	if names := b.foreign(); b.vary.by == "tune" && len(names) > 0 {
		return framework.Faultf(framework.Usage, "no-plugin-sets", "tune does not take constraints of a kind that a plugin serves: %s",
			strings.Join(names, ", ")).WithDetails([]string{"the plugin makes a set for one number of clusters and these rows"}).
			At("constraints").WithHint("a path takes them, and a fit")
	}
	text, err := json.Marshal(b.constraints) // the relation's text alone does not say what its rows are
	b.fingerprint += string(text)
	for _, k := range b.storedKinds() {
		b.fingerprint += fmt.Sprint(k)
	}
	return err
}

// restrictCenters makes the set of centers.
func (b *Job) restrictCenters(rows []framework.ConstraintRow, kinds []framework.SetKind) error {
	if len(rows) > 0 && !b.Algorithm.Constraints {
		return framework.Faultf(framework.Usage, "no-constraints", "algorithm %s cannot restrict its centers, as %s does", b.Algorithm.Name,
			rows[0].Kind).
			At("constraints").
			WithHint("these can: %s", strings.Join(b.library.Names(func(d framework.Description) bool { return d.Constraints }), ", "))
	}
	set, err := declare.Rows(rows, b.Problem, kinds...)
	if err != nil || set == nil {
		return err
	}
	b.Problem.Centers, b.constraints = set, set.Rows
	return nil
}

// foreign names the kinds of the problem's sets that plugins serve. With
// any, the driver of this process holds centers and labels in their sets.
func (b *Job) foreign() []string {
	var names []string
	if d, ok := b.Problem.Centers.(*declare.Set); ok {
		names = append(names, d.Foreign...)
	}
	if d := b.declaredLabels(); d != nil && d.Foreign != "" {
		names = append(names, d.Foreign)
	}
	return names
}

// declaredLabels is the set of labels that constraints declare; nil: there is none.
func (b *Job) declaredLabels() *declare.LabelSet {
	set := b.Problem.Labels
	if known, ok := set.(*constraint.Known); ok {
		set = known.Within
	}
	d, _ := set.(*declare.LabelSet)
	return d
}

// restrictsHere reports whether the driver of this process is to hold centers or labels in their sets.
func (b *Job) restrictsHere() bool {
	_, known := b.Problem.Labels.(*constraint.Known)
	return known || len(b.foreign()) > 0
}

// restrictsElsewhere reports whether a plugin serves a kind of the set of centers.
func (b *Job) restrictsElsewhere() bool {
	d, ok := b.Problem.Centers.(*declare.Set)
	return ok && len(d.Foreign) > 0
}

// sent returns a problem as the algorithm's process gets it. A set that lives in
// another process is not for it, and where the driver is here, it has no use for labels.
func (b *Job) sent(problem framework.Problem) framework.Problem {
	if b.restrictsElsewhere() {
		problem.Centers = nil
	}
	if b.restrictsHere() {
		problem.Labels = nil
	}
	return problem
}

// storedKinds are those of the problem's sets.
func (b *Job) storedKinds() (all []model.StoredKind) {
	for _, name := range b.foreign() {
		for _, k := range b.library.Kinds {
			if k.SetDescription.Kind == name {
				all = append(all, model.StoredKind{Kind: name, Version: k.Version, Plugin: k.Plugin, SHA256: k.SHA256})
			}
		}
	}
	return all
}
