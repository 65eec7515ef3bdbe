//go:build !campaign

package clustertest

// Campaign reports whether the long campaigns run: go test -tags campaign.
// Otherwise a test takes a few of many cases, at least one of each kind.
const Campaign = false
