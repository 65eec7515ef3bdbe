// Package clickhouse is the engine of rows that are in ClickHouse, from version 18.16
// on: on one server, or on several behind a Distributed table.
//
// # What is said
//
// Statements go over HTTP, which all versions speak alike. (The official client for Go
// cannot talk HTTP to version 18.16, and of its native protocol only that version could
// be tested here.) Answers are text with names and types, in which a Float64 is the
// shortest number that reads back as the same bits.
//
// # What an answer is
//
// All of it, or an error. The server is told to send nothing before the statement has
// ended, to refuse where a limit would cut rows off, and to leave out no shard; an answer
// whose transfer did not end as HTTP says is an error, whatever is in it.
//
// # What is tried again
//
// A statement that reads, which the server is told to hold to, is tried again after
// errors that pass: lost connections, a server that starts, one with too many statements.
// A statement that writes is tried again only where the server has not seen it.
//
// # Secrets
//
// Name and password are in a header of each request and nowhere else; errors do not have
// them.
package clickhouse
