package clickhouse

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/engine"
)

var _ engine.Replacer = (*Engine)(nil)

// Names of tables that become another one, or were it: that of the other, this, and an id
// that no other statement has. So what two processes do at a time does not mix, and a table of
// somebody else is not taken for one of these.
const (
	staging = "__staging_"
	former  = "__former_"
)

// behind is what follows the name of a table in those of such tables.
var behind = regexp.MustCompile("^(" + staging + "|" + former + ")[0-9a-f]{32}$")

// tidying is how long a table that is not complete may take to drop.
const tidying = 2 * time.Second

// Replace implements engine.Replacer: the rows go into a table of another name, which gets
// its name when it has all of them. After an error that table is dropped, or named in what is
// said. What a process has left that was killed is dropped by the next one that writes the
// same table.
func (e *Engine) Replace(ctx context.Context, table, query string, replace bool) error {
	there, left, err := e.around(ctx, table)
	if err != nil {
		return err
	}
	if there && !replace {
		return e.taken(table)
	}
	id := strings.TrimPrefix(newID(), idPrefix)
	staged, before := table+staging+id, table+former+id
	if err := e.clear(ctx, left, staging); err != nil {
		return err
	}
	if err := e.Exec(ctx, "CREATE TABLE "+e.Dialect().Quote(staged)+" ENGINE = MergeTree ORDER BY tuple() AS "+query); err != nil {
		return e.undone(ctx, err, staged)
	}
	var renames [][2]string
	if there {
		renames = append(renames, [2]string{table, before})
		left = append(left, before)
	}
	if err := e.rename(ctx, append(renames, [2]string{staged, table})...); err != nil {
		if err := e.named(ctx, err, table, staged, before); err != nil {
			return err
		}
	}
	return e.clear(ctx, left, former)
}

// named finds out what was done of the renaming of a complete table whose answer was lost,
// and does the rest. nil: the table has its name.
func (e *Engine) named(ctx context.Context, err error, table, staged, before string) error {
	ctx, end := afterwards(ctx)
	defer end()
	there, left, unknown := e.around(ctx, table)
	switch {
	case unknown != nil:
		return e.told(err, staged, before)
	case there && !slices.Contains(left, staged):
		return nil
	case !there && slices.Contains(left, before): // the server has ended between the two
		if e.rename(ctx, [2]string{staged, table}) == nil {
			return nil
		}
		return e.told(err, staged, before)
	}
	return e.undone(ctx, err, staged)
}

// afterwards returns the context of what is still to be done after an error.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), tidying)
}

// CheckTarget implements engine.Replacer.
func (e *Engine) CheckTarget(ctx context.Context, table string) error {
	there, _, err := e.around(ctx, table)
	if err != nil || !there {
		return err
	}
	return e.taken(table)
}

func (e *Engine) taken(table string) error {
	return framework.Faultf(framework.Data, "table-exists", "table %s already exists in %s", table, e).At("into").
		WithHint("%s replaces it, or choose another name", framework.Setting("replace"))
}

// around says whether a table is there, and which ones that became it, or were it.
func (e *Engine) around(ctx context.Context, table string) (there bool, left []string, err error) {
	rows, err := e.Query(ctx, fmt.Sprintf("SELECT name FROM system.tables WHERE database = currentDatabase() AND substring(name, 1, %d) = %s",
		len(table), e.Dialect().Literal(table)))
	for _, row := range rows {
		name, _ := row[0].(string)
		there = there || name == table
		if rest, is := strings.CutPrefix(name, table); is && behind.MatchString(rest) {
			left = append(left, name)
		}
	}
	return there, left, err
}

// clear drops those of the tables around another one that are of a sort. A statement that
// still fills one, of a process that has gone, is ended before.
func (e *Engine) clear(ctx context.Context, left []string, sort string) error {
	d := e.Dialect()
	for _, name := range left {
		if !strings.Contains(name, sort) {
			continue
		}
		if sort == staging {
			filling := "KILL QUERY WHERE query LIKE 'CREATE TABLE %' AND position(query, " + d.Literal(d.Quote(name)) + ") > 0 ASYNC"
			_ = e.Exec(ctx, filling) // or it is waited for
		}
		if err := e.Exec(ctx, "DROP TABLE IF EXISTS "+d.Quote(name)); err != nil {
			return err
		}
	}
	return nil
}

// undone drops a table that is not complete, or says that it is there.
func (e *Engine) undone(ctx context.Context, err error, staged string) error {
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), tidying)
	defer end()
	if e.clear(ctx, []string{staged}, staging) == nil {
		return err
	}
	if there, unknown := e.There(ctx, []string{staged}); unknown == nil && len(there) == 0 {
		return err
	}
	return e.told(err, staged)
}

// told adds to an error which tables may be left.
func (e *Engine) told(err error, names ...string) error {
	if f := framework.AsFault(err); f != nil {
		for _, name := range names {
			f.Details = append(f.Details, "table "+name+" may be left in "+e.String()+"; the next run that writes the same table drops it")
		}
	}
	return err
}
