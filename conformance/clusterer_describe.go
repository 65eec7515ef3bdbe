package conformance

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

func describes(c *trial, s subject) {
	d := c.description(s)
	if err := d.Check(); err != nil {
		c.failf("Description.Check says: %v", err)
	}
	for _, v := range [][2]string{{"Version", d.Version}, {"Summary", d.Summary}} {
		if v[1] == "" {
			c.failf("%s is empty: users see it in sqlcluster plugin list and describe", v[0])
		}
	}
	for _, p := range d.Params {
		if p.Doc == "" {
			c.failf("parameter %s has no Doc: it is the help of its flag", p.Name)
		}
	}
	if again, err := s.describe(); err != nil || !reflect.DeepEqual(d, again) {
		c.failf("Describe says %+v once, and %+v another time (error %v)", d, again, err)
	}
}

// parameters tries values at the limits of every parameter's range, and extreme
// values where there is no limit.
func parameters(c *trial, s subject) {
	d := c.description(s)
	if len(d.Params) == 0 {
		c.skipf("the algorithm has no parameters")
	}
	n, p := c.between(2, 12), c.between(1, 5)
	rows := sample{c.cells(n, p, 2, false), nil, 4}
	for _, param := range d.Params {
		for _, text := range extremes(param) {
			texts := c.params(d, p, 0)
			texts[param.Name] = text
			params, err := d.Resolve(texts)
			if err != nil {
				continue // refused by the description already
			}
			c.input = nil
			c.given("algorithm %s with the parameters %v, %d × %d cells, k = 2", d.Name, params, n, p)
			problem := framework.Problem{N: n, P: p, K: 2, Columns: columnsOf(rows), Mass: float64(n), Params: params, Seed: 1}
			_, _, end, err := s.open(problem, rows)
			switch {
			case err == nil:
				end()
			case !refusal(err):
				c.failf("New fails with %v; a value that does not fit must be a Fault of class Data or Usage", err)
			case framework.AsFault(err).Summary == "":
				c.failf("the Fault %+v says nothing", framework.AsFault(err))
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

func plans(c *trial, s subject) {
	b := c.bed(s, want{})
	names := map[string]bool{}
	for _, st := range b.plan.Stats {
		if st.Name == "" || names[st.Name] || st.Len < 0 {
			c.failf("the statistics %+v have no name, one that is there twice, or a length below 0", b.plan.Stats)
		}
		names[st.Name] = true
	}
	if b.plan.Cadence[framework.Centers] == framework.Never && b.plan.Cadence[framework.FeatureWeights] == framework.Never {
		c.failf("the plan projects neither centers nor feature weights, so that the model would never change")
	}
	for l, column := range columnsOf(b.rows) {
		got := b.p.Columns[l]
		if got.Group = column.Group; got != column {
			c.failf("New writes to the problem: column %d is %+v, and was %+v", l, got, column)
		}
	}
	if params, err := b.d.Resolve(b.texts); err == nil && !reflect.DeepEqual(params, b.p.Params) {
		c.failf("New writes to the problem: the parameters are %v, and were %v", b.p.Params, params)
	}
	m := b.model(b.labels)
	b.assign(m, b.labels)
	if again := b.c.Plan(); !reflect.DeepEqual(again, b.plan) {
		c.failf("Plan says %+v at first, and %+v later", b.plan, again)
	}
	if other := b.again().plan; !reflect.DeepEqual(other, b.plan) {
		c.failf("Plan says %+v, and %+v for another clusterer of the same problem", b.plan, other)
	}
}

func begins(c *trial, s subject) {
	b := c.bed(s, want{})
	m := b.c.Begin()
	if m.Centers.Rows != b.p.K || m.Centers.Cols != b.p.P || len(m.Centers.Data) != b.p.K*b.p.P {
		c.failf("the centers are %d × %d with %d numbers; they must be %d × %d",
			m.Centers.Rows, m.Centers.Cols, len(m.Centers.Data), b.p.K, b.p.P)
	}
	if slices.ContainsFunc(m.Centers.Data, func(v float64) bool { return v != 0 }) {
		c.failf("the centers are %v; they must be 0", rowsOf(m.Centers))
	}
	before := m.Clone()
	other := b.c.Begin()
	b.project(other, b.update(other, b.labels))
	if d := difference(before, m); d != "" {
		c.failf("two models of Begin share memory: projecting one changes the other (%s)", d)
	}
	b.sameModel(before, b.c.Begin(), "Begin returns another model after a projection")
}

// degenerate tries problems at the edges of what is allowed.
func degenerate(c *trial, s subject) {
	kinds := []struct {
		what    string
		n, p, k int
		cell    func(i, l int) float64
	}{
		{"one row", 1, 3, 1, func(_, l int) float64 { return float64(l) }},
		{"one cluster", 9, 3, 1, nil},
		{"one feature", 9, 1, 3, nil},
		{"as many clusters as rows", 6, 2, 6, nil},
		{"all rows equal", 8, 3, 3, func(_, l int) float64 { return float64(l) }},
		{"all cells 0", 8, 3, 3, func(int, int) float64 { return 0 }},
		{"fewer different rows than clusters", 8, 2, 3, func(i, _ int) float64 { return float64(i % 2) }},
		{"huge numbers", 8, 2, 2, func(i, l int) float64 { return 1e150 * float64(1-i%2*2) * float64(1+l) }},
		{"tiny numbers", 8, 2, 2, func(i, l int) float64 { return 1e-160 * float64(i%3) * float64(1+l) }},
	}
	kind := kinds[c.index%len(kinds)]
	c.index /= len(kinds)
	d := c.description(s)
	rows := sample{c.cells(kind.n, kind.p, 2, false), nil, 3}
	if kind.cell != nil {
		for i := range rows.x.Data {
			rows.x.Data[i] = kind.cell(i/kind.p, i%kind.p)
		}
	}
	texts := c.params(d, kind.p, refusals)
	params, err := d.Resolve(texts)
	c.must(err)
	b := &bed{trial: c, s: s, d: d, texts: texts, p: framework.Problem{K: kind.k, Params: params, Seed: c.number}}
	c.given("%s", kind.what)
	if b.bind(rows) != nil {
		return // refused with a Fault, which is allowed
	}
	b.labels = b.start()
	b.tell()
	res, err := b.fit(startFrom(b.labels), b.settings(1))
	if err != nil {
		return
	}
	if notFinite(res.Objective) {
		c.failf("the objective is %v", res.Objective)
	}
	if slices.Min(res.Labels) < -1 || int(slices.Max(res.Labels)) >= kind.k {
		c.failf("labels %v for %d clusters", res.Labels, kind.k)
	}
	if slices.ContainsFunc(res.Model.Centers.Data, notFinite) {
		c.failf("the centers are %v", rowsOf(res.Model.Centers))
	}
}
