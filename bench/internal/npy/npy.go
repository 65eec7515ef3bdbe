// Package npy reads arrays of numpy.
package npy

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
)

var described = regexp.MustCompile(`'descr': '<([fi][48])'.*'shape': \((\d+),(?: (\d+))?`)

// Read reads an .npy file of version 1, of doubles or integers, row by row.
func Read(path string) (values []float64, shape []int, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	if len(content) < 10 {
		return nil, nil, fmt.Errorf("%s is not an .npy file", path)
	}
	from := 10 + int(binary.LittleEndian.Uint16(content[8:]))
	parts := described.FindSubmatch(content[:min(from, len(content))])
	if parts == nil {
		return nil, nil, fmt.Errorf("%s is not an .npy file of numbers", path)
	}
	size := 1
	for _, part := range parts[2:] {
		if n, err := strconv.Atoi(string(part)); err == nil {
			shape, size = append(shape, n), size*n
		}
	}
	values = make([]float64, 0, size)
	for cells := content[from:]; len(cells) >= 4; {
		switch string(parts[1]) {
		case "f8":
			values, cells = append(values, math.Float64frombits(binary.LittleEndian.Uint64(cells))), cells[8:]
		case "i8":
			values, cells = append(values, float64(int64(binary.LittleEndian.Uint64(cells)))), cells[8:]
		case "i4":
			values, cells = append(values, float64(int32(binary.LittleEndian.Uint32(cells)))), cells[4:]
		default:
			return nil, nil, fmt.Errorf("%s has numbers of type %s", path, parts[1])
		}
	}
	return values, shape, nil
}
