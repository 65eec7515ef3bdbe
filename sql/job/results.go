package job

import (
	"encoding/json"
	"fmt"
	"math"
	"sync"

	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/sql/model"
)

// Tables returns the rows of the result tables.
func (b *Job) Tables(f *Fitted) (*result.Tables, error) {
	r := f.Result
	var quantiles [][2]float64 // beside the rest, since they take as long
	var beside sync.WaitGroup
	if f.sums == nil { // else distances are where the rows are
		beside.Go(func() { quantiles = model.Quantiles(b.Data, r.Distance, b.Problem.Mass, b.Settings.Trim) })
	}
	defer beside.Wait()
	out := &result.Tables{
		Assignments: result.Assigned(b.Table, &fit.Prediction{Labels: r.Labels, Distance: r.Distance, Second: r.Second, Margin: r.Margin}),
		Clusters:    b.clusters(f),
		Violations:  violations(b.Problem.Links, b.Given, r.Labels, f.costs),
	}
	out.Centers, out.CentersLeftOut = b.centers(f)
	out.Assignments.Distances = f.distances
	switch {
	case r.Stop == framework.AllZero:
		out.Assignments.Unlabelled = r.Stop
	case f.untold > 0:
		out.Assignments.Unlabelled = input.NoCells
		r.Inertia = 0 // of the rows that have a cluster
		for _, c := range out.Clusters {
			r.Inertia += c.Inertia
		}
	}
	out.Features = b.storedFeatures(f.features)
	f.Notes = b.clusterNotes(f, out)
	out.TopFeatures = b.topFeatures(f)
	out.Trace = make([]result.Iteration, len(r.Trace))
	for i, it := range r.Trace {
		out.Trace[i] = result.Iteration{Restart: it.Restart, Iteration: it.Iteration, Objective: it.Objective, Moved: it.Moved,
			Selected: it.Selected}
	}
	var err error
	if out.Limits, err = b.limits(f); err != nil {
		return nil, err
	}
	beside.Wait()
	if out.Fit, err = b.fitRow(f, quantiles); err != nil {
		return nil, err
	}
	blocks, err := json.Marshal(r.BlocksByWorker)
	if err != nil {
		return nil, err
	}
	calls, err := json.Marshal(f.Calls)
	out.Run = result.Run{StartedAt: b.began, SecondsRead: b.readTime.Seconds(), SecondsFit: f.seconds,
		SecondsSeeding: r.Seconds.Seeding, SecondsIterations: r.Seconds.Iterations, Threads: b.Settings.Threads,
		Driver: b.driver(), BlocksByWorker: string(blocks), StepCalls: string(calls)}
	return out, err
}

// storedFeatures describes the features. An algorithm that says nothing of them
// selects none: they are listed as they were scaled. One that gives them no ranks
// selects none either, but says what they gain.
func (b *Job) storedFeatures(features []framework.Feature) []result.Feature {
	var all []result.Feature
	if len(features) == 0 {
		for _, c := range b.Recipe.Features {
			all = append(all, result.Feature{Feature: c.Column(), Category: category(c), Group: b.Recipe.GroupOf(c), Cluster: -1,
				Weight: math.NaN(), Norm: math.NaN(), Gain: math.NaN(), Location: c.Location, Scale: c.Scale})
		}
		return all
	}
	norms := groupNorms(b.Problem, features)
	all = make([]result.Feature, 0, len(features))
	for i, f := range features {
		c := b.Recipe.Features[f.Column]
		selected := &f.Selected
		if f.Rank == 0 {
			selected = nil
		}
		all = append(all, result.Feature{Feature: c.Column(), Category: category(c), Group: b.Recipe.GroupOf(c), Cluster: f.Cluster,
			Selected: selected, Weight: f.Weight, Norm: norms[i], Gain: b.silentGain(f), Rank: f.Rank, Location: c.Location, Scale: c.Scale})
	}
	return all
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
func (b *Job) clusters(f *Fitted) []result.Cluster {
	if f.sums != nil {
		return b.clustersOf(f.sums, f.squared)
	}
	all := make([]result.Cluster, b.Problem.K)
	for j := range all {
		all[j].Cluster = j
	}
	for j, name := range b.classes(f.Labels) {
		all[j].Class = name
	}
	weights := b.Data.Weights()
	for i, j := range f.Labels {
		if j < 0 { // a row without a cluster
			continue
		}
		w, v := 1.0, f.Distance[i]
		if weights != nil {
			w = weights[i]
		}
		if f.Part != nil && f.Part.Row == i {
			w = f.Part.Weight
		}
		if f.squared {
			v *= v
		}
		all[j].Size++
		all[j].Weight += w
		all[j].Inertia += float64(w * v)
	}
	if f.squared {
		for j := range all {
			all[j].Inertia = silent(all[j].Inertia, b.squares())
		}
	}
	return all
}

// fitRow describes the run and holds its model.
func (b *Job) fitRow(f *Fitted, quantiles [][2]float64) (result.Fit, error) {
	row, err := b.fitWithoutModel(f.Stop, "")
	if err != nil {
		return row, err
	}
	row.PluginSHA256, row.Maximize, row.Iterations, row.Converged = b.Algorithm.SHA256, f.maximize, f.Iterations, f.Converged
	row.Approximate, row.LabelGap = f.Approximate, b.gap(f.Result.Limits)
	row.Objective, row.Inertia = f.Objective, f.Inertia
	if f.squared {
		row.Objective, row.Inertia = b.withoutNoise(f.Objective, f.Inertia)
	}
	s := b.storedModel(f.Model)
	s.Trim, s.Quantiles = b.Settings.Trim, quantiles
	row.Model, err = s.Encode()
	return row, err
}

// storedModel returns the model of a fit with all that it needs to be used.
func (b *Job) storedModel(m *framework.Model) model.Stored {
	s := model.Stored{Algorithm: b.Algorithm.Name, K: b.Problem.K, Recipe: b.Recipe, Params: map[string]string{},
		Selected: m.Selected, Weights: m.FeatureWeights, Gain: m.Gain, Aux: m.Aux, Round: m.Round, Constraints: b.constraints,
		SetKinds: b.storedKinds()}
	for name, v := range b.Problem.Params {
		s.Params[name] = fmt.Sprint(v)
	}
	for j := range b.Problem.K {
		s.Centers = append(s.Centers, m.Centers.Row(j))
	}
	return s
}

// recorded is what the fit table records of the settings.
func (b *Job) recorded() (string, error) { return b.Settings.Record(b.params, b.also) }
