package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/chart"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// A step is a feature along a path.
type step struct {
	name   string
	values []float64 // by point: its weight, or 1 where it is selected; 0: it is not
	last   int       // point at which it is still there
	points int       // number of points at which it is
}

func (r *run) readPoint(c cells) {
	r.path = append(r.path, result.PathPoint{Parameter: c.text("parameter"), Value: c.number("value"), Status: c.text("status"),
		Selected: c.whole("selected"), Objective: c.number("objective"), Explained: c.number("explained_variance"),
		ARI: c.number("ari_previous")})
}

// readStep takes a feature at a point. With weights, categories and groups count as one.
func (r *run) readStep(c cells) {
	if len(r.steps) == 0 {
		r.picked = r.pickPoint()
	}
	if c.whole("point") == r.picked && c.yes("selected") {
		r.readFeature(c)
	}
	name, value := nameOf(c.text("feature"), c.textOrNull("category")), 0.0
	if c.yes("selected") {
		value = 1
	}
	if norm := c.number("group_norm"); finite(norm) {
		name, value = cmp.Or(c.text("feature_group"), c.text("feature")), norm
		r.weighted = true
	}
	at := c.whole("point")
	if at < 0 || at >= len(r.path) {
		return
	}
	i, found := r.stepAt[name]
	if !found {
		i = len(r.steps)
		r.stepAt[name], r.steps = i, append(r.steps, step{name: name, values: make([]float64, len(r.path))})
	}
	s := &r.steps[i]
	if value > 0 && s.values[at] == 0 {
		s.points, s.last = s.points+1, max(s.last, at)
	}
	s.values[at] = max(s.values[at], value)
}

// lasting returns the features of a path, those first that stay longest.
func (r *run) lasting() []step {
	all := slices.Clone(r.steps)
	slices.SortStableFunc(all, func(a, b step) int {
		return cmp.Or(cmp.Compare(b.points, a.points), cmp.Compare(slices.Max(b.values), slices.Max(a.values)))
	})
	return all
}

// pathSection shows which features stay, and what that costs.
func (r *run) pathSection() Section {
	s := Section{Title: "Path"}
	if len(r.path) == 0 {
		return s
	}
	if len(r.steps) > 0 {
		if r.weighted {
			s.Figures = append(s.Figures, r.weightLines())
		} else {
			s.Figures = append(s.Figures, r.selectedTiles())
		}
	}
	curve := func(name, title, note, unit string, of func(result.PathPoint) float64) {
		line, marks := chart.Series{Tone: chart.Plain}, []chart.Mark(nil)
		if len(r.clusters) > 0 {
			marks = []chart.Mark{{X: r.path[r.picked].Value, Y: of(r.path[r.picked]), Name: "shown"}}
		}
		for _, p := range r.path {
			line.X, line.Y = append(line.X, p.Value), append(line.Y, of(p))
		}
		sortByX(&line)
		if slices.ContainsFunc(line.Y, finite) {
			s.Figures = append(s.Figures, Figure{Chart: chart.Chart{Name: name, Title: title, Note: note,
				Picture: &chart.Lines{Series: []chart.Series{line}, X: r.path[0].Parameter, Y: unit, Whole: r.wholePath(),
					Marks: marks}}})
		}
	}
	curve("explained", "How much the clusters explain", "A point is a fit. A line that falls where columns are dropped says that the "+
		"clusters need them.",
		"explained variance, all features", func(p result.PathPoint) float64 { return p.Explained })
	if slices.ContainsFunc(r.path, func(p result.PathPoint) bool { return float64(p.Selected) != p.Value }) {
		curve("selected", "How many features are selected", "A point is a fit.", "features", func(p result.PathPoint) float64 {
			if p.Selected < 0 {
				return math.NaN()
			}
			return float64(p.Selected)
		})
	}
	curve("agreement", "How the clusters change along the path",
		"A point compares a fit with the one before; at 1 the clusters are the same, at 0 they have no more in common than by chance.",
		"adjusted Rand index", func(p result.PathPoint) float64 { return p.ARI })
	return s
}

func (r *run) wholePath() bool {
	return !slices.ContainsFunc(r.path, func(p result.PathPoint) bool { return p.Value != math.Trunc(p.Value) })
}

// sortByX puts the points of a line in order.
func sortByX(s *chart.Series) {
	order := make([]int, len(s.X))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.X[a], s.X[b]) })
	s.X, s.Y = input.Permuted(s.X, order), input.Permuted(s.Y, order)
}

// weightLines draws weights against the parameter.
func (r *run) weightLines() Figure {
	all := r.lasting()
	shown := min(mostFeatures, len(all))
	lines := &chart.Lines{X: r.path[0].Parameter, Y: "weight of the feature", Wide: true, Whole: r.wholePath()}
	for i, f := range all[:shown] {
		s := chart.Series{Tone: chart.Cluster(i), Name: f.name, Bare: true}
		for at, p := range r.path {
			s.X, s.Y = append(s.X, p.Value), append(s.Y, f.values[at])
		}
		sortByX(&s)
		lines.Series = append(lines.Series, s)
	}
	return Figure{chart.Chart{Name: "path", Title: "Weights along the path", Picture: lines,
		Note: "A line is a feature, with all its categories; the further to the right it falls to 0, the more it matters. " +
			"Those that stay longest are first in the list."}, shownOf(shown, len(all), "features are")}
}

// selectedTiles shows which features are selected at which value.
func (r *run) selectedTiles() Figure {
	all := r.lasting()
	tiles := &chart.Tiles{Positive: true, Most: 1.4}
	points := spaced(len(r.path), mostFeatures)
	for _, at := range points {
		tiles.Columns = append(tiles.Columns, number(r.path[at].Value, 3))
	}
	for _, f := range all[:min(mostFeatures, len(all))] {
		tiles.Rows = append(tiles.Rows, f.name)
		values, texts := make([]float64, len(points)), make([]string, len(points))
		for i, at := range points {
			values[i], texts[i] = f.values[at], "–"
			if f.values[at] > 0 {
				texts[i] = "yes"
			}
		}
		tiles.Values, tiles.Texts = append(tiles.Values, values), append(tiles.Texts, texts)
	}
	return Figure{chart.Chart{Name: "path", Title: "Features selected along the path", Picture: tiles,
		Note: "A column is a value of " + r.path[0].Parameter + "; a coloured tile is a feature that was selected there. " +
			"Those that stay longest are on top."},
		strings.TrimSpace(shownOf(len(tiles.Rows), len(all), "features are") + " " + shownOf(len(points), len(r.path), "values are"))}
}

// spaced chooses at most some of n places, with the first and the last.
func spaced(n, most int) []int {
	var all []int
	for i := range min(n, most) {
		if n <= most {
			all = append(all, i)
		} else {
			all = append(all, i*(n-1)/(most-1))
		}
	}
	return all
}

// pathWords says which features stay longest.
func (r *run) pathWords() []string {
	var names []string
	for _, f := range r.lasting() {
		if f.points > 0 && len(names) < mostTraits {
			names = append(names, f.name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("The path has %s of %s. The features that stay longest: %s.", input.Plural(len(r.path), "value"),
		r.path[0].Parameter, strings.Join(names, ", ")), r.pickWords(),
		"A path recommends no value: it shows what each one would keep. sqlcluster tune chooses one, where the algorithm has a score for it."}
}

// enough is the part of what the best clusters of a path explain that is enough.
const enough = 0.9

// pickPoint chooses the point whose clusters are shown: that with the fewest features
// of those that explain enough; −1 if there is none.
func (r *run) pickPoint() int {
	best, picked := 0.0, -1
	for _, p := range r.path {
		best = max(best, orZero(p.Explained))
	}
	for i, p := range r.path {
		if p.Selected > 0 && p.Explained >= enough*best && (picked < 0 || p.Selected < r.path[picked].Selected) {
			picked = i
		}
	}
	return picked
}

// pickWords says which clusters are shown.
func (r *run) pickWords() string {
	if len(r.clusters) == 0 {
		return "Its clusters are not shown, since they were not kept. This keeps them: " + r.command() + " --assignments --replace"
	}
	p := r.path[r.picked]
	return fmt.Sprintf("The clusters are those at %s %s, which has the fewest features (%d) "+
		"of those that explain at least %s of what the best do.", p.Parameter, number(p.Value, 3), p.Selected, percent(enough))
}

// readPathClusters sums up the clusters at the point that is picked, if the path has
// kept them and the relation can be read.
func (r *run) readPathClusters(ctx context.Context, db *store.DB) error {
	if r.picked < 0 || len(r.path) == 0 || r.local() {
		return nil
	}
	var of []store.Measure
	ranked := r.ranked()
	for _, f := range ranked[:min(mostMeasured, len(ranked))] {
		of = append(of, store.Measure{Column: f.Feature, Category: f.Category})
	}
	all, err := db.PathMeans(ctx, r.name, r.fit.Source, r.picked, of)
	if err != nil || len(all) == 0 {
		return ctx.Err() // a report without clusters says what to do
	}
	total := all[len(all)-1]
	for _, m := range all[:len(all)-1] {
		r.clusters = append(r.clusters, result.Cluster{Cluster: m.Cluster, Size: m.Rows, Weight: float64(m.Rows)})
	}
	r.shown = largest(r.clusters)
	r.profile = r.newProfile()
	r.pathSD = map[string]float64{}
	for i, f := range of {
		t := r.profile.byName[nameOf(f.Column, f.Category)]
		r.pathSD[t.name] = total.SD[i]
		for _, m := range all[:len(all)-1] {
			r.profile.put(t, m.Cluster, m.Mean[i], m.Mean[i])
		}
	}
	return nil
}

// mostMeasured bounds the features whose means are computed.
const mostMeasured = 100
