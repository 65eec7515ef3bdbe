package engine

import (
	"slices"
	"strings"
)

// layers are values of rows, layer by layer: those of a layer are made of columns and of
// the values of the layers below it. A statement over them is written in one of two ways: each layer
// is a subquery of the next; or, where dialect.Rows.Flat says so, all are in the WITH of one SELECT.
type layers struct {
	*rows
	list             []layer
	features, points int // of the largest comparison that is made feature by feature
}

// A layer has these values, and perhaps all those of the layer below.
type layer struct {
	all    bool
	values []value
}

// A value has a name, which begins with the prefix of all aliases. Without SQL, it is that of
// the layer below.
type value struct{ sql, name string }

// String returns the value as a list of a SELECT has it.
func (v value) String() string {
	if v.sql == "" {
		return v.name
	}
	return v.sql + " AS " + v.name
}

// passed are values of the layer below.
func passed(names []string) []value {
	values := make([]value, len(names))
	for i, n := range names {
		values[i].name = n
	}
	return values
}

// over returns the layers with another one, which has no values but these.
func (l layers) over(values ...value) layers {
	l.list = append(slices.Clip(l.list), layer{values: values})
	return l
}

// and returns the layers with another one, which has these values beside all those below.
func (l layers) and(values ...value) layers {
	if len(values) == 0 {
		return l
	}
	l.list = append(slices.Clip(l.list), layer{all: true, values: values})
	return l
}

// measured returns the layers, which measure rows from so many points.
func (l layers) measured(m measure, points int) layers {
	if features := len(m.whole) + len(m.parts); m.byFeature && features*points > l.features*l.points {
		l.features, l.points = features, points
	}
	return l
}

// query returns a statement: what it selects of the uppermost layer, of the rows for which a
// condition holds, if it is not "", and what follows it, such as GROUP BY.
func (l layers) query(list, where, rest string) string {
	text := l.unsettled(list, where, rest)
	if l.Settled == nil {
		return text
	}
	return l.Settled(text, l.features, l.points)
}

// unsettled is query without the settings of a statement.
func (l layers) unsettled(list, where, rest string) string {
	if l.Flat {
		if text, size := l.flat(list, where, rest); size <= longestFlat {
			return text
		}
	}
	text := l.from
	if l.keep != "" {
		text += " WHERE " + l.keep
	}
	for i, of := range l.list {
		if i > 0 {
			text = "(" + text + ")"
		}
		var items []string
		if of.all {
			items = append(items, "*")
		}
		for _, v := range of.values {
			items = append(items, v.String())
		}
		text = "SELECT " + strings.Join(items, ", ") + " FROM " + text
	}
	text = "SELECT " + list + " FROM (" + text + ")"
	if where != "" {
		text += " WHERE " + where
	}
	return text + rest
}

// longestFlat is how long a statement in one SELECT may be when all names in it are written out:
// servers do so before they share it out. Longer ones are subqueries.
const longestFlat = 1 << 25

// flat returns a statement as one SELECT, and its length with all names written out. It has
// the values that it needs only, each of which has a name of its own in all layers.
func (l layers) flat(list, where, rest string) (string, float64) {
	conditions := []string{l.keep, where}
	conditions = slices.DeleteFunc(conditions, func(c string) bool { return c == "" })
	text := " FROM " + l.from
	if len(conditions) > 0 {
		text += " WHERE " + strings.Join(conditions, " AND ")
	}
	text = "SELECT " + list + text + rest
	uses, size := map[string]float64{}, float64(len(text)) // of each name, with those in the names that are written out
	l.mentioned(list+" "+where+" "+rest, 1, uses)
	var with []string
	for _, of := range slices.Backward(l.list) {
		for _, v := range slices.Backward(of.values) {
			if n := uses[v.name]; v.sql != "" && n > 0 {
				with = append(with, v.String())
				size += n * float64(len(v.sql))
				l.mentioned(v.sql, n, uses)
			}
		}
	}
	if with == nil {
		return text, size
	}
	slices.Reverse(with)
	return "WITH " + strings.Join(with, ", ") + " " + text, size
}

// mentioned counts the words of a text, which is there n times, that begin as aliases do.
func (l layers) mentioned(text string, n float64, uses map[string]float64) {
	for {
		at := strings.Index(text, l.p)
		if at < 0 {
			return
		}
		text = text[at:]
		end := strings.IndexFunc(text, func(c rune) bool { return !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_') })
		if end < 0 {
			end = len(text)
		}
		uses[text[:end]] += n
		text = text[end:]
	}
}
