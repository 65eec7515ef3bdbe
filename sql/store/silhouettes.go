package store

import (
	"cmp"
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

// WriteSilhouettes creates the table NAME_silhouettes. If NAME is their run, it is
// one of the tables of that run from then on.
func (db *DB) WriteSilhouettes(ctx context.Context, name string, replace bool, s *result.Silhouettes) error {
	schemaName, tables, err := db.silhouettesTarget(ctx, s.Run, name)
	if err == nil {
		err = source.CheckKeyName(s.KeyName, schema.Silhouettes)
	}
	if err != nil {
		return err
	}
	tables[0].rows, tables[0].columns, tables[0].comment = len(s.Labels), silhouetteCells(s), commentOf(schema.Silhouettes, s.Run)
	return db.create(ctx, schemaName, tables, tables, replace, keyed{name: s.KeyName, typ: s.Keys.Type()})
}

// CheckSilhouettes refuses, without writing anything, what WriteSilhouettes would
// refuse for a run.
func (db *DB) CheckSilhouettes(ctx context.Context, run, name string, replace bool) error {
	schemaName, tables, err := db.silhouettesTarget(ctx, run, name)
	if err == nil {
		_, err = db.existing(ctx, schemaName, tables, replace)
	}
	return err
}

// silhouettesTarget returns the table, still without rows.
func (db *DB) silhouettesTarget(ctx context.Context, run, name string) (schemaName string, tables []newTable, err error) {
	schemaName, base, err := db.target(ctx, name)
	if err != nil {
		return "", nil, err
	}
	tables = tablesNamed(base, []string{schema.Silhouettes})
	tables[0].named = true
	own, err := db.findRun(ctx, run)
	if err != nil {
		return "", nil, err
	}
	fits, err := db.fits(ctx)
	if err != nil {
		return "", nil, err
	}
	if of, _ := memberOf(fits, duck.Table{Schema: schemaName, Name: tables[0].name}); of == runName(own) {
		if fit, err := db.groupsOf(ctx, own); err != nil || fit != nil {
			return "", nil, cmp.Or(err, error(framework.Faultf(framework.Data, "run-has-groups",
				"run %q has several models, and this table is about one",
				of).At("into").WithHint("choose another name")))
		}
		tables[0].named = false
	} else if of != "" {
		return "", nil, framework.Faultf(framework.Data, "table-of-a-run", "table %s would belong to run %s, and is about the rows of run %s",
			tables[0].name, of, runName(own)).At("into").WithHint("choose another name, or that of the run")
	}
	return schemaName, tables, nil
}

func silhouetteCells(s *result.Silhouettes) cellWriters {
	keys := duck.KeysOf(s.Keys)
	return cellWriters{
		"{key}":         duck.KeysAt(func(i int) (*duck.Keys, int) { return keys, i }),
		"cluster":       duck.Labels(s.Labels),
		"nearest_other": duck.Labels(s.Nearest),
		"silhouette":    duck.Doubles(func(i int) float64 { return s.Values[i] }),
	}
}
