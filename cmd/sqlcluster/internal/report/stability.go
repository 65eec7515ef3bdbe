package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/chart"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// stability is how well clusters and features come back when rows are drawn anew.
type stability struct {
	clusters []comeback
	features []frequency
	draws    int
	uneven   bool // draws have other numbers of rows than half of all
}

type comeback struct {
	cluster                                 int
	size, jaccard, se, dissolved, recovered float64
}

type frequency struct {
	name     string
	selected bool // in the run
	share    float64
}

// readStability reads the tables of a stability run.
func (r *run) readStability(read func(string, func(cells))) {
	read(schema.Stability, func(c cells) {
		r.stable.clusters = append(r.stable.clusters, comeback{c.whole("cluster"), c.number("size"), c.number("jaccard"),
			c.number("standard_error"),
			c.number("dissolved"), c.number("recovered")})
	})
	read(schema.StabilityFeatures, func(c cells) {
		r.stable.features = append(r.stable.features, frequency{nameOf(c.text("feature"), c.textOrNull("category")), c.yes("selected"),
			c.number("frequency")})
	})
	read(schema.StabilityDraws, func(c cells) {
		r.stable.draws++
		r.stable.uneven = r.stable.uneven || c.whole("rows") != r.fit.N/2
	})
}

// stabilitySection shows how well clusters and features come back.
func (r *run) stabilitySection() Section {
	s := Section{Title: "Stability"}
	if len(r.stable.clusters) > 0 {
		by := r.stable.largest()
		bars := &chart.Bars{Unit: "mean Jaccard index", To: 1, Lines: []chart.Line{{At: 0.6, Name: "0.6"}, {At: 0.75, Name: "0.75"}, {At: 0.85,
			Name: "0.85"}}}
		table := Table{Title: "How often each cluster came back", Head: []string{"cluster", "rows", "mean Jaccard", "standard error",
			"dissolved", "recovered"},
			Values: true}
		for _, c := range by {
			bars.Names, bars.Values = append(bars.Names, fmt.Sprintf("cluster %d", c.cluster)), append(bars.Values, c.jaccard)
			bars.Errors, bars.Texts = append(bars.Errors, c.se), append(bars.Texts, number(c.jaccard, 3))
			bars.Tones = append(bars.Tones, chart.Cluster(c.cluster))
			row := []string{fmt.Sprint(c.cluster)}
			for _, v := range []float64{c.size, c.jaccard, c.se, c.dissolved, c.recovered} {
				row = append(row, number(v, 4))
			}
			table.Rows = append(table.Rows, row)
		}
		left := shownOf(len(by), len(r.stable.clusters), "clusters are")
		table.Left = left
		s.Figures = append(s.Figures, Figure{chart.Chart{Name: "jaccard", Title: "How well each cluster comes back", Picture: bars,
			Note: "A bar is a cluster, compared with the most similar one of fits to drawn rows: " +
				"from 0.85 on it is very stable, from 0.75 on it is there, and below 0.6 it should not be trusted; " +
				"whiskers are one standard error."}, left})
		s.Tables = append(s.Tables, table)
	}
	if len(r.stable.features) > 0 {
		s.Figures = append(s.Figures, r.stable.frequencies())
	}
	return s
}

// frequencies shows how often features were selected.
func (s stability) frequencies() Figure {
	all := slices.Clone(s.features)
	slices.SortStableFunc(all, func(a, b frequency) int { return cmp.Compare(orZero(b.share), orZero(a.share)) })
	bars := &chart.Bars{Unit: "part of the draws in which it is selected", To: 1}
	for _, f := range all[:min(mostFeatures, len(all))] {
		text := percent(f.share)
		if f.selected {
			text += ", selected"
		}
		bars.Names, bars.Values, bars.Texts = append(bars.Names, f.name), append(bars.Values, f.share), append(bars.Texts, text)
	}
	return Figure{chart.Chart{Name: "frequencies", Title: "How often each feature is selected", Picture: bars,
		Note: "A bar is a feature; at 1 it was selected whatever rows were drawn. Those that the run itself selects are marked."},
		shownOf(len(bars.Names), len(all), "features are")}
}

// stabilityWords says how well each cluster comes back.
func (r *run) stabilityWords() (all []string) {
	for _, c := range r.stable.largest() {
		said := "do not trust it"
		switch {
		case c.jaccard >= 0.85:
			said = "very stable"
		case c.jaccard >= 0.75:
			said = "stable"
		case c.jaccard >= 0.6:
			said = "there is a pattern, but which rows belong to it is not clear"
		case math.IsNaN(c.jaccard):
			said = "not known"
		}
		all = append(all, fmt.Sprintf("Cluster %d (%s): %s (mean Jaccard %s).", c.cluster, input.Plural(int(orZero(c.size)), "row"), said,
			number(c.jaccard, 2)))
	}
	return all
}

// largest returns the clusters that are shown, in their order.
func (s stability) largest() []comeback {
	by := slices.Clone(s.clusters)
	slices.SortStableFunc(by, func(a, b comeback) int { return cmp.Compare(orZero(b.size), orZero(a.size)) })
	by = by[:min(mostClusters, len(by))]
	slices.SortFunc(by, func(a, b comeback) int { return cmp.Compare(a.cluster, b.cluster) })
	return by
}
