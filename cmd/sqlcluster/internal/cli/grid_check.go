package cli

import (
	"context"
	"maps"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
)

// checkValues refuses values of --grid that are no values of the parameter,
// whatever the data.
func checkValues(varied framework.Param, grid []float64) error {
	return refusedValues(grid, func(v float64) error {
		_, err := varied.Parse(number(v))
		return err
	})
}

// gridFor returns the values of --grid, if all are possible with these data; where
// there are none, those that the algorithm proposes.
func (a *app) gridFor(ctx context.Context, host fit.Host, p *prepared, varied framework.Param, grid []float64, points int) ([]float64, error) {
	if grid == nil {
		return a.proposed(ctx, host, p, points)
	}
	return grid, p.checkGrid(ctx, host, varied, grid)
}

// checkGrid refuses values of --grid that the algorithm refuses for these data,
// before anything is fitted.
func (p *prepared) checkGrid(ctx context.Context, host fit.Host, varied framework.Param, grid []float64) error {
	return refusedValues(grid, func(v float64) error {
		value, err := varied.Parse(number(v))
		if err != nil {
			return err
		}
		problem := p.problem
		problem.Params = maps.Clone(problem.Params)
		problem.Params[varied.Name] = value
		if built := p.algorithm.built; built != nil {
			_, err := built.New(problem)
			return err
		}
		problem.Links = nil
		session, err := host.Bind(ctx, p.description.Name, problem, p.data)
		if err != nil {
			return err
		}
		return session.Close()
	})
}

// refusedValues returns the fault of the values that are refused, if there are
// any: of one it is the fault itself.
func refusedValues(grid []float64, check func(v float64) error) error {
	var first *framework.Fault
	var all []string
	for _, v := range grid {
		err := check(v)
		if err == nil {
			continue
		}
		f := framework.AsFault(err)
		if f == nil || f.Class == framework.Plugin {
			return err
		}
		if first == nil {
			first = f
		}
		if !slices.Contains(all, f.Summary) {
			all = append(all, f.Summary)
		}
	}
	if first == nil {
		return nil
	}
	if len(all) > 1 {
		first.Details = append(firstOf(all[1:], shownNames), first.Details...)
	}
	return first.At("grid")
}
