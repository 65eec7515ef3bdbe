package groupskm

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/weightset"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

// version changes when results do.
const version = "1.1.1" // centers belong to the weights where a set ties features; earlier centers decide no tie

// Values of group_penalty.
const (
	sqrtSize = "sqrt_size"
	one      = "one"
	weights  = "weights"
)

// GroupSKM is group-sparse k-means.
type GroupSKM struct{}

var _ framework.Algorithm = GroupSKM{}

// Algorithms returns what this plugin serves.
func Algorithms() []framework.Algorithm { return []framework.Algorithm{GroupSKM{}} }

// Describe implements framework.Algorithm.
func (GroupSKM) Describe() framework.Description {
	return framework.Description{
		Name: "groupskm", Version: version,
		Summary: "group-sparse k-means: weights of features, with a penalty that drops whole groups",
		Paper: "Chavent, Lacaille, Mourer and Olteanu (2020), Sparse k-means for mixed data via group-sparse clustering, " +
			"https://hal.science/hal-03130672",
		Params: slices.Concat([]framework.Param{
			{Name: "lambda", Type: framework.RealParam, Required: true, Min: new(0.0),
				Doc: "penalty of each group that has weight: 0 keeps all groups, a large value drops all"},
			{Name: "group_penalty", Type: framework.ChoiceParam, Default: sqrtSize, Choices: []string{sqrtSize, one, weights},
				Doc: "factor of lambda for a group: sqrt_size is the root of its number of features, weights takes those of the groups"},
		}, means.StopParams("50"), []framework.Param{means.MissingParam()}),
		Missing: true, Sparse: true, Constraints: true, Labels: true, Categorical: true, Groups: true,
		Empty: framework.Reseed, Scale: "sd_n", Path: "lambda", Looser: framework.Down,
		Predict: map[string]string{"missing": "observed"},
	}
}

// New implements framework.Algorithm.
func (GroupSKM) New(p framework.Problem) (framework.Clusterer, error) {
	if err := means.RefuseMissing(p, "observed"); err != nil {
		return nil, err
	}
	set := weightset.Grouped{Lambda: p.Params.Real("lambda"), Groups: p.GroupColumns()}
	var err error
	if set.Factors, err = factors(p, set.Groups); err != nil {
		return nil, err
	}
	centers, err := means.Restrict(p, true)
	if err != nil {
		return nil, err
	}
	w := means.Weighting{Set: set, Groups: set.Groups, PerRow: true, Grid: grid(set), Centers: centers}
	return means.NewWeighted(p, w.Stop(p.Params)), nil
}

// grid returns penalties from 0 to just below the one that drops all groups of
// the clusters of plain k-means: at that one, a run from them ends at once.
//
// Source: Chavent et al. (2020), section 3.3; the distance to the end is that of
// their program.
func grid(set weightset.Grouped) func([]float64, int) []float64 {
	return func(gains []float64, n int) []float64 {
		return means.Evenly(0, max(0, set.Vanishing(gains)-0.001), n)
	}
}

// factors returns the factor of lambda for each group.
func factors(p framework.Problem, groups [][]int) ([]float64, error) {
	all := make([]float64, len(groups))
	given := p.GroupWeights()
	for g, features := range groups {
		switch p.Params.Text("group_penalty") {
		case sqrtSize:
			all[g] = math.Sqrt(float64(len(features)))
		case one:
			all[g] = 1
		case weights:
			switch {
			case given != nil && !math.IsNaN(given[g]):
				all[g] = given[g]
			case p.N > 0: // a stored model, which labels new rows, knows its weights already
				return nil, noWeight(p, features, given == nil)
			}
		}
	}
	return all, nil
}

func noWeight(p framework.Problem, features []int, none bool) error {
	hint := "give a weight with every group of " + framework.Setting("groups") +
		", or use " + framework.SettingTo("group_penalty", "sqrt_size")
	if none {
		class := framework.Data
		if p.Groups == nil { // no --groups, whatever the data
			class = framework.Usage
		}
		return framework.Faultf(class, "group-weight-missing", "group_penalty is weights, but no group has a weight").
			At("group_penalty").WithHint("%s", hint)
	}
	name := p.Columns[features[0]].Name
	if p.Groups != nil {
		name = p.Groups[p.Columns[features[0]].Group].Name
	}
	return framework.Faultf(framework.Data, "group-weight-missing", "group_penalty is weights, but group %q has none", name).
		At("group_penalty").WithHint("%s", hint)
}
