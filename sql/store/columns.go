package store

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// duckFault is a Fault that quotes DuckDB.
func duckFault(class framework.Class, code, summary, duckdb string) *framework.Fault {
	return &framework.Fault{Class: class, Code: code, Summary: summary, Details: []string{"DuckDB says: " + strings.TrimSpace(duckdb)}}
}

// column is a column of the relation, with its type as DuckDB writes it.
type column struct{ name, kind string }

func (db *DB) describe(ctx context.Context, r relation) ([]column, error) {
	rows, err := db.conn.QueryContext(ctx, "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM "+r.from+" AS r)")
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, duckFault(framework.Data, "relation-unreadable", fmt.Sprintf("cannot read %s", short(r.text)), err.Error())
	}
	defer func() { _ = rows.Close() }()
	var all []column
	for rows.Next() {
		var c column
		if err := rows.Scan(&c.name, &c.kind); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, rows.Err()
}

// short cuts a long query for a message.
func short(text string) string {
	if len(text) > 60 {
		return text[:57] + "..."
	}
	return text
}

// nature is what a column can be used for.
type nature int

const (
	numeric nature = iota
	array
	categorical
	temporal
	other
)

var numericKinds = []string{"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE"}

func (c column) nature() nature {
	base, _, _ := strings.Cut(c.kind, "[")
	isNumeric := slices.Contains(numericKinds, base) || strings.HasPrefix(base, "DECIMAL(")
	switch {
	case isNumeric && base == c.kind:
		return numeric
	case isNumeric && strings.Count(c.kind, "[") == 1:
		return array
	case c.kind == "VARCHAR" || c.kind == "BOOLEAN" || strings.HasPrefix(c.kind, "ENUM(") && strings.HasSuffix(c.kind, ")"):
		return categorical
	case strings.HasPrefix(c.kind, "DATE") || strings.HasPrefix(c.kind, "TIME") || c.kind == "INTERVAL":
		return temporal
	}
	return other
}

func names(columns []column) []string {
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = c.name
	}
	return all
}

// find returns the column of that name; case does not matter, as in SQL.
func find(columns []column, name string) (column, bool) {
	for _, c := range columns {
		if strings.EqualFold(c.name, name) {
			return c, true
		}
	}
	return column{}, false
}

func notFound(r relation, columns []column, name, where string) *framework.Fault {
	f := framework.Faultf(framework.Data, "column-not-found", "%s has no column %q", short(r.text), name).WithWhere("%s", where)
	f.Similar = framework.Closest(name, names(columns))
	f.Hint = "its columns: " + strings.Join(firstOf(names(columns), 12), ", ")
	return f
}

func firstOf(all []string, n int) []string {
	if len(all) > n {
		return append(slices.Clone(all[:n]), fmt.Sprintf("and %d more", len(all)-n))
	}
	return all
}

// matching returns the columns that a list of names and globs stands for, in
// the order of the relation.
func matching(r relation, columns []column, patterns []string, flag string) (map[string]bool, error) {
	chosen := map[string]bool{}
	for i, p := range patterns {
		if c, ok := find(columns, p); ok {
			chosen[c.name] = true
			continue
		}
		hit := false
		if strings.ContainsAny(p, "*?[") {
			for _, c := range columns {
				if ok, err := path.Match(strings.ToLower(p), strings.ToLower(c.name)); err == nil && ok {
					chosen[c.name], hit = true, true
				}
			}
		}
		if !hit {
			return nil, notFound(r, columns, p, fmt.Sprintf("%s, item %d of %d", flag, i+1, len(patterns)))
		}
	}
	return chosen, nil
}

// An Excluded column is one that is no feature, and why.
type Excluded struct{ Name, Why string }

// feature is one feature and the SQL that computes it.
type feature struct{ name, sql string }

// features chooses the features of a relation by the rules of ReadSpec.
func (db *DB) features(ctx context.Context, r relation, columns []column, spec ReadSpec) ([]feature, []Excluded, error) {
	if spec.Want != nil {
		return db.wanted(ctx, r, columns, spec)
	}
	include, err := matching(r, columns, spec.Features, "--features")
	if err != nil {
		return nil, nil, err
	}
	exclude, err := matching(r, columns, spec.Exclude, "--exclude")
	if err != nil {
		return nil, nil, err
	}
	var chosen []column
	var excluded []Excluded
	for _, c := range columns {
		switch {
		case strings.EqualFold(c.name, spec.ID):
			excluded = append(excluded, Excluded{c.name, "row key"})
		case strings.EqualFold(c.name, spec.Weight):
			excluded = append(excluded, Excluded{c.name, "row weight"})
		case exclude[c.name]:
			excluded = append(excluded, Excluded{c.name, "--exclude"})
		case len(include) > 0 && !include[c.name]:
			excluded = append(excluded, Excluded{c.name, "not in --features"})
		default:
			chosen = append(chosen, c)
		}
	}
	if err := refuse(chosen); err != nil {
		return nil, nil, err
	}
	all, err := db.expand(ctx, r, chosen)
	if err == nil && len(all) == 0 {
		err = framework.Faultf(framework.Data, "no-features", "%s has no numeric column left to cluster by", short(r.text)).
			WithHint("its columns: %s", strings.Join(firstOf(names(columns), 12), ", "))
	}
	return all, excluded, err
}

// wanted finds the columns of a model by name.
func (db *DB) wanted(ctx context.Context, r relation, columns []column, spec ReadSpec) ([]feature, []Excluded, error) {
	var available []column
	for _, c := range columns {
		if n := c.nature(); n == numeric || n == array {
			available = append(available, c)
		}
	}
	all, err := db.expand(ctx, r, available)
	if err != nil {
		return nil, nil, err
	}
	byName := map[string]feature{}
	for _, f := range all {
		byName[strings.ToLower(f.name)] = f
	}
	var chosen []feature
	var missing []string
	for _, want := range spec.Want {
		f, ok := byName[strings.ToLower(want)]
		if !ok {
			missing = append(missing, want)
			continue
		}
		chosen = append(chosen, feature{want, f.sql})
	}
	if len(missing) > 0 {
		f := framework.Faultf(framework.Data, "column-not-found", "%s lacks %d of the %d features of the model", short(r.text), len(missing), len(spec.Want))
		f.Details = []string{"missing: " + strings.Join(firstOf(missing, 10), ", ")}
		return nil, nil, f.WithHint("rename the columns in a query: SELECT x AS %s, ...", schema.Quote(missing[0]))
	}
	return chosen, nil, nil
}

// refuse reports all columns that are no numbers, with what to do about them.
func refuse(columns []column) error {
	var text, dates, others []string
	for _, c := range columns {
		switch c.nature() {
		case categorical:
			text = append(text, c.name)
		case temporal:
			dates = append(dates, c.name)
		case other:
			others = append(others, c.name)
		}
	}
	if len(text)+len(dates)+len(others) == 0 {
		return nil
	}
	f := framework.Faultf(framework.Data, "not-numeric", "%d of the columns are not numbers", len(text)+len(dates)+len(others))
	add := func(kind string, list []string) {
		if len(list) > 0 {
			f.Details = append(f.Details, kind+": "+strings.Join(firstOf(list, 10), ", "))
		}
	}
	add("text or categories", text)
	add("dates or times (turn them into numbers in a query, such as epoch(column))", dates)
	add("nested or other types (take the numbers out of them in a query)", others)
	all := slices.Concat(text, dates, others)
	return f.WithHint("leave them out: --exclude %s", strings.Join(all, ","))
}

// expand turns columns into features: a numeric column is one, an array one for
// each element.
func (db *DB) expand(ctx context.Context, r relation, columns []column) ([]feature, error) {
	var all []feature
	for _, c := range columns {
		switch c.nature() {
		case numeric:
			all = append(all, feature{c.name, "CAST(r." + schema.Quote(c.name) + " AS DOUBLE)"})
		case array:
			n, err := db.arrayLength(ctx, r, c)
			if err != nil {
				return nil, err
			}
			for i := 1; i <= n; i++ {
				all = append(all, feature{fmt.Sprintf("%s[%d]", c.name, i), fmt.Sprintf("CAST(r.%s[%d] AS DOUBLE)", schema.Quote(c.name), i)})
			}
		}
	}
	return all, nil
}

// arrayLength returns the length that all arrays of a column share.
func (db *DB) arrayLength(ctx context.Context, r relation, c column) (int, error) {
	var shortest, longest *int
	q := fmt.Sprintf("SELECT min(len(r.%[1]s)), max(len(r.%[1]s)) FROM %[2]s AS r", schema.Quote(c.name), r.from)
	if err := db.conn.QueryRowContext(ctx, q).Scan(&shortest, &longest); err != nil {
		return 0, duckFault(framework.Data, "relation-unreadable", fmt.Sprintf("cannot read column %q", c.name), err.Error())
	}
	if longest == nil {
		return 0, nil
	}
	if *shortest != *longest {
		return 0, framework.Faultf(framework.Data, "ragged-array", "the arrays of column %q have from %d to %d elements; all rows need as many", c.name, *shortest, *longest).
			WithHint("leave it out with --exclude %s, or select the rows with one length in a query", c.name)
	}
	return *longest, nil
}
