package cli

import (
	"fmt"
	"math"

	"github.com/sqlcluster/sqlcluster/sql/result"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// pathResults fills the tables of a path.
func (a *app) pathResults(p *prepared, varied framework.Param, points []*tune.Point, labels bool) (*result.Path, error) {
	params, err := a.recorded(p)
	if err != nil {
		return nil, err
	}
	r := &result.Path{KeyName: p.table.KeyName, Keys: p.table.Keys, Fit: a.fitWithoutModel(p, params, "path")}
	for i, point := range points {
		row := result.PathPoint{Parameter: varied.Name, Value: point.Value, Status: point.Status(), Iterations: -1, Selected: -1,
			Objective: math.NaN(), Explained: point.Explained, ARI: point.ARI, WarmFrom: point.WarmFrom}
		if res := point.Result; res != nil {
			row.Converged, row.Iterations, row.Objective = res.Converged, res.Iterations, res.Objective
			if len(point.Features) > 0 {
				row.Selected = selectedOf(point.Features)
			}
			r.Features = append(r.Features, pathFeatures(p, i, point.Features)...)
		}
		r.Points = append(r.Points, row)
		r.Fit.Converged = r.Fit.Converged && row.Converged
		if labels {
			var of []int32
			if point.Result != nil {
				p.leaveUntold(point.Result)
				of = point.Result.Labels
			}
			r.Labels = append(r.Labels, of)
		}
	}
	return r, nil
}

// fitWithoutModel describes a run of many fits.
func (a *app) fitWithoutModel(p *prepared, params, stop string) result.Fit {
	return result.Fit{
		RunID: result.RunID(params+p.description.Name+p.description.Version, p.fingerprint), Algorithm: p.description.Name, Version: p.description.Version,
		Params: params, Seed: p.problem.Seed, N: p.problem.N, P: p.problem.P, K: p.problem.K,
		Objective: math.NaN(), Inertia: math.NaN(), Converged: true, StopReason: stop, Source: p.table.SourceSQL, ToolVersion: toolVersion(),
	}
}

// selectedOf counts the features that are selected in any cluster; −1 where
// nothing is.
func selectedOf(features []framework.Feature) int {
	if len(features) > 0 && features[0].Rank == 0 {
		return -1
	}
	return tune.Selected(features)
}

func pathFeatures(p *prepared, point int, features []framework.Feature) []result.PathFeature {
	all := make([]result.PathFeature, 0, len(features))
	for _, f := range storedFeatures(p, features) {
		all = append(all, result.PathFeature{Point: point, Feature: f})
	}
	return all
}

// pathSummary writes the path.
func (a *app) pathSummary(p *prepared, varied framework.Param, r *result.Path, warm bool) error {
	t := render.Table{Name: schema.Path, Columns: []string{"point", varied.Name, "status", "iterations", "selected", "objective", "explained_variance", "ari_previous"}}
	if warm {
		t.Columns = append(t.Columns, "warm_from")
	}
	orNil := func(v float64) any {
		if math.IsNaN(v) {
			return nil
		}
		return v
	}
	count := func(n int) any {
		if n < 0 {
			return nil
		}
		return n
	}
	for i, row := range r.Points {
		cells := []any{i, row.Value, row.Status, count(row.Iterations), count(row.Selected), orNil(row.Objective), orNil(row.Explained), orNil(row.ARI)}
		if warm {
			cells = append(cells, orNil(row.WarmFrom))
		}
		t.Rows = append(t.Rows, cells)
	}
	if a.settings.output == "table" || a.settings.output == "markdown" {
		for _, n := range p.notes {
			a.note("note: %s", n)
		}
		_, _ = fmt.Fprintf(a.out, "%s over %s: %s, %s (seed %d)\n\n", p.description.Name, varied.Name,
			counted(len(r.Points), "value", "values"), p.size(), p.problem.Seed)
	}
	if err := render.Write(a.out, a.settings.output, t); err != nil {
		return err
	}
	if a.settings.output == "table" || a.settings.output == "markdown" {
		_, _ = fmt.Fprintln(a.out)
	}
	if into := a.settings.into; into != "" {
		labels := ""
		if r.Labels != nil {
			labels = ", _path_assignments"
		}
		a.note("written to %s: %s_path, _path_features%s, _fit, _run", a.settings.db, into, labels)
		a.note("next: sqlcluster show %s path_features --db %s", shellWord(into), shellWord(a.settings.db))
		return nil
	}
	a.note("nothing was stored; add --db FILE --into NAME to keep the path as tables")
	a.note("next: fit one of the values, with %s VALUE", flagOf(varied))
	return nil
}
