// Package memory says how much memory this process can still get. What follows
// from it may change time and room, never a result.
package memory
