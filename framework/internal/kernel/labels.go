package kernel

import "fmt"

// RememberedCenters is how many centers there are at most where labels are kept in bytes.
const RememberedCenters = 256

// Remember keeps labels of 0 to 255 in bytes: a pass over rows that need no look reads a
// quarter of what labels are, and writes nothing.
func Remember(kept []uint8, labels []int32) {
	same(kept, labels)
	if len(labels) > 0 {
		chosen().remember(kept, labels)
	}
}

// Recall writes the labels that are kept.
func Recall(labels []int32, kept []uint8) {
	same(kept, labels)
	if len(labels) > 0 {
		chosen().recall(labels, kept)
	}
}

func same(kept []uint8, labels []int32) {
	if len(kept) != len(labels) {
		panic(fmt.Sprintf("kernel: %d bytes for %d labels", len(kept), len(labels)))
	}
}

func remember(kept []uint8, labels []int32) {
	for i, label := range labels {
		kept[i] = uint8(label)
	}
}

func recall(labels []int32, kept []uint8) {
	for i, label := range kept {
		labels[i] = int32(label)
	}
}
