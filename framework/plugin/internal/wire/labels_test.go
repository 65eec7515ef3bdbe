package wire

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

func TestAsManyLabelsAsFitAreOneMessage(t *testing.T) {
	for _, k := range []int{1, 2, 64, 65, 8192, 8193, 1 << 20, 1<<20 + 1, 1 << 27, 1<<31 - 1} {
		bytes := MostLabels(k) * protowire.SizeVarint(protowire.EncodeZigZag(int64(k-1)))
		if bytes > MaxMessage-1<<20 || bytes < MaxMessage/2 {
			t.Fatalf("%d labels of %d clusters are up to %d bytes", MostLabels(k), k, bytes)
		}
	}
}
