package job

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/model"
)

// readConstraints reads the constraints and makes the set of centers that they
// declare, by plugins where they serve a kind.
func (b *Job) readConstraints(ctx context.Context, src Source) error {
	if b.Settings.Constraints == "" {
		return nil
	}
	rows, err := src.ReadConstraints(ctx, b.Settings.Constraints)
	if err != nil {
		return err
	}
	kinds, hosts := b.library.SetKinds(ctx)
	b.sets = hosts
	unknown := func(r framework.ConstraintRow) bool {
		known := slices.ContainsFunc(b.library.Kinds, func(k library.Kind) bool { return k.SetDescription.Kind == r.Kind })
		return !known && !declare.Taken(r.Kind)
	}
	if b.library.Lack != nil && slices.ContainsFunc(rows, unknown) {
		return b.library.Lack
	}
	set, err := declare.Rows(rows, b.Problem, kinds...)
	if err != nil {
		return err
	}
	if set == nil {
		b.note("%s has no rows, so it has no effect", framework.Setting("constraints"))
		return nil
	}
	b.Problem.Centers, b.constraints = set, set.Rows
	if names := b.foreign(); b.vary.by != "" && len(names) > 0 {
		// There are many fits, each of which the algorithm's process makes by itself.
		return framework.Faultf(framework.Usage, "no-plugin-sets", "path does not take constraints of a kind that a plugin serves: %s",
			strings.Join(names, ", ")).
			At("constraints").WithHint("a fit takes them, one value at a time")
	}
	text, err := json.Marshal(set.Rows) // the relation's text alone does not say what its rows are
	b.fingerprint += string(text)
	for _, k := range b.storedKinds() {
		b.fingerprint += fmt.Sprint(k)
	}
	return err
}

// foreign names the kinds of the problem's set of centers that plugins serve. With
// any, the driver of this process holds the centers in the set.
func (b *Job) foreign() []string {
	if d, ok := b.Problem.Centers.(*declare.Set); ok {
		return d.Foreign
	}
	return nil
}

// sent returns a problem as the algorithm's process gets it. A set that lives in
// another process is not for it.
func (b *Job) sent(problem framework.Problem) framework.Problem {
	if len(b.foreign()) > 0 {
		problem.Centers = nil
	}
	problem.Labels = nil
	return problem
}

// storedKinds are those of the problem's set of centers.
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
