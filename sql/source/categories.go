package source

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

var categoricalPlace = framework.Setting("categorical")

// MaxLevels is how many categories a column may have. Each becomes a feature,
// so that a column of many is most likely a key or free text.
const MaxLevels = 1000

// addCategory appends a column of categories to the sources, if its type can be
// one.
func (s *selection) addCategory(c Column, nullLevel bool) bool {
	switch kind, _ := classify(c.Type); kind {
	case number, text, moment:
		s.sources = append(s.sources, source{Column: c, category: true, nullLevel: nullLevel, width: 1})
		return true
	}
	return false
}

func notCategorical(c Column, where string) error {
	return framework.Faultf(framework.Data, "column-not-categorical",
		"column %q is %s, which cannot be a category", c.Name, shortType(c.Type)).
		WithWhere("%s", where).WithHint("CAST it AS VARCHAR in a query, or take one value out of it")
}

// checkNamed refuses a column that --categorical names and that is not a feature.
// Patterns may match such columns.
func checkNamed(c *Column, spec input.Spec, why string) error {
	if !slices.ContainsFunc(spec.Categorical, func(item string) bool { return named(item, c) }) {
		return nil
	}
	return framework.Faultf(framework.Usage, "column-used-twice",
		"column %q cannot be categorical: it is not a feature (%s)", c.Name, why).At("categorical")
}

// levelExpression returns the SQL that reads a categorical column as text, or as
// the ENUM that it is.
func (c Column) levelExpression() string {
	name := schema.Quote(c.Name)
	if c.Type == "VARCHAR" || strings.HasPrefix(c.Type, "ENUM(") {
		return name
	}
	return "CAST(" + name + " AS VARCHAR)"
}

// levels are the categories of a column, numbered in the order in which they
// come.
type levels struct {
	source
	kind  duck.Kind
	index map[string]int
	names []string
	many  bool // more than MaxLevels: the rest is not counted
}

// takeCategories writes the numbers of a chunk's categories to column place of
// the matrix. A number that is not finite is neither a category nor a feature.
func (in *reader) takeCategories(cells []float64, place int, s source, v duck.Vector, key *duck.Vector, rows int) {
	l := in.levels[place]
	if l == nil {
		l = &levels{source: s, index: map[string]int{}}
		l.kind, _ = v.Kind()
		in.levels[place] = l
	}
	p := len(in.features)
	fractions := s.Type == "DOUBLE" || s.Type == "FLOAT"
	for i := range rows {
		if fractions && !v.Null(i) {
			if x, err := strconv.ParseFloat(string(v.Text(i)), 64); err == nil && x-x != 0 {
				in.badCell(key, i, place, x)
			}
		}
		switch {
		case v.Null(i):
			cells[i*p+place] = math.NaN()
			if !s.absent {
				in.missing[place]++
			}
		case in.leave[i]: // its category may occur nowhere else
		default:
			cells[i*p+place] = float64(l.code(v, i, in.limited))
		}
	}
}

// code returns the number of a category.
func (l *levels) code(v duck.Vector, i int, limited bool) int {
	var name string
	if l.kind.Words != nil {
		name = v.Word(l.kind, i)
	} else {
		bytes := v.Text(i)
		if code, known := l.index[string(bytes)]; known { // which allocates nothing
			return code
		}
		name = string(bytes)
	}
	code, known := l.index[name]
	switch {
	case known:
		return code
	case limited && len(l.names) == MaxLevels:
		l.many = true
		return 0
	}
	code = len(l.names)
	l.names, l.index[name] = append(l.names, name), code
	return code
}

// checkLevels refuses columns with too many categories, all at once.
func (in *reader) checkLevels() error {
	var names []string
	for _, l := range in.levels {
		if l != nil && l.many {
			names = append(names, l.Name)
		}
	}
	if names == nil {
		return nil
	}
	return framework.Faultf(framework.Data, "too-many-categories", "%d %s more than %d categories: %s",
		len(names), input.Agreed(len(names), "column has", "columns have"), MaxLevels, input.ColumnNames(names)).
		WithHint("leave out keys and free text with %s; in a query, CASE can put rare categories together",
			framework.SettingTo("exclude", input.ColumnItems(names)))
}

// order returns the numbers of the categories in the order that their features
// get: of an ENUM as it is declared, false before true, all else by bytes.
func (l *levels) order() []int {
	order := make([]int, len(l.names))
	for i := range order {
		order[i] = i
	}
	declared := map[string]int{}
	for i, name := range l.kind.Words {
		declared[name] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if l.kind.Words != nil {
			return declared[l.names[a]] - declared[l.names[b]]
		}
		return strings.Compare(l.names[a], l.names[b])
	})
	return order
}

// sources describes the features, and renumbers categories in their order.
func (in *reader) sources() []matrix.Source {
	all := make([]matrix.Source, len(in.features))
	place := make([][]float64, len(all)) // new number by old
	for t, name := range in.features {
		all[t].Name = name
		l := in.levels[t]
		if l == nil {
			continue
		}
		all[t].Categorical, all[t].NullLevel = true, l.nullLevel
		all[t].Levels = make([]string, len(l.names))
		place[t] = make([]float64, len(l.names))
		for to, from := range l.order() {
			all[t].Levels[to] = l.names[from]
			place[t][from] = float64(to)
		}
	}
	for t, places := range place {
		if places == nil {
			continue
		}
		v := in.builder.Values()
		for i := t; i < len(v.Data); i += v.Cols {
			if x := v.Data[i]; x == x {
				v.Data[i] = places[int(x)]
			}
		}
	}
	return all
}
