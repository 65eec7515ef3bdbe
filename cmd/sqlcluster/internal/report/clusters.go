package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/chart"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// headline says what was fitted.
func (r *run) headline() string {
	what := r.verb()
	if what == "tune" {
		what = "tuning"
	}
	text := fmt.Sprintf("%s of %s: %s, %s", what, r.fit.Algorithm, input.Plural(r.fit.N, "row"), input.Plural(r.fit.P, "feature"))
	if r.fit.K > 0 {
		text += ", " + input.Plural(r.fit.K, "cluster")
	}
	return text
}

// called is the name of a cluster, with the class that is known of it.
func (r *run) called(cluster int) string {
	name := fmt.Sprintf("cluster %d", cluster)
	for _, c := range r.clusters {
		if c.Cluster == cluster && c.Class != "" {
			name += ": " + render.Short(c.Class, longestName)
		}
	}
	return name
}

// clusterSection shows sizes and profiles.
func (r *run) clusterSection() Section {
	s := Section{Title: "Clusters"}
	if len(r.clusters) == 0 {
		return s
	}
	bars, rows := &chart.Bars{Unit: "rows"}, 0
	for _, c := range r.clusters {
		rows += c.Size
	}
	for _, c := range r.clusters {
		if slices.Contains(r.shown, c.Cluster) {
			bars.Names, bars.Values = append(bars.Names, r.called(c.Cluster)), append(bars.Values, float64(c.Size))
			bars.Tones = append(bars.Tones, chart.Cluster(c.Cluster))
			bars.Texts = append(bars.Texts, fmt.Sprintf("%d (%s)", c.Size, percent(float64(c.Size)/float64(max(1, rows)))))
		}
	}
	s.Figures = append(s.Figures, Figure{chart.Chart{Name: "sizes", Title: "Sizes of clusters", Picture: bars,
		Note: "A bar is a cluster; its length is the number of rows, and the number in brackets their share."},
		shownOf(len(r.shown), len(r.clusters), "clusters are")})
	if len(r.profile.traits) > 0 {
		s.Figures = append(s.Figures, r.profile.heatMap(len(r.clusters)))
	}
	if left := r.fit.N - rows; left > 0 {
		s.Words = append(s.Words, fmt.Sprintf("%s %s no cluster: in the table %s_assignments, the column status says why.",
			input.Plural(left, "row"), input.Agreed(left, "has", "have"), r.name))
	}
	return s
}

// ranked returns the selected features, the most important first.
func (r *run) ranked() []result.Feature {
	all := slices.DeleteFunc(slices.Clone(r.features), func(f result.Feature) bool { return !selected(f) })
	slices.SortStableFunc(all, func(a, b result.Feature) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(orZero(b.Gain), orZero(a.Gain)))
	})
	return all
}

func orZero(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// featureSection ranks features, by weight where there are weights and else by gain.
func (r *run) featureSection() Section {
	s := Section{Title: "Features"}
	if len(r.clusters) == 0 {
		return s
	}
	if r.local() {
		s.Figures = []Figure{r.selectionTiles()}
		return s
	}
	bars := &chart.Bars{Unit: "gain"}
	c := chart.Chart{Name: "features", Title: "Which features make the clusters", Picture: bars,
		Note: "The longer the bar, the more the clusters rest on the feature: its gain is how much of the sum of squared " +
			"distances, in units of the fit, they explain in it."}
	if r.setting("loss") == "l1" || r.setting("param.loss") == "l1" {
		c.Note = "The longer the bar, the more the clusters rest on the feature: its gain is how much of the sum of distances they explain in it."
	}
	weighted, seen := false, map[string]bool{}
	for _, f := range r.features {
		weighted = weighted || f.Weight == f.Weight
	}
	if weighted {
		bars.Unit = "weight"
		c.Note = "The longer the bar, the more the feature counts in distances; the categories of a column count together."
	}
	ranked := r.ranked()
	if weighted {
		slices.SortStableFunc(ranked, func(a, b result.Feature) int { return cmp.Compare(orZero(b.Norm), orZero(a.Norm)) })
	}
	for _, f := range ranked {
		name, value := nameOf(f.Feature, f.Category), f.Gain
		if weighted {
			name, value = cmp.Or(f.Group, f.Feature), f.Norm
		}
		if math.IsNaN(value) || seen[name] {
			continue
		}
		seen[name] = true
		if len(bars.Names) < mostFeatures {
			bars.Names, bars.Values, bars.Texts = append(bars.Names, name), append(bars.Values, value), append(bars.Texts, number(value, 3))
		}
	}
	if len(seen) == 0 {
		return s
	}
	of := "features are"
	if n := len(r.features) - len(ranked); n > 0 {
		s.Words = []string{fmt.Sprintf("%d of %s %s selected.", len(ranked), input.Plural(len(r.features), "feature"),
			input.Agreed(len(r.features), "is", "are"))}
		of = "selected features are"
	}
	s.Figures = []Figure{{c, shownOf(len(bars.Names), len(seen), of)}}
	return s
}

// selectionTiles shows which features were selected for which cluster.
func (r *run) selectionTiles() Figure {
	tiles := &chart.Tiles{Positive: true, Unit: "gain: how much the cluster explains in the feature"}
	for _, j := range r.shown {
		tiles.Columns, tiles.Tones = append(tiles.Columns, fmt.Sprint(j)), append(tiles.Tones, chart.Cluster(j))
	}
	place := map[string]int{}
	total := map[string]float64{}
	for _, f := range r.ranked() {
		total[nameOf(f.Feature, f.Category)] += orZero(f.Gain)
	}
	names := make([]string, 0, len(total))
	for name := range total {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(total[b], total[a]), strings.Compare(a, b)) })
	for i, name := range names[:min(mostFeatures, len(names))] {
		place[name] = i
		tiles.Rows, tiles.Values = append(tiles.Rows, name), append(tiles.Values, nulls(len(r.shown)))
		tiles.Texts = append(tiles.Texts, slices.Repeat([]string{"–"}, len(r.shown)))
	}
	for _, f := range r.ranked() {
		i, found := place[nameOf(f.Feature, f.Category)]
		if j, known := slices.BinarySearch(r.shown, f.Cluster); found && known {
			tiles.Values[i][j], tiles.Texts[i][j] = f.Gain, number(f.Gain, 3)
			tiles.Most = max(tiles.Most, orZero(f.Gain))
		}
	}
	if tiles.Most == 0 {
		tiles.Most = 1
	}
	return Figure{chart.Chart{Name: "features", Title: "Which features make which cluster", Picture: tiles,
		Note: "A coloured tile is a feature that was selected for the cluster of its column; " +
			"the stronger the colour, the more the cluster rests on it."},
		strings.TrimSpace(shownOf(len(r.shown), len(r.clusters), "clusters are") + " " +
			shownOf(len(tiles.Rows), len(names), "features that were selected for them are"))}
}

// fitSection compares the starts.
func (r *run) fitSection() Section {
	s := Section{Title: "Fit"}
	starts := r.starts[:min(mostListed, len(r.starts))]
	best := r.bestStart()
	bars := &chart.Bars{Unit: "percent worse than the best start", To: 0.01}
	for i, t := range starts {
		bars.Names, bars.Values = append(bars.Names, fmt.Sprintf("start %d", i)), append(bars.Values, 100*math.Abs((t.objective-best)/best))
		bars.Texts = append(bars.Texts, number(t.objective, 6)+", "+input.Plural(t.iterations, "iteration"))
	}
	if r.fit.Model != "" {
		s.Words = []string{fmt.Sprintf("Objective %s; %s (%s).", number(r.fit.Objective, 6), convergence(r.fit.Converged), r.fit.StopReason)}
		if r.fit.Approximate {
			s.Words = append(s.Words, "The fit is approximate: its start was made from batches of the rows, so that a better one may have been "+
				"missed.")
		}
	}
	if r.drawn != nil && finite(r.drawn.Explained) {
		s.Words = append(s.Words, fmt.Sprintf("The clusters explain %s of the variance of all columns%s.", percent(r.drawn.Explained),
			byWeight(r.drawn.Weighted)))
	}
	if r.fit.Model != "" && r.verb() != "stability" {
		s.Words = append(s.Words, "How well the clusters come back in a part of the rows:",
			commandMark+"sqlcluster stability "+framework.ShellWord(r.name)+" --db FILE")
	}
	if len(starts) > 0 {
		s.Figures = []Figure{{chart.Chart{Name: "starts", Title: "Objective of every start", Picture: bars,
			Note: "A bar is a start: how much worse its objective is than the best, with the objective and the iterations that it took beside it; " +
				"several starts at 0 have most likely found the same clusters."}, shownOf(len(starts), len(r.starts), "starts are")}}
	}
	return s
}

func byWeight(weighted bool) string {
	if weighted {
		return ", by their weights"
	}
	return ""
}

// bestStart is the objective of the best start.
func (r *run) bestStart() float64 {
	best := math.NaN()
	for _, t := range r.starts {
		if math.IsNaN(best) || t.objective < best != r.fit.Maximize {
			best = t.objective
		}
	}
	return best
}

func convergence(yes bool) string {
	if yes {
		return "the fit converged"
	}
	return "the fit did not converge"
}
