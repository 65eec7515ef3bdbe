//go:build !linux || portable

package memory

import "unsafe"

// populate does nothing: this system is not asked.
func populate(unsafe.Pointer, uintptr, bool) {}

// surround does nothing, likewise.
func surround(unsafe.Pointer) {}
