package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A Replacer is an Engine that makes tables of queries: the table is there with all of its
// rows, or as it was. Where there is one of that name, and replace is false, it returns a Fault.
type Replacer interface {
	Replace(ctx context.Context, table, query string, replace bool) error
}

// WriteAssignments makes a table of assignments in the engine, and returns
// how many rows it has. Its rows have no order.
func (b *Bound) WriteAssignments(ctx context.Context, m *framework.Model, table string, replace bool) (int, error) {
	to, ok := b.engine.(Replacer)
	if !ok {
		return 0, framework.Faultf(framework.Usage, "engine-writes-no-tables", "this engine writes no tables")
	}
	if k, keeps := b.engine.(Keeper); keeps && replace {
		there, err := k.There(ctx, []string{table})
		if err != nil {
			return 0, err
		}
		if columns, is := there[table]; is && !schema.Matches(schema.Assignments, columns) {
			return 0, framework.Faultf(framework.Data, "table-exists", "table %s of the engine has other columns than the result has", table).
				At("into").
				WithHint("choose another name, or rename what is there; %s replaces results only", framework.Setting("replace"))
		}
	}
	text, err := b.assigned(m)
	if err != nil {
		return 0, err
	}
	return b.counted.all, to.Replace(ctx, table, text, replace)
}

// Assignments returns the query of the rows of a table of assignments: in the order of
// their keys, those that were left out last.
func (b *Bound) Assignments(m *framework.Model) (string, error) {
	text, err := b.assigned(m)
	if err != nil || b.rows.left == "" {
		return text + " ORDER BY " + b.rows.Quote(b.rows.selected.key.Name), err
	}
	left := "CASE WHEN status = " + b.rows.Literal(b.leftStatus()) + " THEN 1 ELSE 0 END"
	return "SELECT * FROM (" + text + ") ORDER BY " + left + ", " + b.rows.Quote(b.rows.selected.key.Name), nil
}

// Flag makes outliers of rows that are farther than that from all centers.
func (b *Bound) Flag(distance float64) { b.outlying = &distance }

// leftStatus says why rows are left out.
func (b *Bound) leftStatus() string {
	if b.drops {
		return input.NullCell
	}
	return input.NoCells
}

// assigned returns the query of the assignments. Distances are over all features, labels
// and margins by those that tell centers apart: in the others, a row is equally far from all.
func (b *Bound) assigned(m *framework.Model) (string, error) {
	r := b.rows
	weights := b.formula.Distance(m).Weights
	key := r.Quote(r.selected.key.Name)
	null := func(typ string) string { return "CAST(NULL AS " + typ + ")" }
	empty := []string{null(r.Label), null(r.Double), null(r.Label), null(r.Double)}
	if weights != nil && !slices.ContainsFunc(weights, func(w float64) bool { return w != 0 }) {
		return b.withLeft(fmt.Sprintf("SELECT %sk AS %s, %s, %s AS status FROM (%s)", r.p, key, named(empty), r.Literal(framework.AllZero),
			r.raw().query(r.p+"k", "", "")), empty), nil
	}
	text, margin := b.ranked(m, weights)
	cluster, second, distance := r.p+"j", r.p+"i", "sqrt("+r.p+"m + "+r.p+"r)"
	status := null(r.String)
	values := []string{cluster, distance, second, margin}
	if m.Centers.Rows == 1 {
		values[2], values[3] = empty[2], empty[3]
	}
	var why strings.Builder
	if b.outlying != nil {
		far := distance + " > " + r.Number(*b.outlying)
		for _, i := range []int{0, 2, 3} {
			values[i] = "CASE WHEN " + far + " THEN NULL ELSE " + values[i] + " END"
		}
		why.WriteString(" WHEN " + far + " THEN " + r.Literal(input.Outlier))
	}
	if untold := b.untold(b.labelling(m, "d")); untold != "" {
		for i, v := range values {
			values[i] = "CASE WHEN " + r.p + "u = 1 THEN NULL ELSE " + v + " END"
		}
		known := why.String()
		why.Reset()
		why.WriteString(" WHEN " + r.p + "u = 1 THEN " + r.Literal(input.NoCells) + known)
	}
	if why.Len() > 0 {
		status = "CASE" + why.String() + " END"
	}
	for i, typ := range []string{r.Label, r.Double, r.Label, r.Double} {
		values[i] = "CAST(" + values[i] + " AS " + typ + ")"
	}
	text = fmt.Sprintf("SELECT %sk AS %s, %s, %s AS status FROM (%s)", r.p, key, named(values), status, text)
	return b.withLeft(text, empty), nil
}

// named gives the values of an assignment their names.
func named(values []string) string {
	names := []string{"cluster", "distance", "second_cluster", "margin"}
	list := make([]string, len(names))
	for i, v := range values {
		list[i] = v + " AS " + names[i]
	}
	return strings.Join(list, ", ")
}

// withLeft adds the rows that were left out.
func (b *Bound) withLeft(text string, empty []string) string {
	r := b.rows
	if r.left == "" {
		return text
	}
	key := r.Quote(r.selected.key.Name)
	// The names of the result may be those of features.
	return fmt.Sprintf("%s UNION ALL SELECT %sk AS %s, %s, %s AS status FROM (SELECT %s AS %sk FROM %s WHERE %s)",
		text, r.p, key, named(empty),
		r.Literal(b.leftStatus()), key, r.p, r.from, r.left)
}

// ranked returns rows with k the key, j and i the nearest and the second center, m and s
// their squared distances over the features that tell centers apart, r over the others, and u
// whether the row has no cell in the former; and the margin.
func (b *Bound) ranked(m *framework.Model, weights []float64) (text, margin string) {
	r, k := b.rows, m.Centers.Rows
	l := b.labelling(m, "d")
	rest := measure{weights: weights}
	tells := append(slices.Clone(l.whole), l.parts...)
	for _, f := range b.all() {
		if !slices.Contains(tells, f) && (weights == nil || weights[f] != 0) {
			rest.parts = append(rest.parts, f)
		}
	}
	untold := "0"
	if condition := b.untold(l); condition != "" {
		untold = "CASE WHEN " + condition + " THEN 1 ELSE 0 END"
	}
	d, other := l.list(r), list{r, "q", k}
	all := entries{each: slices.Repeat([]string{r.Number(0)}, k)}
	if !l.trivial() {
		all = r.distances(l.measure, m.Centers, r.squared)
	}
	at := func(name string) string { return r.p + name }
	kept := []string{at("k"), at("u"), at("r")}
	of := r.fitted().and(r.array(l.measure)...).measured(l.measure, k)
	of = of.over(append([]value{{name: at("k")}, {untold, at("u")}, {r.sum(r.parts(rest, m.Centers.Row(0))), at("r")}},
		d.values(all)...)...)
	layer := func(of layers, name, sql string, kept []string) layers {
		return of.over(append(passed(kept), value{sql, at(name)})...)
	}
	of = layer(of, "m", d.least(), append(kept, d.names()...))
	kept = append(kept, at("m"))
	of = layer(of, "j", d.first(at("m")), append(kept, d.names()...))
	kept = append(kept, at("j"))
	if k == 1 {
		return of.query(strings.Join(kept, ", "), "", ""), ""
	}
	of = of.over(append(passed(kept), d.but(at("j"), other.kind)...)...)
	of = layer(of, "s", other.least(), append(kept, other.names()...))
	kept = append(kept, at("s"))
	of = layer(of, "i", other.first(at("s")), append(kept, other.names()...))
	return of.query(strings.Join(append(kept, at("i")), ", "), "", ""),
		fmt.Sprintf("sqrt(%ss + %sr) - sqrt(%sm + %sr)", r.p, r.p, r.p, r.p)
}
