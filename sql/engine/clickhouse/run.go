package clickhouse

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/engine"
)

var _ engine.Keeper = (*Engine)(nil)

// There implements engine.Keeper.
func (e *Engine) There(ctx context.Context, names []string) (map[string][]string, error) {
	rows, err := e.Query(ctx, "SELECT name, engine FROM system.tables WHERE database = currentDatabase() AND name IN ("+e.literals(names)+")")
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	there := map[string][]string{}
	for _, row := range rows {
		name, _ := row[0].(string)
		there[name] = nil
		if kind, _ := row[1].(string); strings.HasSuffix(kind, "View") {
			continue
		}
		columns, err := e.Columns(ctx, e.Dialect().Quote(name))
		if err != nil {
			return nil, err
		}
		for _, c := range columns {
			there[name] = append(there[name], c.Name)
		}
	}
	return there, nil
}

// literals lists texts.
func (e *Engine) literals(texts []string) string {
	all := make([]string, len(texts))
	for i, t := range texts {
		all[i] = e.Dialect().Literal(t)
	}
	return strings.Join(all, ", ")
}

// Drop implements engine.Keeper.
func (e *Engine) Drop(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := e.Exec(ctx, "DROP TABLE IF EXISTS "+e.Dialect().Quote(name)); err != nil {
			return err
		}
	}
	return nil
}

// ReplaceAll implements engine.Keeper: each table is filled under another name, and one
// statement gives all of them theirs. ClickHouse does what such a statement says one after the other, and
// does not take it back: if the server ends in the middle of it, or its answer is lost, what is not done is
// done one by one.
func (e *Engine) ReplaceAll(ctx context.Context, tables []engine.NewTable, away []string) error {
	id := strings.TrimPrefix(newID(), idPrefix)
	var names, staged, before []string
	for _, t := range tables {
		names, staged = append(names, t.Name), append(staged, t.Name+staging+id)
	}
	there, err := e.There(ctx, names)
	if err != nil {
		return err
	}
	for _, name := range append(names, away...) {
		_, left, err := e.around(ctx, name)
		if err == nil {
			err = e.clear(ctx, left, staging)
		}
		if err != nil {
			return err
		}
		before = append(before, left...) // of which clear drops those that were something
	}
	for i, t := range tables {
		if err := e.fill(ctx, staged[i], t); err != nil {
			return e.unfilled(ctx, err, staged[:i+1])
		}
	}
	var renames [][2]string
	for _, name := range away {
		renames = append(renames, [2]string{name, name + former + id})
		before = append(before, name+former+id)
	}
	for i, name := range names {
		if _, is := there[name]; is {
			renames = append(renames, [2]string{name, name + former + id})
			before = append(before, name+former+id)
		}
		renames = append(renames, [2]string{staged[i], name})
	}
	if err := e.rename(ctx, renames...); err != nil {
		if err := e.renamed(ctx, err, renames, staged); err != nil {
			return err
		}
	}
	_ = e.clear(ctx, before, former) // or the next run of the name does
	return nil
}

// unfilled drops tables that are not to be there, and returns the error, which says which
// ones are left.
func (e *Engine) unfilled(ctx context.Context, err error, names []string) error {
	for _, name := range names {
		err = e.undone(ctx, err, name)
	}
	return err
}

// rename gives tables other names, by one statement.
func (e *Engine) rename(ctx context.Context, pairs ...[2]string) error {
	d := e.Dialect()
	list := make([]string, len(pairs))
	for i, p := range pairs {
		list[i] = d.Quote(p[0]) + " TO " + d.Quote(p[1])
	}
	return e.Exec(ctx, "RENAME TABLE "+strings.Join(list, ", "))
}

// renamed does what is not done of a statement that has failed, or whose answer was lost;
// if none of it is done, the tables that were filled are dropped. nil: all is done.
func (e *Engine) renamed(ctx context.Context, err error, pairs [][2]string, staged []string) error {
	ctx, end := afterwards(ctx)
	defer end()
	var targets []string
	for _, p := range pairs {
		targets = append(targets, p[0], p[1])
	}
	there, unknown := e.There(ctx, targets)
	if unknown != nil {
		return e.told(err, staged...)
	}
	done := 0
	for done < len(pairs) && e.isDone(there, pairs, done) {
		done++
	}
	if done == 0 {
		return e.unfilled(ctx, err, staged)
	}
	for _, p := range pairs[done:] {
		if e.rename(ctx, p) != nil {
			return e.told(err, staged...)
		}
	}
	return nil
}

// isDone reports whether a renaming has been done: nothing has the first name any more, but
// what a later one has given it.
func (e *Engine) isDone(there map[string][]string, pairs [][2]string, at int) bool {
	from, to := pairs[at][0], pairs[at][1]
	if _, is := there[to]; !is {
		return false
	}
	if _, is := there[from]; !is {
		return true
	}
	return at+1 < len(pairs) && pairs[at+1][1] == from && e.isDone(there, pairs, at+1)
}

// Bounds of a statement that has rows in it.
const (
	mostRows = 10000
	mostText = 8 << 20
)

// fill makes a table with its rows.
func (e *Engine) fill(ctx context.Context, name string, t engine.NewTable) error {
	create := "CREATE TABLE " + e.Dialect().Quote(name)
	const kind = " ENGINE = MergeTree ORDER BY tuple()"
	if t.Query != "" {
		return e.Exec(ctx, create+kind+" AS "+t.Query)
	}
	list := make([]string, len(t.Columns))
	for l, c := range t.Columns {
		of, ok := stored[c.Type]
		if !ok {
			return framework.Faultf(framework.Internal, "internal", "ClickHouse gets no columns of type %s", c.Type)
		}
		list[l] = e.Dialect().Quote(c.Name) + " Nullable(" + of + ")"
	}
	if err := e.Exec(ctx, create+" ("+strings.Join(list, ", ")+")"+kind); err != nil {
		return err
	}
	var text strings.Builder
	rows := 0
	send := func() error {
		if rows == 0 {
			return nil
		}
		err := e.Exec(ctx, "INSERT INTO "+e.Dialect().Quote(name)+" FORMAT TabSeparated\n"+text.String())
		text.Reset()
		rows = 0
		return err
	}
	err := t.Each(func(row []any) error {
		for l, v := range row {
			if l > 0 {
				text.WriteByte('\t')
			}
			writeCell(&text, t.Columns[l].Type, v)
		}
		text.WriteByte('\n')
		if rows++; rows < mostRows && text.Len() < mostText {
			return nil
		}
		return send()
	})
	if err != nil {
		return err
	}
	return send()
}

// stored are the types of columns, by those that package schema has.
var stored = map[string]string{
	"VARCHAR": "String", "JSON": "String", "INTEGER": "Int32", "BIGINT": "Int64", "UBIGINT": "UInt64", "DOUBLE": "Float64",
	"BOOLEAN": "UInt8", "TIMESTAMP": "DateTime('UTC')",
}

// escaped is how TabSeparated writes a text.
var escaped = strings.NewReplacer("\\", "\\\\", "\t", "\\t", "\n", "\\n", "\r", "\\r", "\x00", "\\0", "\b", "\\b", "\f", "\\f")

// writeCell writes a cell as TabSeparated has it. Times are cut off to seconds.
func writeCell(to *strings.Builder, typ string, v any) {
	switch v := v.(type) {
	case nil:
		to.WriteString(`\N`)
	case bool:
		to.WriteString(map[bool]string{true: "1", false: "0"}[v])
	case float64:
		to.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
	case string:
		if typ == "TIMESTAMP" {
			v, _, _ = strings.Cut(v, ".")
		}
		_, _ = escaped.WriteString(to, v)
	default:
		fmt.Fprint(to, v)
	}
}
