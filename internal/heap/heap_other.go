//go:build !linux

package heap

import "unsafe"

// Enlarge does nothing here.
func Enlarge(unsafe.Pointer, uintptr) {}
