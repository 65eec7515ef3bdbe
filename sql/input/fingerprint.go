package input

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strings"
	"unsafe"
)

// Fingerprint returns a hash of the names, keys, weights and cells of the
// table. It must be taken before the cells are scaled. It tells data apart, but
// is no proof against forgery.
func (t *Table) Fingerprint() string {
	h := sha256.New()
	h.Write([]byte(strings.Join(t.Features, "\x00") + "\x00\x00" + t.KeyName + "\x00" + t.KeyType))
	sum := func(words []float64) {
		var part [16]byte
		binary.LittleEndian.PutUint64(part[:], uint64(len(words)))
		binary.LittleEndian.PutUint64(part[8:], uint64(checksum(words)))
		h.Write(part[:])
	}
	for _, s := range t.Sources {
		if s.Categorical {
			fmt.Fprintf(h, "%q %t %q", s.Name, s.NullLevel, s.Levels)
		}
	}
	v := t.Builder.Values()
	const rows = 4096 // a checksum for each piece
	for from := 0; from < v.Rows; from += rows {
		sum(v.Slice(from, min(from+rows, v.Rows)).Data)
	}
	sum(t.Weights)
	keys, part := uint32(0), []byte(nil)
	for i := range t.Keys.Len() {
		part = t.Keys.Append(part[:0], i)
		keys = crc32.Update(keys, castagnoli, part)
	}
	h.Write(binary.LittleEndian.AppendUint32(nil, keys))
	return hex.EncodeToString(h.Sum(nil))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli) // in hardware on most machines

// checksum returns a checksum of the bits of numbers.
func checksum(words []float64) uint32 {
	if len(words) == 0 {
		return 0
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*8)
	return crc32.Checksum(bytes, castagnoli)
}
