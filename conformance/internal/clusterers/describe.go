package clusterers

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
)

func describes(c *judge.Trial, s testbed.Subject) {
	d := testbed.Describe(c, s)
	if err := d.Check(); err != nil {
		c.Failf("Description.Check says: %v", err)
	}
	for _, v := range [][2]string{{"Version", d.Version}, {"Summary", d.Summary}} {
		if v[1] == "" {
			c.Failf("%s is empty: users see it in sqlcluster plugin list and describe", v[0])
		}
	}
	for _, p := range d.Params {
		if p.Doc == "" {
			c.Failf("parameter %s has no Doc: it is the help of its flag", p.Name)
		}
	}
	if again, err := s.Describe(); err != nil || !reflect.DeepEqual(d, again) {
		c.Failf("Describe says %+v once, and %+v another time (error %v)", d, again, err)
	}
}

// parameters tries values at the limits of every parameter's range, and extreme
// values where there is no limit.
func parameters(c *judge.Trial, s testbed.Subject) {
	d := testbed.Describe(c, s)
	if len(d.Params) == 0 {
		c.Skipf("the algorithm has no parameters")
	}
	n, p := c.Between(2, 12), c.Between(1, 5)
	rows := cases.Sample{X: cases.Cells(c, n, p, 2, false), BlockRows: 4}
	for _, param := range d.Params {
		for _, text := range extremes(param) {
			texts := cases.Params(c, d, p, 0)
			texts[param.Name] = text
			params, err := d.Resolve(texts)
			if err != nil {
				continue // refused by the description already
			}
			c.Forget()
			c.Given("algorithm %s with the parameters %v, %d × %d cells, k = 2", d.Name, params, n, p)
			problem := framework.Problem{N: n, P: p, K: 2, Columns: cases.ColumnsOf(rows), Mass: float64(n), Params: params, Seed: 1}
			_, _, end, err := s.Open(problem, rows)
			switch {
			case err == nil:
				end()
			case !testbed.IsRefusal(err):
				c.Failf("New fails with %v; a value that does not fit must be a Fault of class Data or Usage", err)
			case framework.AsFault(err).Summary == "":
				c.Failf("the Fault %+v says nothing", framework.AsFault(err))
			}
		}
	}
}

// extremes are extreme texts that a user may give for a parameter.
func extremes(p framework.Param) []string {
	switch p.Type {
	case framework.ChoiceParam:
		return p.Choices
	case framework.BoolParam:
		return []string{"true", "false"}
	case framework.TextParam:
		return []string{"", "a", "ä\x00\"'", strings.Repeat("long ", 1000)}
	}
	texts := []string{"0", "-1", "1", "1000000000", "-9223372036854775808", "9223372036854775807"}
	if p.Type == framework.RealParam {
		texts = append(texts, "1e308", "-1e308", "5e-324")
	}
	for _, bound := range []*float64{p.Min, p.Max} {
		if bound != nil {
			texts = append(texts, strconv.FormatFloat(*bound, 'f', -1, 64))
		}
	}
	return texts
}

func plans(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	names := map[string]bool{}
	for _, st := range b.Plan.Stats {
		if st.Name == "" || names[st.Name] || st.Len < 0 {
			c.Failf("the statistics %+v have no name, one that is there twice, or a length below 0", b.Plan.Stats)
		}
		names[st.Name] = true
	}
	if b.Plan.Cadence[framework.Centers] == framework.Never && b.Plan.Cadence[framework.FeatureWeights] == framework.Never {
		c.Failf("the plan projects neither centers nor feature weights, so that the model would never change")
	}
	for l, column := range cases.ColumnsOf(b.Rows) {
		got := b.Columns[l]
		if got.Group = column.Group; got != column {
			c.Failf("New writes to the problem: column %d is %+v, and was %+v", l, got, column)
		}
	}
	if params, err := b.Description.Resolve(b.Texts); err == nil && !reflect.DeepEqual(params, b.Params) {
		c.Failf("New writes to the problem: the parameters are %v, and were %v", b.Params, params)
	}
	m := b.Model(b.Labels)
	b.Assign(m, b.Labels)
	if again := b.Clusterer.Plan(); !reflect.DeepEqual(again, b.Plan) {
		c.Failf("Plan says %+v at first, and %+v later", b.Plan, again)
	}
	if other := b.Again().Plan; !reflect.DeepEqual(other, b.Plan) {
		c.Failf("Plan says %+v, and %+v for another clusterer of the same problem", b.Plan, other)
	}
}

func begins(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	m := b.Clusterer.Begin()
	if m.Centers.Rows != b.K || m.Centers.Cols != b.P || len(m.Centers.Data) != b.K*b.P {
		c.Failf("the centers are %d × %d with %d numbers; they must be %d × %d",
			m.Centers.Rows, m.Centers.Cols, len(m.Centers.Data), b.K, b.P)
	}
	if slices.ContainsFunc(m.Centers.Data, func(v float64) bool { return v != 0 }) {
		c.Failf("the centers are %v; they must be 0", judge.RowsOf(m.Centers))
	}
	before := m.Clone()
	other := b.Clusterer.Begin()
	b.Project(other, b.Update(other, b.Labels))
	if d := testbed.Difference(before, m); d != "" {
		c.Failf("two models of Begin share memory: projecting one changes the other (%s)", d)
	}
	b.SameModel(before, b.Clusterer.Begin(), "Begin returns another model after a projection")
}
