package store

import (
	"context"
	"slices"

	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// prepared are tables of a run that have no rows yet.
type prepared struct {
	schema string
	key    keyed
	names  []string
}

// Prepare begins to create the tables that Write will fill, beside the fit, in a database
// that is being made, which nobody sees before Write has committed. rows are those of the
// relation: of many, Write does something else first. Elsewhere it does nothing, and after an
// error Write does all of it again. Until then the database is not to be used.
func (db *DB) Prepare(ctx context.Context, name, keyName, keyType string, rows int) {
	if rows > duck.ChunkRows {
		return
	}
	p := new(prepared)
	begun := db.Begin(ctx, func() error {
		schemaName, base, err := db.runTarget(ctx, name)
		if err != nil {
			return err
		}
		p.schema, p.key = schemaName, keyed{name: keyName, typ: keyType}
		for _, what := range schema.OfFit() {
			if what == schema.Violations || what == schema.Limits { // of some fits
				continue
			}
			t := newTable{result: what, name: base + "_" + what}
			if err := db.declare(ctx, schemaName, t, p.key, false); err != nil {
				return err
			}
			p.names = append(p.names, t.name)
		}
		return nil
	})
	if begun {
		db.prepared = p
	}
}

// takePrepared returns the names of those tables that the next transaction begins with. It
// begins without any where others are wanted than there are.
func (db *DB) takePrepared(schemaName string, tables []newTable, key keyed) []string {
	p := db.prepared
	if db.prepared = nil; !db.Begun() || p == nil {
		return nil
	}
	wanted := func(name string) bool {
		return slices.ContainsFunc(tables, func(t newTable) bool { return t.name == name && !t.absent })
	}
	for _, name := range p.names {
		if p.schema != schemaName || p.key.name != key.name || p.key.typ != key.typ || key.groups != nil || !wanted(name) {
			db.TakeBack()
			return nil
		}
	}
	return p.names
}
