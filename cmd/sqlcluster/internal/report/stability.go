package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/chart"
)

// stability is how well clusters and features come back when rows are drawn anew.
type stability struct {
	clusters []comeback
	features []frequency
}

type comeback struct {
	cluster                                 int
	size, jaccard, se, dissolved, recovered float64
}

type frequency struct {
	name    string
	cluster int // −1: all
	share   float64
}

// readStability reads the tables of a stability run.
func (r *run) readStability(read func(string, func(cells))) {
	read("stability", func(c cells) {
		r.stable.clusters = append(r.stable.clusters, comeback{c.whole("cluster"), c.number("size"), c.number("jaccard"),
			c.number("standard_error"),
			c.number("dissolved"), c.number("recovered")})
	})
	read("stability_features", func(c cells) {
		r.stable.features = append(r.stable.features, frequency{nameOf(c.text("feature"), c.textOrNull("category")), c.whole("cluster"),
			c.number("frequency")})
	})
}

// stabilitySection shows how well clusters and features come back.
func (r *run) stabilitySection() Section {
	s := Section{Title: "Stability"}
	if len(r.stable.clusters) > 0 {
		by := slices.Clone(r.stable.clusters)
		slices.SortStableFunc(by, func(a, b comeback) int { return cmp.Compare(orZero(b.size), orZero(a.size)) })
		by = by[:min(mostClusters, len(by))]
		slices.SortFunc(by, func(a, b comeback) int { return cmp.Compare(a.cluster, b.cluster) })
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
				"from 0.85 on it is very stable, from 0.75 on it is there, and below 0.6 it should not be trusted."}, left})
		s.Tables = append(s.Tables, table)
	}
	if len(r.stable.features) > 0 {
		s.Figures = append(s.Figures, r.stable.frequencies())
	}
	return s
}

// frequencies shows how often features were selected. Of those that are selected for
// one cluster, it is the cluster where they are most often.
func (s stability) frequencies() Figure {
	best := map[string]int{}
	var all []frequency
	for _, f := range s.features {
		if i, found := best[f.name]; !found {
			best[f.name], all = len(all), append(all, f)
		} else if f.share > all[i].share {
			all[i] = f
		}
	}
	slices.SortStableFunc(all, func(a, b frequency) int { return cmp.Compare(orZero(b.share), orZero(a.share)) })
	bars := &chart.Bars{Unit: "share of the draws in which it is selected", To: 1}
	for _, f := range all[:min(mostFeatures, len(all))] {
		text := percent(f.share)
		if f.cluster >= 0 {
			text += fmt.Sprintf(" for cluster %d", f.cluster)
		}
		bars.Names, bars.Values, bars.Texts = append(bars.Names, f.name), append(bars.Values, f.share), append(bars.Texts, text)
	}
	return Figure{chart.Chart{Name: "frequencies", Title: "How often each feature is selected", Picture: bars,
		Note: "A bar is a feature; at 1 it was selected whatever rows were drawn."}, shownOf(len(bars.Names), len(all), "features are")}
}
