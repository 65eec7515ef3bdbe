package pcskm

import (
	"fmt"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/links"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

// Versions change when results do.
const (
	versionPCSKM = "1.1.1" // centers belong to the weights where a set ties features; earlier centers decide no tie
	versionPCKM  = "1.0.2" // a mean of equal cells is that cell; earlier centers decide no tie
	versionMPCKM = "1.1.1" // centers and metric come to rest together; earlier centers decide no tie
)

// PCSKM is pairwise constrained sparse k-means.
type PCSKM struct{}

// PCKM is pairwise constrained k-means, on all features alike.
type PCKM struct{}

// MPCKM is pairwise constrained k-means that learns a diagonal metric.
type MPCKM struct{}

var (
	_ framework.Algorithm = PCSKM{}
	_ framework.Algorithm = PCKM{}
	_ framework.Algorithm = MPCKM{}
)

// Algorithms returns what this plugin serves.
func Algorithms() []framework.Algorithm { return []framework.Algorithm{PCSKM{}, PCKM{}, MPCKM{}} }

// Values of the choice parameters.
const (
	boxData   = "data"
	boxOrigin = "origin"
	once      = "once"
	add       = "add"
)

// params are those that the three algorithms share.
func params() []framework.Param {
	return []framework.Param{
		{Name: "box", Type: framework.ChoiceParam, Default: boxData, Choices: []string{boxData, boxOrigin},
			Doc: "what the cost of a cannot pair is measured from: data is the box around all rows, origin the box around rows and 0"},
		{Name: "closure", Type: framework.BoolParam, Default: "false",
			Doc: "add the pairs that follow from the given ones: must by a chain of must pairs, cannot by such a chain and a cannot pair"},
		{Name: "duplicates", Type: framework.ChoiceParam, Default: once, Choices: []string{once, add},
			Doc: "a pair that is given again: once takes the largest weight, add adds the weights up"},
		{Name: "passes", Type: framework.IntParam, Default: "25", Min: new(1.0),
			Doc: "largest number of passes over the rows in a round of fixed weights"},
	}
}

func description(name, version, summary, paper string, own []framework.Param) framework.Description {
	return framework.Description{
		Name: name, Version: version, Summary: summary, Paper: paper, Params: append(own, params()...),
		Links: true, Labels: true, Sparse: true, Constraints: true, Empty: framework.Reseed, Scale: "sd",
	}
}

// Describe implements framework.Algorithm.
func (PCSKM) Describe() framework.Description {
	d := description("pcskm", versionPCSKM, "sparse k-means with pairs of rows that belong together or must be kept apart",
		"Vouros and Vasilaki (2020), A semi-supervised sparse k-means algorithm, https://arxiv.org/abs/2003.06973",
		means.BoundParams("25", framework.Param{Name: "penalty_in_weights", Type: framework.BoolParam, Default: "false",
			Doc: "broken pairs count when the feature weights are chosen (the paper's equation 15), and not only for the rows"}))
	d.Path, d.Looser = means.L1Bound, framework.Up
	return d
}

// Describe implements framework.Algorithm.
func (PCKM) Describe() framework.Description {
	return description("pckm", versionPCKM, "k-means with pairs of rows that belong together or must be kept apart",
		"Basu, Banerjee and Mooney (2004), Active semi-supervision for pairwise constrained clustering, "+
			"https://doi.org/10.1137/1.9781611972740.31", nil)
}

// Describe implements framework.Algorithm.
func (MPCKM) Describe() framework.Description {
	d := description("mpckm", versionMPCKM,
		"k-means with pairs of rows that belong together or must be kept apart, and a metric learned from them",
		"Bilenko, Basu and Mooney (2004), Integrating constraints and metric learning in semi-supervised clustering, "+
			"https://doi.org/10.1145/1015330.1015360", nil)
	// Without it, a metric of 0 would be best.
	d.ObjectiveTerms = []string{"−n log w for each feature weight w, n being the weight of all rows"}
	return d
}

// New implements framework.Algorithm.
func (PCSKM) New(p framework.Problem) (framework.Clusterer, error) {
	w, err := means.Bounded(p)
	if err != nil {
		return nil, err
	}
	c, err := newClusterer(p, true)
	if err != nil {
		return nil, err
	}
	c.sparse = &sparse{w, p.Params.Bool("penalty_in_weights")}
	return bounded{selecting{c}}, nil
}

// New implements framework.Algorithm.
func (PCKM) New(p framework.Problem) (framework.Clusterer, error) { return newClusterer(p, false) }

// New implements framework.Algorithm.
func (MPCKM) New(p framework.Problem) (framework.Clusterer, error) {
	c, err := newClusterer(p, true)
	if err != nil {
		return nil, err
	}
	c.metric, c.tied = true, c.Centers != nil && !p.Centers.Properties().Separable
	return selecting{c}, nil
}

// newClusterer refuses missing cells, hard links that no k clusters can keep, and
// constraints that do not go with feature weights where it has some.
func newClusterer(p framework.Problem, weighs bool) (*clusterer, error) {
	for _, col := range p.Columns {
		if col.Missing > 0 && p.N > 0 {
			return nil, framework.Faultf(framework.Data, "missing-values", "column %s has missing cells", col.Name).
				WithHint("%s leaves out rows that have them", framework.SettingTo("nulls", "drop"))
		}
	}
	c := &clusterer{Lloyd: means.NewLloyd(p, means.Squared), noise: means.NoisesOf(p), ranges: make([]float64, p.P)}
	for l, col := range p.Columns {
		c.ranges[l] = col.Max - col.Min
		if p.Params.Text("box") == boxOrigin {
			c.ranges[l] = col.Max - min(col.Min, 0)
		}
	}
	var err error
	if c.Centers, err = means.Restrict(p, weighs); err != nil {
		return nil, err
	}
	if len(p.Links) == 0 {
		return c, nil
	}
	if err := framework.CheckLinks(p.Links, p.N); err != nil {
		return nil, err
	}
	c.links, c.place = links.Merge(p.Links, p.Params.Text("duplicates") == add)
	if p.Params.Bool("closure") {
		merged := c.links
		if c.links, err = links.Close(merged, p.N); err != nil {
			return nil, err
		}
		relocate(c.place, merged, c.links)
	}
	graph, clusters, err := links.Check(c.links, p.N, p.K, func(i int32) string { return fmt.Sprintf("row %d", i) })
	if err != nil {
		return nil, err
	}
	c.graph, c.keeping = graph, clusters
	c.halves = newHalves(graph, c.links)
	return c, nil
}

// relocate turns places among the merged links into places among all links.
func relocate(place []int, merged, all []framework.Link) {
	to, at := make([]int, len(merged)), 0
	for i, l := range merged {
		for all[at] != l {
			at++
		}
		to[i] = at
	}
	for i, m := range place {
		place[i] = to[m]
	}
}
