package report

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/chart"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// readRows draws rows of the relation. A relation that cannot be read now is no
// error: the report says so.
func (r *run) readRows(ctx context.Context, db *store.DB, o Options) error {
	switch {
	case r.fit.Model == "":
		return nil
	case o.Sample == 0:
		r.noRows = "Rows are not shown, since the relation was not read."
		return nil
	}
	m, err := model.Load(ctx, o.Library, db, r.name, "show that")
	of := model.ScoreOptions{Relation: r.fit.Source, Sample: o.Sample, Threads: o.Threads, Reading: o.Reading, Measuring: o.Measuring}
	if engine, there := r.params["engine"].Value.(string); err == nil && there && o.There != nil {
		r.drawn, err = o.There(ctx, engine, m, of)
	} else if err == nil {
		r.drawn, err = m.Draw(ctx, db, of)
	}
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	f := framework.AsFault(err)
	if f == nil || f.Class == framework.Internal {
		return err
	}
	r.noRows = "Rows are not shown, since they cannot be read now: " + framework.Say(f.Summary, nil) + "."
	return nil
}

// rowSection shows rows in two directions, and their silhouettes.
func (r *run) rowSection() Section {
	s := Section{Title: "Rows"}
	if r.noRows != "" {
		s.Words = []string{r.noRows}
	}
	if r.drawn == nil || len(r.drawn.Features) == 0 || len(r.drawn.Labels) == 0 {
		return s
	}
	left := shownOf(len(r.drawn.Labels), r.drawn.Of, "rows, drawn at random, are")
	s.Figures = append(s.Figures, Figure{r.scatter(), left})
	if finite(r.drawn.Mean) {
		s.Figures = append(s.Figures, Figure{r.silhouettes(), strings.TrimSpace(left + " " + shownOf(len(r.shown), len(r.clusters),
			"clusters are"))})
	}
	return s
}

// silhouettes draws how well rows fit their clusters.
func (r *run) silhouettes() chart.Chart {
	picture := &chart.Silhouette{Mean: r.drawn.Mean}
	for _, j := range r.shown {
		b := chart.Band{Name: r.called(j), Cluster: j}
		for i, label := range r.drawn.Labels {
			if int(label) == j {
				b.Values = append(b.Values, r.drawn.Silhouettes[i])
			}
		}
		picture.Bands = append(picture.Bands, b)
	}
	return chart.Chart{Name: "silhouette", Title: "How well rows fit their clusters", Picture: picture,
		Note: "A line is a row: near 1 it is among its own, at 0 between two clusters, and below 0 nearer to another one. " +
			"Distances are over all columns" + byWeight(r.drawn.Weighted) + "."}
}

// scatter draws rows and centers in the directions in which the centers differ most.
func (r *run) scatter() chart.Chart {
	d := r.drawn
	sizes := make([]float64, d.Centers.Rows)
	for _, c := range r.clusters {
		if c.Cluster >= 0 && c.Cluster < len(sizes) {
			sizes[c.Cluster] = float64(c.Size)
		}
	}
	first, second, origin := axes(d, sizes)
	points := &chart.Points{XName: "direction 1: " + mostOf(first, d.Features), YName: "direction 2: " + mostOf(second, d.Features),
		Cluster: d.Labels}
	for i := range d.X.Rows {
		points.X, points.Y = append(points.X, along(first, d.X.Row(i), origin)), append(points.Y, along(second, d.X.Row(i), origin))
	}
	byCenter := slices.Clone(r.shown)
	slices.SortStableFunc(byCenter, func(a, b int) int { return int(sizes[b] - sizes[a]) }) // the largest keep their names
	for _, j := range byCenter {
		points.Centers = append(points.Centers, chart.Point{X: along(first, d.Centers.Row(j), origin), Y: along(second, d.Centers.Row(j), origin),
			Cluster: j, Name: fmt.Sprint(j)})
	}
	note := "A point is a row, in the colour of its cluster, whose number stands at its center; " +
		"the two directions are those in which the centers differ most."
	if len(r.clusters) > chart.Colours {
		note += " Colours repeat; then the shape of a point differs."
	}
	return chart.Chart{Name: "rows", Title: "Rows in two directions", Note: note, Picture: points}
}

// mostOf names the features that a direction goes along most, with their sign.
func mostOf(axis []float64, features []string) string {
	var names []string
	for _, l := range byMagnitude(axis)[:min(2, len(axis))] {
		if axis[l] < 0 {
			names = append(names, "−"+features[l])
		} else if axis[l] > 0 {
			names = append(names, features[l])
		}
	}
	return strings.Join(names, ", ")
}

// deviations are the standard deviations of the rows that were drawn, by feature.
func (r *run) deviations() map[string]float64 {
	if r.drawn == nil {
		return nil
	}
	all := map[string]float64{}
	for l, name := range r.drawn.Features {
		var values []float64
		for i := range r.drawn.X.Rows {
			if v := r.drawn.X.Row(i)[l]; finite(v) {
				values = append(values, v)
			}
		}
		if len(values) > 1 && !r.drawn.Weighted {
			all[name] = stat.StdDev(values, nil)
		}
	}
	return all
}

// Bounds of a mean silhouette: up to the first, "no substantial structure has been
// found", after Kaufman and Rousseeuw (1990), Finding groups in data, table 4 of
// chapter 2; up to the second, it is nearly 0.
const (
	little = 0.25
	nearly = 0.05
)

// sameStart is the relative difference of two objectives that are the same.
const sameStart = 1e-6

// doubts say what speaks against the clusters.
func (r *run) doubts() (all []string) {
	if r.drawn != nil && r.drawn.Mean <= little {
		text := "measured over all columns, there is little structure"
		if r.drawn.Mean <= nearly {
			text = "measured over all columns, rows are hardly nearer to their own cluster than to another one"
		}
		all = append(all, fmt.Sprintf("The mean silhouette is %.2f: %s.", r.drawn.Mean, text))
	}
	best, same := r.bestStart(), 0
	for _, s := range r.starts {
		if math.Abs(s.objective-best) <= sameStart*math.Abs(best) {
			same++
		}
	}
	if same == 1 && len(r.starts) > 1 {
		all = append(all, fmt.Sprintf("Only one of %d starts has found these clusters: with more of them (--restarts %d), there may be "+
			"better ones.",
			len(r.starts), 10*len(r.starts)))
	}
	return all
}
