//go:build !unix

package plugin

// There is no lifeline here: a plugin whose host is killed goes on until its
// connection is used again.
func holdLifeline() {}
