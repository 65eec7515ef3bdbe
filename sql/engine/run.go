package engine

import (
	"context"
	"maps"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A Keeper is an Engine that keeps the tables of runs.
type Keeper interface {
	// ReplaceAll makes tables, and takes others away: none is as it is to be before all of
	// them are complete. Tables of these names may be there.
	ReplaceAll(ctx context.Context, tables []NewTable, away []string) error

	// There returns the columns of those of some tables that there are; of a view, no columns.
	There(ctx context.Context, names []string) (map[string][]string, error)

	// Drop drops tables.
	Drop(ctx context.Context, names []string) error
}

// A NewTable is a table that a Keeper makes.
type NewTable struct {
	Name  string
	Query string // whose rows it has; "": those of the copy
	result.Copy
}

// CheckRun refuses to write a run whose tables are there: none may be replaced that is no
// result, and the others only if replace is true.
func (t *Table) CheckRun(ctx context.Context, run string, replace bool) error {
	k, ok := t.engine.(Keeper)
	if !ok {
		return nil
	}
	ours, err := tablesOf(ctx, k, run)
	if err != nil || len(ours) == 0 || replace {
		return err
	}
	return framework.Faultf(framework.Data, "table-exists", "the engine has %s of a run %q already: %s", input.Plural(len(ours), "table"), run,
		input.Listed(ours)).At("into").
		WithHint("%s replaces %s, or choose another name", framework.Setting("replace"), input.Agreed(len(ours), "it", "them"))
}

// DropRun drops the tables of a run, and returns their names.
func (t *Table) DropRun(ctx context.Context, run string) ([]string, error) {
	k, ok := t.engine.(Keeper)
	if !ok {
		return nil, nil
	}
	ours, err := tablesOf(ctx, k, run)
	if err != nil || len(ours) == 0 {
		return nil, err
	}
	return ours, k.Drop(ctx, ours)
}

// WriteRun writes the tables of a run: copies, and the assignments of a model, unless that
// is nil. Those of an older run of that name are replaced.
func (b *Bound) WriteRun(ctx context.Context, run string, m *framework.Model, copies []result.Copy) error {
	k, ok := b.engine.(Keeper)
	if !ok {
		return framework.Faultf(framework.Internal, "internal", "the engine keeps no tables")
	}
	away, err := tablesOf(ctx, k, run)
	if err != nil {
		return err
	}
	var tables []NewTable
	if m != nil {
		text, err := b.assigned(m)
		if err != nil {
			return err
		}
		tables = append(tables, NewTable{Name: run + "_" + schema.Assignments, Query: text})
	}
	for _, c := range copies {
		tables = append(tables, NewTable{Name: run + "_" + c.Result, Copy: c})
	}
	away = slices.DeleteFunc(away, func(name string) bool {
		return slices.ContainsFunc(tables, func(n NewTable) bool { return n.Name == name })
	})
	return k.ReplaceAll(ctx, tables, away)
}

// Rows returns how many rows the relation has, with those that are left out, as they were
// counted when it was looked at.
func (t *Table) Rows() int { return t.counted.all }

// Stream hands over the rows of a query.
func (t *Table) Stream(ctx context.Context, query string, use func(row []any) error) error {
	if s, ok := t.engine.(Streamer); ok {
		return s.Stream(ctx, query, use)
	}
	return framework.Faultf(framework.Internal, "internal", "the engine hands over no rows")
}

// tablesOf returns the tables of a run that are there. Others of such a name are refused:
// they are somebody's own.
func tablesOf(ctx context.Context, k Keeper, run string) ([]string, error) {
	what := map[string]string{}
	for _, result := range schema.Names() {
		what[run+"_"+result] = result
	}
	names := slices.Sorted(maps.Keys(what))
	there, err := k.There(ctx, names)
	if err != nil {
		return nil, err
	}
	var ours, foreign []string
	for _, name := range names {
		switch columns, is := there[name]; {
		case !is:
		case schema.Matches(what[name], columns):
			ours = append(ours, name)
		default:
			foreign = append(foreign, name)
		}
	}
	if len(foreign) > 0 {
		return nil, framework.Faultf(framework.Data, "table-exists", "the engine has %s with other columns than the result has: %s",
			input.Plural(len(foreign), "table"), input.Listed(foreign)).At("into").
			WithHint("choose another name, or rename what is there; %s replaces results only", framework.Setting("replace"))
	}
	return ours, nil
}
