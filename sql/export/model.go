package export

import (
	"math"
	"regexp"
	"slices"
	"strconv"

	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/sql/model"
)

// A reduced model is what of a stored model the SQL needs.
type reduced struct {
	columns  []string // of the table, once each
	cells    []column // in the order of the features
	centers  [][]float64
	entries  int // of a center
	loss     means.Loss
	observed bool
	norm     bool // rows are divided by their length before they are scaled: all columns count in it
}

// A column is what the features of one column add to a distance: a number, which
// is compared with that of a center, or a category, for each of which a center has
// what it adds.
type column struct {
	of              int // reduced.columns
	element         int // from 1, of an array column; 0: it is none
	categorical     bool
	location, scale float64
	weight          float64
	entry           int      // of a center: the first of this column
	levels          []string // without NULL; an entry each
	null            int      // entry of NULL, if it is a category; else -1
	frequent        int      // entry of the most frequent category
	tells           bool     // it tells clusters apart
}

// entryName is the name of a feature that is an element of an array.
var entryName = regexp.MustCompile(`^(.+)\[(\d+)\]$`)

// reduce takes of a model what is asked for: the columns that tell clusters apart,
// and those that move the distance.
func reduce(a *model.Arithmetic, o Options) *reduced {
	m := &reduced{loss: a.Distance.Loss, observed: a.Distance.Observed, norm: a.Recipe.Scaling.Norm != "", centers: make([][]float64,
		a.Centers.Rows)}
	features, tells := a.Recipe.Features, a.Tells
	if !slices.Contains(tells, true) { // any cell will do
		tells = slices.Repeat([]bool{true}, len(features))
	}
	arrays := arraysOf(features)
	for from, to := 0, 0; from < len(features); from = to {
		for to < len(features) && features[to].Column() == features[from].Column() {
			to++
		}
		f := features[from]
		c := column{categorical: f.IsCategory(), location: f.Location, scale: f.Scale, weight: weightOf(a, from), entry: m.entries,
			tells: slices.Contains(tells[from:to], true)}
		moves := false
		for l := from; l < to && o.Distance; l++ {
			moves = moves || weightOf(a, l) != 0
		}
		if !c.tells && !moves {
			if !m.norm {
				continue
			}
			c.weight = 0 // it is there for the length alone
		}
		name := f.Column()
		if of := arrays[name]; of != "" {
			c.element, _ = strconv.Atoi(entryName.FindStringSubmatch(name)[2])
			name = of
		}
		if c.of = slices.Index(m.columns, name); c.of < 0 {
			c.of = len(m.columns)
			m.columns = append(m.columns, name)
		}
		if c.categorical {
			m.categories(&c, a, from, to, o.Distance)
		} else {
			for j := range m.centers {
				m.centers[j] = append(m.centers[j], a.Centers.Row(j)[from])
			}
		}
		m.entries = len(m.centers[0])
		m.cells = append(m.cells, c)
	}
	return m
}

// categories adds to each center what each category of a column adds to the distance.
func (m *reduced) categories(c *column, a *model.Arithmetic, from, to int, all bool) {
	features := a.Recipe.Features[from:to]
	c.null = -1
	frequent := 0
	for s, f := range features {
		if f.Share > features[frequent].Share {
			frequent = s
		}
		if f.Null {
			c.null = c.entry + s
		} else {
			c.levels = append(c.levels, f.Category)
		}
		for j := range m.centers {
			sum := 0.0
			for l, of := range features {
				if !all && !a.Tells[from+l] {
					continue
				}
				value := 0.0
				if l == s {
					value = 1
				}
				t, w := (value-of.Location)/of.Scale-a.Centers.Row(j)[from+l], weightOf(a, from+l)
				if m.loss.Squares() {
					sum = math.FMA(w*t, t, sum)
				} else {
					sum = math.FMA(w, math.Abs(t), sum)
				}
			}
			m.centers[j] = append(m.centers[j], sum)
		}
	}
	c.frequent = c.entry + frequent
}

// weightOf returns the weight of a feature.
func weightOf(a *model.Arithmetic, feature int) float64 {
	if a.Distance.Weights == nil {
		return 1
	}
	return a.Distance.Weights[feature]
}

// arraysOf returns, by the name of each feature that is an element of an array, the
// column of that array. A model knows features by name only; those of an array are
// numbered from 1 and next to each other.
func arraysOf(features []matrix.Feature) map[string]string {
	arrays, last, next := map[string]string{}, "", 1
	for _, f := range features {
		parts := entryName.FindStringSubmatch(f.Column())
		if parts == nil || f.IsCategory() {
			last = ""
			continue
		}
		if parts[1] != last {
			last, next = parts[1], 1
		}
		if parts[2] != strconv.Itoa(next) {
			last = ""
			continue
		}
		arrays[f.Name] = last
		next++
	}
	return arrays
}
