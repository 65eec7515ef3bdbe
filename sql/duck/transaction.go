package duck

import (
	"context"
	"errors"
)

// reading runs work in a transaction that cannot write to the database, unless
// one that may is under way: what a user calls a relation is only read, even if
// its query advances a sequence. Temporary tables can be made, and stay. The lock
// is held.
func (db *DB) reading(work func() error) error {
	if db.writing {
		return work()
	}
	whole := context.Background() // these take no time
	if err := db.command(whole, "BEGIN TRANSACTION READ ONLY"); err != nil {
		return err
	}
	err := work()
	if err == nil {
		err = db.command(whole, "COMMIT")
	}
	if err != nil {
		_ = db.command(whole, "ROLLBACK") // a failed commit has already rolled back
	}
	return err
}

// ExecReading is Exec for statements that contain a query of the user.
func (db *DB) ExecReading(ctx context.Context, sql string) error {
	return db.locked(ctx, func() error {
		db.executed, db.atRest = true, false
		return db.reading(func() error { return db.command(ctx, sql) })
	})
}

// Transaction runs work and commits, or takes everything back. Within a transaction
// that Run has begun, work is part of that, and its end is the user's. A cancellation
// counts until the commit begins, which nothing interrupts: the error tells
// whether anything has changed. A new database is there after the commit; if
// somebody else has made one there meanwhile, the work is done again in that.
func (db *DB) Transaction(ctx context.Context, work func() error) error {
	if db.abandoned != nil {
		return db.abandoned
	}
	if err := db.checkIdentity(false); err != nil {
		return err
	}
	if db.writing && !db.goesOn {
		return work()
	}
	defer db.unloggedCommit(ctx)()
	if begun := db.goesOn; !begun {
		if err := db.bound(ctx, "BEGIN TRANSACTION", true); err != nil {
			return WriteFault(err, "")
		}
	}
	db.goesOn = false
	whole := context.WithoutCancel(ctx)
	err := work()
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = WriteFault(db.bound(whole, "COMMIT", false), "")
	}
	if err != nil {
		_ = db.bound(whole, "ROLLBACK", false) // a failed commit has already rolled back
		return err
	}
	err = db.publish(whole)
	if errors.Is(err, errAppeared) {
		if err = db.reopen(ctx); err != nil {
			db.abandoned = err
			return err
		}
		return db.Transaction(ctx, work)
	}
	if err != nil {
		return err
	}
	return db.checkIdentity(true)
}

// bound begins or ends a transaction that writes.
func (db *DB) bound(ctx context.Context, statement string, writing bool) error {
	return db.locked(ctx, func() error {
		db.atRest = false
		err := db.command(ctx, statement)
		db.writing = writing && err == nil
		return err
	})
}

// Transacting reports whether Run has begun a transaction and not ended it.
func (db *DB) Transacting() bool { return db.writing }
