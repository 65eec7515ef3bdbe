package cli

import (
	"encoding/json"
	"maps"
	"math"
	"time"

	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
)

// results fills the result tables.
func (a *app) results(p *prepared, d *finished, began time.Time, fitTime time.Duration) (*result.Tables, error) {
	r := d.result
	out := &result.Tables{
		Assignments: assignments(p.table, &fit.Prediction{Labels: r.Labels, Distance: r.Distance, Second: r.Second, Margin: r.Margin}),
		Clusters:    clusters(p, d),
		Centers:     centers(p, d),
		Violations:  violations(p.problem.Links, p.pairsGiven, r.Labels, d.costs),
	}
	switch {
	case r.Stop == framework.AllZero:
		out.Assignments.Unlabelled = r.Stop
	case d.untold > 0:
		out.Assignments.Unlabelled = input.NoCells
		r.Inertia = 0 // of the rows that have a cluster
		for _, c := range out.Clusters {
			r.Inertia += c.Inertia
		}
	}
	out.Features = storedFeatures(p, d.features)
	d.notes = clusterNotes(p, d, out)
	for _, it := range r.Trace {
		out.Trace = append(out.Trace, result.Iteration{Restart: it.Restart, Iteration: it.Iteration, Objective: it.Objective, Moved: it.Moved, Selected: it.Selected})
	}
	var err error
	if out.Fit, err = a.fitRow(p, d); err != nil {
		return nil, err
	}
	blocks, err := json.Marshal(r.BlocksByWorker)
	if err != nil {
		return nil, err
	}
	calls, err := json.Marshal(d.calls)
	out.Run = result.Run{StartedAt: began, SecondsRead: p.readTime.Seconds(), SecondsFit: fitTime.Seconds(),
		SecondsSeeding: r.Seconds.Seeding, SecondsIterations: r.Seconds.Iterations, Threads: a.settings.threads,
		Driver: a.driver(p), BlocksByWorker: string(blocks), StepCalls: string(calls)}
	return out, err
}

// storedFeatures describes the features. An algorithm that says nothing of them
// selects none: they are listed as they were scaled. One that gives them no ranks
// selects none either, but says what they gain.
func storedFeatures(p *prepared, features []framework.Feature) []result.Feature {
	var all []result.Feature
	if len(features) == 0 {
		for _, c := range p.recipe.Features {
			all = append(all, result.Feature{Feature: c.Column(), Category: category(c), Group: p.recipe.GroupOf(c), Cluster: -1,
				Weight: math.NaN(), Norm: math.NaN(), Gain: math.NaN(), Location: c.Location, Scale: c.Scale})
		}
		return all
	}
	norms := groupNorms(p.problem, features)
	for i, f := range features {
		c := p.recipe.Features[f.Column]
		selected := &f.Selected
		if f.Rank == 0 {
			selected = nil
		}
		all = append(all, result.Feature{Feature: c.Column(), Category: category(c), Group: p.recipe.GroupOf(c), Cluster: f.Cluster, Selected: selected,
			Weight: f.Weight, Norm: norms[i], Gain: silentGain(p, f), Rank: f.Rank, Location: c.Location, Scale: c.Scale})
	}
	return all
}

// driver says where the driver of a fit ran: in the host if that was asked for,
// or if the plugin has none.
func (a *app) driver(p *prepared) string {
	if p.hosted.Load() {
		return "host"
	}
	return a.settings.driver
}

// groupNorms returns for each feature the norm of the weights of its group, NaN
// where there are no weights.
func groupNorms(p framework.Problem, features []framework.Feature) []float64 {
	group := func(f framework.Feature) int {
		if p.Groups == nil {
			return f.Column
		}
		return p.Columns[f.Column].Group
	}
	squares := make([]float64, max(len(p.Groups), p.P))
	for _, f := range features {
		squares[group(f)] += f.Weight * f.Weight
	}
	norms := make([]float64, len(features))
	for i, f := range features {
		norms[i] = math.Sqrt(squares[group(f)])
	}
	return norms
}

// clusters sums the rows of each cluster up.
func clusters(p *prepared, d *finished) []result.Cluster {
	all := make([]result.Cluster, p.problem.K)
	for j := range all {
		all[j].Cluster = j
	}
	weights := p.data.Weights()
	for i, j := range d.result.Labels {
		if j < 0 { // a row without a cluster
			continue
		}
		w, v := 1.0, d.result.Distance[i]
		if weights != nil {
			w = weights[i]
		}
		if d.squared {
			v *= v
		}
		all[j].Size++
		all[j].Weight += w
		all[j].Inertia += float64(w * v)
	}
	if d.squared {
		for j := range all {
			all[j].Inertia = silent(all[j].Inertia, squares(p))
		}
	}
	return all
}

// fitRow describes the run and holds its model.
func (a *app) fitRow(p *prepared, d *finished) (result.Fit, error) {
	r := d.result
	text, err := storedModelOf(p, r.Model).encode()
	if err != nil {
		return result.Fit{}, err
	}
	objective, inertia := r.Objective, r.Inertia
	if d.squared {
		objective, inertia = withoutNoise(p, objective, inertia)
	}
	params, err := a.recorded(p)
	if err != nil {
		return result.Fit{}, err
	}
	return result.Fit{
		RunID: result.RunID(params+p.description.Name+p.description.Version, p.fingerprint), Algorithm: p.description.Name, Version: p.description.Version,
		PluginSHA256: p.algorithm.sha256, Params: params, Seed: p.problem.Seed, N: p.problem.N, P: p.problem.P, K: p.problem.K,
		Objective: objective, Maximize: d.maximize, Inertia: inertia, Iterations: r.Iterations,
		Converged: r.Converged, StopReason: r.Stop, Source: p.table.SourceSQL, ToolVersion: toolVersion(), Model: text,
	}, nil
}

// recordedFlags are the flags that can change a result.
func (a *app) recorded(p *prepared) (string, error) {
	s := a.settings
	flags := map[string]any{"k": s.k, "scale": s.scale, "center": s.center, "seed": s.seed, "restarts": s.restarts, "max-iter": s.maxIter,
		"tol": s.tol, "init": s.init, "init-space": s.initSpace, "empty": s.empty, "start": s.start, "id": s.id, "features": s.features,
		"exclude": s.exclude, "categorical": s.categorical, "null-category": s.nullCategory, "groups": s.groups, "pairs": s.pairs, "weight": s.weight, "nulls": s.nulls, "order": s.order, "algorithm": s.algorithm}
	if s.constraints != "" {
		flags["constraints"] = s.constraints
	}
	if s.ignoreText {
		flags["ignore-text"] = true
	}
	maps.Copy(flags, p.also)
	all := map[string]given{}
	for name, v := range flags {
		all[name] = given{v, a.origins[name]}
	}
	return a.paramsJSON(p.params, all)
}

// assignments pairs keys with labels.
func assignments(t *input.Table, p *fit.Prediction) result.Assignments {
	return result.Assignments{KeyName: t.KeyName, Keys: t.Keys, Labels: p.Labels, Distance: p.Distance,
		Second: p.Second, Margin: p.Margin, Dropped: t.DroppedKeys, Status: t.DroppedWhy}
}
