// Package plugins has the source of the example that new plugins begin with.
package plugins

import _ "embed"

// Spherical is the source of an algorithm, without the program and its tests.
//
//go:embed spherical/spherical.go
var Spherical string
