package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/chart"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// tried is a row of a tuning: a point, as a method judges it.
type tried struct {
	method, parameter, status string
	k, value                  float64 // NaN: not varied
	score, se                 float64
	best, oneSE               bool
}

// mostTried bounds the points of a tuning that are read.
const mostTried = 100_000

func (r *run) readTried(c cells) {
	if len(r.tune) < mostTried {
		r.tune = append(r.tune, tried{method: c.text("method"), parameter: c.text("parameter"), status: c.text("status"), k: c.number("k"),
			value: c.number("value"), score: c.number("score"), se: c.number("standard_error"), best: c.yes("best"), oneSE: c.yes("one_se")})
	}
}

// methods are the ways in which points were judged, in the order of the table.
func (r *run) methods() (all []string) {
	for _, t := range r.tune {
		if !slices.Contains(all, t.method) {
			all = append(all, t.method)
		}
	}
	return all
}

// scores says what the score of a method is, for its axis.
var scores = map[string]string{
	"cv":                "score of rows held out",
	"gap":               "gap, in logs of the objective",
	"gap-axes":          "gap, in logs of the objective",
	"silhouette":        "mean silhouette",
	"calinski-harabasz": "Caliński–Harabasz index",
	"davies-bouldin":    "Davies–Bouldin index",
	"stability":         "least mean Jaccard index of a cluster",
}

// against says what the gaps compare with.
var against = map[string]string{
	"gap":      " The gap says how much better the rows are explained than rows with the same columns, each shuffled by itself.",
	"gap-axes": " The gap says how much better the rows are explained than rows without clusters that vary along the same directions.",
}

// sense is what a better score is.
func sense(method string) string {
	if method == "davies-bouldin" {
		return "lower"
	}
	return "higher"
}

// above reports whether a score is better than another of the method, or the first.
func (t tried) above(score float64) bool {
	return math.IsNaN(score) || t.score > score && sense(t.method) == "higher" || t.score < score && sense(t.method) == "lower"
}

// point names what was tried.
func (t tried) point() string {
	var parts []string
	if finite(t.k) {
		parts = append(parts, "k "+number(t.k, 6))
	}
	if finite(t.value) {
		parts = append(parts, t.parameter+" "+number(t.value, 6))
	}
	return strings.Join(parts, ", ")
}

// with writes the score and its standard error.
func (t tried) with() string {
	text := number(t.score, 4)
	if finite(t.se) {
		text += " ± " + number(t.se, 2)
	}
	return text
}

// choiceSection shows the scores of a tuning.
func (r *run) choiceSection() Section {
	s := Section{Title: "Choice"}
	picks := Table{Title: "What each method picks", Head: []string{"method", "pick", "score"}}
	for _, method := range r.methods() {
		points := slices.DeleteFunc(slices.Clone(r.tune), func(t tried) bool { return t.method != method || !finite(t.score) })
		if len(points) == 0 {
			continue
		}
		s.Figures = append(s.Figures, choiceFigure(method, points))
		for _, t := range points {
			switch {
			case t.best:
				picks.Rows = append(picks.Rows, []string{method, t.point(), t.with()})
			case t.oneSE:
				picks.Rows = append(picks.Rows, []string{method + ", one standard error", t.point(), t.with()})
			}
		}
	}
	if len(picks.Rows) > 0 {
		s.Tables = []Table{picks}
	}
	return s
}

// choiceFigure draws the scores of a method: against the parameter with a line for
// each k, or against k.
func choiceFigure(method string, points []tried) Figure {
	varies := func(of func(tried) float64) bool {
		return slices.ContainsFunc(points, func(t tried) bool { return finite(of(t)) && of(t) != of(points[0]) })
	}
	byK := varies(func(t tried) float64 { return t.k })
	byValue := !byK || varies(func(t tried) float64 { return t.value })
	lines := &chart.Lines{Y: cmp.Or(scores[method], "score"), X: "k: number of clusters", Whole: !byValue || whole(points)}
	at := func(t tried) float64 { return t.k }
	if byValue {
		at, lines.X = func(t tried) float64 { return t.value }, points[0].parameter
	}
	best := map[float64]float64{} // score of the best point, by k
	group := func(t tried) float64 {
		if byK && byValue && finite(t.k) {
			return t.k
		}
		return 0
	}
	for _, t := range points {
		if b, found := best[group(t)]; !found || t.above(b) {
			best[group(t)] = t.score
		}
	}
	var groups []float64
	for g := range best {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b float64) int {
		order := cmp.Compare(best[b], best[a])
		if sense(method) == "lower" {
			order = -order
		}
		return cmp.Or(order, cmp.Compare(a, b))
	})
	of := len(groups)
	groups = groups[:min(mostLines, of)]
	slices.Sort(groups)
	for i, g := range groups {
		series := chart.Series{Tone: chart.Cluster(i)}
		if len(groups) > 1 {
			series.Name = "k " + number(g, 6)
		}
		own := slices.DeleteFunc(slices.Clone(points), func(t tried) bool { return group(t) != g })
		slices.SortStableFunc(own, func(a, b tried) int { return cmp.Compare(at(a), at(b)) })
		for _, t := range own {
			series.X, series.Y, series.Errors = append(series.X, at(t)), append(series.Y, t.score), append(series.Errors, t.se)
		}
		lines.Series = append(lines.Series, series)
	}
	for _, t := range points {
		switch {
		case t.best && t.oneSE:
			lines.Marks = append(lines.Marks, chart.Mark{X: at(t), Y: t.score, Name: "pick"})
		case t.best:
			lines.Marks = append(lines.Marks, chart.Mark{X: at(t), Y: t.score, Name: "best"})
		case t.oneSE:
			lines.Marks = append(lines.Marks, chart.Mark{X: at(t), Y: t.score, Name: "within one SE"})
		}
	}
	note := "A point is what was tried, with its score (" + sense(method) + " is better) and, as whiskers, one standard error; " +
		"rings are the picks." + against[method]
	if slices.ContainsFunc(points, func(t tried) bool { return t.k == 1 }) {
		note += " One cluster is tried too: if it is the pick, there are no clusters."
	}
	return Figure{chart.Chart{Name: choicePrefix + method, Title: "Choice by " + method, Picture: lines, Note: note},
		shownOf(len(groups), of, "numbers of clusters are")}
}

// whole reports whether all values are whole numbers.
func whole(points []tried) bool {
	return !slices.ContainsFunc(points, func(t tried) bool { return t.value != math.Trunc(t.value) })
}

// choiceWords says in a sentence what each method picked. The first one decides.
func (r *run) choiceWords() (all []string) {
	for i, method := range r.methods() {
		pick := slices.IndexFunc(r.tune, func(t tried) bool { return t.method == method && t.best })
		if pick < 0 {
			all = append(all, fmt.Sprintf("By %s, no point is best.", method))
			continue
		}
		t := r.tune[pick]
		text := fmt.Sprintf("By %s, the best of what was tried is %s%s (%s).%s", method, t.point(), r.allColumns(t), t.with(), r.near(t))
		switch {
		case i > 0 && method == "gap" && r.tune[0].method == "gap-axes":
			text = fmt.Sprintf("By gap, %s was chosen for each k. It does not choose k, since shuffled columns lose what ties them together: "+
				"of all points, it would pick %s (%s).", t.parameter, t.point(), t.with())
		case i > 0:
			text = fmt.Sprintf("By %s, which was asked for too and does not decide, the best is %s (%s).", method, t.point(), t.with())
		}
		if t.k == 1 {
			text += " One cluster means that no structure was found."
		}
		all = append(all, text)
	}
	return all
}

// allColumns says that a number of columns is that of all.
func (r *run) allColumns(t tried) string {
	if t.parameter == "sparsity" && t.value == float64(r.fit.P) {
		return ", which is all columns: no selection"
	}
	return ""
}

// near names the other numbers of clusters within one standard error of the best point
// of a method.
func (r *run) near(best tried) string {
	if !finite(best.se) || !finite(best.k) {
		return ""
	}
	seen := map[float64]bool{best.k: true}
	var ks []string
	for _, t := range r.tune {
		if t.method == best.method && finite(t.k) && !seen[t.k] && math.Abs(t.score-best.score) <= best.se {
			seen[t.k] = true
			ks = append(ks, number(t.k, 6))
		}
	}
	if len(ks) == 0 {
		return " No other k is within one standard error of it."
	}
	return fmt.Sprintf(" k %s %s within one standard error of it, too.", strings.Join(ks, ", "), input.Agreed(len(ks), "is", "are"))
}
