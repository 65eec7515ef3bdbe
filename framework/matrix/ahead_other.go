//go:build !linux || portable

package matrix

import (
	"context"
	"os"
)

// MapAhead does nothing: here, rows are read when they are opened.
func MapAhead(context.Context, string, int, int) {}

// DropAhead does nothing, likewise.
func DropAhead() {}

func takeAhead(os.FileInfo, int64) mapping { return mapping{} }
