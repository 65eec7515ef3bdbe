package export

import (
	"fmt"
	"strings"
)

// relational writes for databases in which a subquery can read the row beside it:
// the centers are a table, and a row is measured against each of them. As arithmetic
// on the row alone, a model of some hundred clusters is more than they can plan.
func (w *writer) relational() {
	if w.o.As == Query {
		name := "centers"
		for strings.Contains(strings.ToLower(w.o.From), name) { // it would hide that table
			name += "_"
		}
		distance := ""
		if w.o.Distance {
			distance = ", nearest.distance"
		}
		w.centers(name)
		w.linef("SELECT t.*, nearest.cluster%s\nFROM %s AS t\nLEFT JOIN LATERAL (", distance, w.o.From)
		w.nearest(w.refs(w.ofTable), name)
		w.linef(") AS nearest ON true;")
		return
	}
	w.function("cluster", "integer")
	if w.o.Distance {
		w.function("distance", "double precision")
	}
	if w.o.Dialect == DuckDB {
		w.tableMacro()
	}
}

// centers writes the table of centers, as the begin of a query.
func (w *writer) centers(name string) {
	columns := "cluster"
	for i := range w.model.entries {
		columns += fmt.Sprintf(", c%d", i+1)
	}
	w.linef("WITH %s(%s) AS MATERIALIZED (\n  VALUES", name, columns)
	for j, center := range w.model.centers {
		row := []string{fmt.Sprint(j)}
		for _, v := range center {
			text := w.Number(v)
			if j == 0 && w.o.Dialect == PostgreSQL { // the first row says what type the others have
				text = "float8 '" + text + "'"
			}
			row = append(row, text)
		}
		end := ","
		if j == len(w.model.centers)-1 {
			end = ""
		}
		w.linef("    (%s)%s", strings.Join(row, ", "), end)
	}
	w.linef(")")
}

// nearest writes a query of one row: the nearest center, and its distance if that is
// asked for. They are NULL, or there is no row, where the row has no cluster.
func (w *writer) nearest(refs []string, centers string) {
	x := func(cell int) string { return fmt.Sprintf("x.x%d", cell+1) }
	c := func(entry int) string { return fmt.Sprintf("c.c%d", entry+1) }
	cluster, d, once, last := "arg_min(m.cluster, row(m.d, m.cluster))", "min(m.d)", "", ""
	if w.o.Dialect == PostgreSQL {
		cluster, d, last = "m.cluster", "m.d", "\n  ORDER BY m.d, m.cluster LIMIT 1"
		once = " OFFSET 0" // which has a row scaled once, not once for each center
	}
	if w.o.Distance {
		d = ", " + w.root(d) + " AS distance"
	} else {
		d = ""
	}
	w.linef("  SELECT %s AS cluster%s FROM (", cluster, d)
	const indent = "\n      "
	w.linef("    SELECT c.cluster,%s%s AS d", indent, w.formula(x, c, indent))
	w.linef("    FROM (%s) AS x(%s), %s AS c", w.cells(refs, once, indent), strings.Join(w.numbered("x"), ", "), centers)
	if guard := w.guard(x); guard != "" {
		w.linef("    WHERE %s", guard)
	}
	w.linef("  ) AS m%s", last)
}

// numbered returns names of the cells: x1, x2 and so on.
func (w *writer) numbered(name string) []string {
	names := make([]string, len(w.model.cells))
	for i := range names {
		names[i] = fmt.Sprintf("%s%d", name, i+1)
	}
	return names
}

// cells returns a query of the cells of one row, in fitted space. once ends queries that
// are to be computed once.
//
// With a norm, y has the numbers, m the largest of them, so that no square overflows, and
// s the length in units of that; both are 1 where they would be 0.
func (w *writer) cells(refs []string, once, indent string) string {
	query := func(values []string, from string) string {
		return "SELECT" + indent + strings.Join(values, ","+indent) + from + once
	}
	values := make([]string, len(w.model.cells))
	for i := range values {
		c := &w.model.cells[i]
		if values[i] = w.scaled(c, refs[c.of]); w.model.norm {
			values[i] = w.cast(c, refs[c.of])
		}
	}
	if !w.model.norm {
		return query(values, "")
	}
	y, of := w.numbered("y"), strings.Join(w.numbered("y"), ", ")
	sizes, parts := make([]string, len(y)), make([]string, len(y))
	for i, name := range y {
		sizes[i], parts[i] = "abs(y."+name+")", "(z."+name+" / z.m)"
		values[i], y[i] = w.fitted(&w.model.cells[i], "r."+name+" / r.m / r.s"), values[i]
	}
	text := query(y, "")
	text = query([]string{"y.*", "coalesce(nullif(greatest(" + strings.Join(sizes, ", ") + "), 0), 1)"},
		indent+"FROM ("+text+") AS y("+of+")")
	text = query([]string{"z.*", "coalesce(nullif(sqrt(" + squares(parts, indent) + "), 0), 1)"}, indent+"FROM ("+text+") AS z("+of+", m)")
	return query(values, indent+"FROM ("+text+") AS r("+of+", m, s)")
}

// function writes a function of the columns that returns the cluster or the distance.
func (w *writer) function(what, returns string) {
	const centers = "centers"
	names := w.refs(w.quoted)
	called := w.Quote(w.o.Name + "_" + what)
	refs := names
	if w.o.Dialect == PostgreSQL {
		refs = w.refs(func(of int, _ string) string { return fmt.Sprintf("$%d", of+1) })
	}
	of := writer{Dialect: w.Dialect, o: w.o, model: w.model}
	of.centers(centers)
	of.linef("SELECT nearest.%s FROM (", what)
	of.nearest(refs, centers)
	of.linef(") AS nearest")
	body := of.text.String()
	if w.o.Dialect == DuckDB {
		w.linef("CREATE OR REPLACE MACRO %s(%s) AS (\n%s);", called, strings.Join(names, ", "), body)
		return
	}
	for i := range w.model.cells {
		c, kind := &w.model.cells[i], "double precision"
		switch {
		case c.categorical:
			kind = "text"
		case c.element == 0:
		case strings.HasSuffix(names[c.of], "[]"):
			continue
		default:
			kind += "[]"
		}
		names[c.of] += " " + kind
	}
	quote := "$$"
	for n := 1; strings.Contains(body, quote); n++ {
		quote = fmt.Sprintf("$b%d$", n)
	}
	w.linef("CREATE OR REPLACE FUNCTION %s(%s) RETURNS %s\nLANGUAGE sql IMMUTABLE PARALLEL SAFE AS %s\n%s%s;",
		called, strings.Join(names, ", "), returns, quote, body, quote)
}

// tableMacro writes a macro that takes the name of a table and adds the columns to it.
func (w *writer) tableMacro() {
	relation := "relation"
	args := strings.Join(w.refs(w.ofTable), ", ")
	added := fmt.Sprintf("%s(%s) AS cluster", w.Quote(w.o.Name+"_cluster"), args)
	if w.o.Distance {
		added += fmt.Sprintf(", %s(%s) AS distance", w.Quote(w.o.Name+"_distance"), args)
	}
	w.linef("CREATE OR REPLACE MACRO %s(%s) AS TABLE\nSELECT t.*, %s\nFROM query_table(%s) AS t;",
		w.Quote(w.o.Name+"_predict"), relation, added, relation)
}
