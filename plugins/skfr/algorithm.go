package skfr

import (
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

// Values of the choice parameters.
const (
	global   = "global"
	local    = "local"
	observed = "observed"
	kpod     = "kpod"
	refuse   = "error"
)

// Versions change when results do.
const (
	versionKMeans = "1.0.2" // means of equal cells are exact; earlier centers decide no tie
	versionSKFR   = "1.1.2" // selects groups; means of equal cells are exact; earlier centers decide no tie
)

// KMeans is Lloyd's k-means, or k-medians with loss=l1.
type KMeans struct{}

// SKFR is sparse k-means by feature ranking.
type SKFR struct{}

var (
	_ framework.Algorithm = KMeans{}
	_ framework.Algorithm = SKFR{}
)

// Algorithms returns what this plugin serves.
func Algorithms() []framework.Algorithm { return []framework.Algorithm{KMeans{}, SKFR{}, Spherical{}} }

func missingParam() framework.Param {
	return framework.Param{Name: "missing", Type: framework.ChoiceParam, Default: observed, Choices: []string{observed, kpod, refuse},
		Doc: "missing cells: observed leaves them out of every sum, kpod fills them from the row's center, error refuses them"}
}

// predict says that new rows may lack cells whatever the fitted ones did.
func predict() map[string]string { return map[string]string{"missing": observed} }

// dense names the values of parameters that need every cell.
func dense() map[string]string { return map[string]string{"loss": "l1", "missing": "kpod"} }

// Describe implements framework.Algorithm.
func (KMeans) Describe() framework.Description {
	return framework.Description{
		Name: "kmeans", Version: versionKMeans,
		Summary: "k-means (Lloyd) on all features",
		Paper:   "Lloyd (1982), Least squares quantization in PCM, https://doi.org/10.1109/TIT.1982.1056489",
		Params:  []framework.Param{means.LossParam(), missingParam()},
		Missing: true, Sparse: true, Dense: dense(), Constraints: true, Labels: true, Trims: true, Empty: framework.Reseed, Scale: "sd",
		Predict: predict(),
	}
}

// Describe implements framework.Algorithm.
func (SKFR) Describe() framework.Description {
	return framework.Description{
		Name: "skfr", Version: versionSKFR,
		Summary: "sparse k-means by feature ranking: the centers keep the s most useful features",
		Paper: "Zhang, Lange and Xu (2020), Simple and scalable sparse k-means clustering via feature ranking, " +
			"https://arxiv.org/abs/2002.08541",
		Params: []framework.Param{
			{Name: "sparsity", Type: framework.IntParam, Required: true, Min: new(1.0),
				Doc: "number of features to keep, or of groups of features where there are groups"},
			{Name: "scope", Type: framework.ChoiceParam, Default: global, Choices: []string{global, local},
				Doc: "global keeps the same features in all centers, local chooses them for each center"},
			means.LossParam(), missingParam(),
		},
		Missing: true, Sparse: true, Dense: dense(), Groups: true, Constraints: true, Labels: true, Trims: true, Empty: framework.Origin,
		Scale: "sd",
		Path:  "sparsity", Looser: framework.Up,
		Predict: predict(),
	}
}

// New implements framework.Algorithm.
func (KMeans) New(p framework.Problem) (framework.Clusterer, error) {
	_, all := constraint.GroupsOf(p)
	c, err := newClusterer(p, all, global)
	if err != nil {
		return nil, err
	}
	if c.set == nil || c.set.Properties().Convex { // nothing selects, and groups do not matter
		c.sparse.S, c.sparse.Groups, c.groups = p.P, nil, p.P
		c.plain, c.all = true, slices.Repeat([]bool{true}, p.P)
	}
	return c, nil
}

// New implements framework.Algorithm. It refuses a sparsity above the number of
// features, or of groups where there are groups.
func (SKFR) New(p framework.Problem) (framework.Clusterer, error) {
	s := p.Params.Int("sparsity")
	group, all := constraint.GroupsOf(p)
	if s < 1 || s > all {
		what := "features"
		if group != nil {
			what = "groups of features"
		}
		return nil, framework.Faultf(framework.Data, "sparsity-out-of-range",
			"sparsity is %d, but there are %d %s", s, all, what).
			At("sparsity").WithHint("choose a sparsity from 1 to %d", all)
	}
	c, err := newClusterer(p, s, p.Params.Text("scope"))
	if err != nil {
		return nil, err
	}
	return c, nil
}

func newClusterer(p framework.Problem, sparsity int, scope string) (*clusterer, error) {
	if err := means.RefuseMissing(p, "observed", "kpod"); err != nil {
		return nil, err
	}
	c := &clusterer{
		Lloyd:  means.NewLloyd(p, means.LossOf(p.Params)),
		sparse: constraint.Sparsity{S: sparsity, PerCenter: scope == local},
		cells:  means.CellsOf(p),
	}
	fills := p.Params.Text("missing") == kpod
	if fills && c.Loss != means.Squared {
		return nil, framework.Faultf(framework.Usage, "bad-parameter",
			"missing=%s fills cells with means, which loss=%s does not have", kpod, c.Loss).
			At("missing").WithHint("use %s with %s", framework.SettingTo("missing", observed), framework.SettingTo("loss", c.Loss))
	}
	c.kpod = fills && framework.HasMissing(p.Columns)
	c.sparse.Groups, c.groups = constraint.GroupsOf(p)
	if p.Centers == nil {
		return c, nil
	}
	if err := c.restrict(p.Centers); err != nil {
		return nil, err
	}
	return c, nil
}
