// Package store keeps runs in a database: it writes their result tables, lists them,
// shows them, loads their models and drops them. A [DB] has the methods of
// [source.DB] and [beside.DB] too, so that it is all that a command needs of a
// database.
//
// [DB.Write] creates all tables of a run in one transaction. A failed or cancelled
// write leaves nothing behind. A run is known by the columns of its table NAME_fit,
// and a table with a name of its own, such as that of a prediction, by its comment
// and columns: what was not written here is never replaced or dropped.
//
// What data or a user can cause is a framework.Fault, with DuckDB's own words as
// its cause where there are any. A cancelled context is returned as its own error.
package store
