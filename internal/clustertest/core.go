//go:build !campaign

package clustertest

// Campaign reports whether the long campaigns run: go test -tags campaign.
// Without it a test takes a few of many cases, of each kind at least one.
const Campaign = false
