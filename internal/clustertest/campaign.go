//go:build campaign

package clustertest

// Campaign reports whether the long campaigns run: go test -tags campaign.
const Campaign = true
