//go:build !linux

package process

// GrowAtOnce does nothing here.
func GrowAtOnce() {}
