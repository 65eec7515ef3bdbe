// Package clickhousetest starts servers of ClickHouse for tests: one or two of those that
// the machine has installed, which are one cluster, and one of the SQL of a newer version
// in a process of Node.js (package chdb of npm). A [Proxy] between a client and a server
// loses connections.
//
// Tests that need servers have the build tag engines, so that the others need none.
package clickhousetest
