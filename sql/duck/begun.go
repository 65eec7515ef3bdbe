package duck

import "context"

// Begin begins a transaction that writes a database which is being made, and does work in
// it, beside what the caller does. Where Begun says so, the next Transaction goes on with it.
// Until then the database is not to be used. In others it returns false, and does nothing.
func (db *DB) Begin(ctx context.Context, work func() error) bool {
	if !db.Unmade() || db.abandoned != nil || db.begun != nil || db.writing {
		return false
	}
	begun := make(chan error, 1)
	go func() {
		err := db.bound(ctx, "BEGIN TRANSACTION", true)
		if err == nil {
			err = guardedWork(work)
		}
		begun <- err
	}()
	db.begun = begun
	return true
}

// Begun waits for the work of Begin, and reports whether there is a transaction to go on
// with. There is none after an error: who tries again will be told.
func (db *DB) Begun() bool {
	if db.begun == nil {
		return db.goesOn
	}
	err := <-db.begun
	db.begun = nil
	if db.goesOn = err == nil; !db.goesOn {
		_ = db.bound(context.Background(), "ROLLBACK", false)
	}
	return db.goesOn
}

// TakeBack takes back what Begin has done, if nobody has gone on with it.
func (db *DB) TakeBack() {
	if db.Begun() {
		_ = db.bound(context.Background(), "ROLLBACK", false)
		db.goesOn = false
	}
}

// Unmade reports whether a database is being made and nobody can have made anything in it
// but temporary tables, which need not be asked then.
func (db *DB) Unmade() bool { return db.fresh != nil && !db.published && !db.asked }
