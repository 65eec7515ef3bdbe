package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/chart"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// A profile is how the clusters that are shown differ from all rows, in the features
// that tell clusters apart.
type profile struct {
	shown  []int
	weight map[int]float64 // of the rows, by cluster
	traits []*trait        // the most important first
	byName map[string]*trait
	spread string // what the unit of z is, if not the standard deviation of the rows
	fitted bool   // the centers are known in the fitted space
}

// A trait is a number, or a category of a column, in each cluster.
type trait struct {
	name     string
	category bool
	centers  []float64    // of the clusters that are shown, in units of the column; of a category its share
	scaled   []float64    // in the fitted space
	only     map[int]bool // clusters that it is selected for; nil: all

	location float64    // center of the column, where it was centred
	weight   float64    // of the feature; 1 where there are none
	unit     float64    // of scaled, in the fitted space: 1, but of a category
	zero     float64    // what 0 is in the fitted space; of a category 0
	rows     int        // clusters that have a row for it in the centers; −1: some have NULL
	given    float64    // their weight
	sums     [3]float64 // over all clusters: weight, centers and scaled ones by weight
	square   float64

	all float64   // center of all rows
	z   []float64 // how far the centers are from it, in standard deviations of the rows

	above []float64 // the same in the fitted space, times weight
}

// newProfile finds the traits: the features that are selected.
func (r *run) newProfile() profile {
	p := profile{shown: r.shown, weight: map[int]float64{}, byName: map[string]*trait{}, fitted: r.fit.Model != ""}
	for _, c := range r.clusters {
		p.weight[c.Cluster] = c.Weight
	}
	for _, f := range r.ranked() {
		name := nameOf(f.Feature, f.Category)
		t := p.byName[name]
		if t == nil {
			t = &trait{name: name, category: f.Category != nil, location: f.Location, centers: nulls(len(r.shown)), scaled: nulls(len(r.shown))}
			t.weight, t.unit = 1, 1
			if f.Weight == f.Weight {
				t.weight = f.Weight
			}
			if t.category {
				t.unit = f.Scale
			} else {
				t.zero = (0 - f.Location) / f.Scale
			}
			p.byName[name], p.traits = t, append(p.traits, t)
		}
		if f.Cluster >= 0 {
			if t.only == nil {
				t.only = map[int]bool{}
			}
			t.only[f.Cluster] = true
		}
	}
	return p
}

func nulls(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

// add reads a row of the centers.
func (p *profile) add(c cells) {
	t := p.byName[nameOf(c.text("feature"), c.textOrNull("category"))]
	if t == nil {
		return
	}
	center, scaled := c.number("center"), c.number("center_scaled")
	if t.category {
		center = c.number("frequency")
		scaled = center
	}
	if cluster := c.whole("cluster"); center != center {
		t.rows = -1
	} else if t.rows >= 0 {
		t.rows, t.given = t.rows+1, t.given+p.weight[cluster]
	}
	p.put(t, c.whole("cluster"), center, scaled)
}

// fill gives clusters that have no row for a trait the center 0, which centers leave
// out of which there are many. All rows of the centers have been read.
func (p *profile) fill() {
	total := 0.0
	for _, w := range p.weight {
		total += w
	}
	for _, t := range p.traits {
		if t.rows < 0 || t.rows >= len(p.weight) || t.zero-t.zero != 0 {
			continue
		}
		rest := total - t.given
		t.sums[0], t.sums[2] = t.sums[0]+rest, t.sums[2]+rest*t.zero
		t.square += rest * t.zero * t.zero
		for at, cluster := range p.shown {
			if math.IsNaN(t.centers[at]) && (t.only == nil || t.only[cluster]) {
				t.centers[at], t.scaled[at] = 0, t.zero
			}
		}
	}
}

// put sets the center of a cluster.
func (p *profile) put(t *trait, cluster int, center, scaled float64) {
	if w := p.weight[cluster]; w > 0 && center == center && scaled == scaled {
		t.sums[0], t.sums[1], t.sums[2] = t.sums[0]+w, t.sums[1]+w*center, t.sums[2]+w*scaled
		t.square += w * scaled * scaled
	}
	if at, found := slices.BinarySearch(p.shown, cluster); found && (t.only == nil || t.only[cluster]) {
		t.centers[at], t.scaled[at] = center, scaled
	}
}

// finish compares the centers with all rows. standard says that numbers were centred and
// divided by their standard deviation. Otherwise sd has it, in the fitted space, of
// features that are known.
func (p *profile) finish(standard bool, sd map[string]float64) {
	for _, t := range p.traits {
		t.all = t.sums[1] / t.sums[0]
		mean := t.sums[2] / t.sums[0]
		unit := math.Sqrt(mean * (1 - mean)) // of a category
		if !t.category {
			known := false
			if unit, known = sd[t.name]; standard {
				t.all, mean, unit = t.location, 0, 1 // not that of the centers: a feature may be selected for some only
			} else if !known {
				unit = math.Sqrt(max(0, t.square/t.sums[0]-mean*mean))
				p.spread = "standard deviations of the centers"
			}
		}
		t.z, t.above = nulls(len(t.scaled)), nulls(len(t.scaled))
		for j, v := range t.scaled {
			if t.z[j] = (v - mean) / unit; v == mean {
				t.z[j] = 0
			}
			t.above[j] = t.z[j] * t.weight
			if p.fitted {
				t.above[j] = (v - mean) / t.unit * t.weight
			}
		}
	}
}

// standard reports whether numbers were centred and divided by their standard
// deviation, or a robust estimate of it.
func (r *run) standard() bool {
	return r.fit.Model != "" && slices.Contains([]string{"sd", "sd_n", "robust"}, r.setting("scale")) && r.setting("center") != "none"
}

// words says what makes a cluster of a name.
func (p *profile) words(of int, name, size string) string {
	j, found := slices.BinarySearch(p.shown, of)
	if !found {
		return ""
	}
	if top := p.top(j); len(top) > 0 {
		return fmt.Sprintf("%s (%s): %s%s.", name, size, furthest, strings.Join(top, ", "))
	}
	by := slices.Clone(p.traits)
	slices.SortStableFunc(by, func(a, b *trait) int { return cmp.Compare(math.Abs(orZero(b.z[j])), math.Abs(orZero(a.z[j]))) })
	var said []string
	for _, t := range by {
		if text := t.word(j); text != "" && len(said) < mostTraits {
			said = append(said, text)
		}
	}
	if len(said) == 0 {
		said = []string{"about average in all selected columns"}
	}
	return fmt.Sprintf("%s (%s): %s.", name, size, strings.Join(said, ", "))
}

// furthest begins what is said of a cluster of many features.
const furthest = "furthest above all rows in "

// top returns the names of the features in which a cluster is furthest above the mean of
// all rows; none where there are so few features that each is worth a word.
func (p *profile) top(j int) []string {
	if len(p.traits) <= manyFeatures {
		return nil
	}
	by := slices.DeleteFunc(slices.Clone(p.traits), func(t *trait) bool { return !(t.above[j] > 0) || math.IsInf(t.above[j], 0) })
	slices.SortStableFunc(by, func(a, b *trait) int { return cmp.Compare(b.above[j], a.above[j]) })
	var names []string
	for _, t := range by[:min(mostTop, len(by))] {
		names = append(names, render.Short(t.name, longestName))
	}
	return names
}

// Bounds of what is worth a word, in standard deviations and as a share of the rows.
const (
	notable  = 0.5
	striking = 1.5
	mostly   = 0.5
)

const longestName = 40 // in a sentence

// word says how a trait is in a cluster, if it is worth a word.
func (t *trait) word(j int) string {
	z := t.z[j]
	switch {
	case !(math.Abs(z) >= notable): // or not known, or not selected for the cluster
		return ""
	case t.category && (z < 0 || t.centers[j] < mostly):
		return ""
	case t.category:
		return fmt.Sprintf("mostly %s (%s, all rows %s)", render.Short(t.name, longestName), percent(t.centers[j]), percent(t.all))
	}
	name, text := render.Short(t.name, longestName), "high"
	if z < 0 {
		text = "low"
	}
	if math.Abs(z) >= striking {
		text = "very " + text
	}
	return name + " " + text
}

// percent writes a share; one that is nearly nothing is not 0.
func percent(share float64) string {
	if share > 0 && share < 0.005 {
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", share*100)
}

// inUnits writes a center.
func (t *trait) inUnits(v float64) string {
	if t.category && finite(v) {
		return percent(v)
	}
	return number(v, 3)
}

// heatMap is the profile as tiles. Features are in the order of the cluster that they
// set apart most, so that each cluster has its own in one place.
func (p *profile) heatMap(of int) Figure {
	lines := slices.Clone(p.traits[:min(mostFeatures, len(p.traits))])
	peak := func(t *trait) (at int) {
		for j, z := range t.z {
			if math.Abs(z) > math.Abs(t.z[at]) || math.IsNaN(t.z[at]) {
				at = j
			}
		}
		return at
	}
	slices.SortStableFunc(lines, func(a, b *trait) int {
		i, j := peak(a), peak(b)
		return cmp.Or(cmp.Compare(i, j), cmp.Compare(b.z[j], a.z[i]))
	})
	tiles := &chart.Tiles{Most: 2, Unit: "standard deviations from all rows"}
	if p.spread != "" {
		tiles.Unit = p.spread + " from all rows"
	}
	for _, j := range p.shown {
		tiles.Columns, tiles.Tones = append(tiles.Columns, fmt.Sprint(j)), append(tiles.Tones, chart.Cluster(j))
	}
	tiles.Columns, tiles.Tones = append(tiles.Columns, "all rows"), append(tiles.Tones, chart.Muted)
	if len(p.shown) > 5 {
		tiles.Columns[len(p.shown)] = "all"
	}
	for _, t := range lines {
		var texts []string
		for _, v := range append(slices.Clone(t.centers), t.all) {
			texts = append(texts, t.inUnits(v))
		}
		tiles.Rows, tiles.Texts = append(tiles.Rows, t.name), append(tiles.Texts, texts)
		tiles.Values = append(tiles.Values, append(slices.Clone(t.z), 0))
	}
	left := strings.TrimSpace(shownOf(len(p.shown), of, "clusters are") + " " + shownOf(len(lines), len(p.traits), "features are"))
	return Figure{chart.Chart{Name: "profile", Title: "What makes each cluster", Picture: tiles,
		Note: "A column is a cluster and a row is a feature, with the mean of the cluster in its own unit; " +
			"orange is above the mean of all rows, blue below."}, left}
}

// words are the paragraph on top of a report.
func (r *run) words() []string {
	var all []string
	for _, c := range r.clusters {
		if text := r.profile.words(c.Cluster, "C"+r.called(c.Cluster)[1:], input.Plural(c.Size, "row")); text != "" {
			all = append(all, text)
		}
	}
	if left := shownOf(len(r.shown), len(r.clusters), "clusters, the largest, are"); left != "" {
		all = append(all, left)
	}
	if strings.Contains(strings.Join(all, "\n"), furthest) {
		all = append(all, "Features are named by how far the mean of the cluster is above that of all rows, in the units of the fit.")
	}
	if strings.Contains(strings.Join(all, "\n"), " high") || strings.Contains(strings.Join(all, "\n"), " low") {
		all = append(all, fmt.Sprintf("High and low are means that are at least %g %s away from that of all rows; very high and very low, at "+
			"least %g.",
			notable, cmp.Or(r.profile.spread, "standard deviations"), striking))
	}
	return slices.Concat(r.choiceWords(), r.pathWords(), all, r.doubts(), r.stabilityWords())
}
