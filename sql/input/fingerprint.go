package input

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math"
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

// Fingerprint returns a hash of the names, keys, weights and cells of the
// table. It must be taken before the cells are scaled. It tells data apart, but
// is no proof against forgery.
func (t *Table) Fingerprint() string {
	h := sha256.New()
	h.Write([]byte(strings.Join(t.Features, "\x00") + "\x00\x00" + t.KeyName + "\x00" + t.KeyType))
	sum := func(words int, checksum uint32) {
		var part [16]byte
		binary.LittleEndian.PutUint64(part[:], uint64(words))
		binary.LittleEndian.PutUint64(part[8:], uint64(checksum))
		h.Write(part[:])
	}
	for _, s := range t.Sources {
		if s.Categorical {
			fmt.Fprintf(h, "%q %t %q", s.Name, s.NullLevel, s.Levels)
		}
	}
	if t.Builder.IsSparse() {
		t.sumEntries(sum)
		sum(len(t.Weights), checksum(t.Weights))
		h.Write(binary.LittleEndian.AppendUint32(nil, t.keySum()))
		return hex.EncodeToString(h.Sum(nil))
	}
	sums, cells := make([]uint32, t.Builder.Pieces()), make([]int, t.Builder.Pieces())
	var work sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		work.Go(func() {
			for i := w; i < len(sums); i += workers {
				sums[i], cells[i] = t.Builder.Checksum(i)
			}
		})
	}
	keys := t.keySum()
	work.Wait()
	for i, s := range sums {
		sum(cells[i], s)
	}
	sum(len(t.Weights), checksum(t.Weights))
	h.Write(binary.LittleEndian.AppendUint32(nil, keys))
	return hex.EncodeToString(h.Sum(nil))
}

// sumEntries hands over the checksums of the entries of sparse rows: of how many each row
// has, of their columns and of their values.
func (t *Table) sumEntries(sum func(words int, checksum uint32)) {
	var counts, places, cells uint32
	var room []byte
	for i := range t.Builder.Rows() {
		columns, values := t.Builder.Row(i)
		counts = crc32.Update(counts, castagnoli, binary.LittleEndian.AppendUint64(room[:0], uint64(len(columns))))
		room = room[:0]
		for _, l := range columns {
			room = binary.LittleEndian.AppendUint32(room, uint32(l))
		}
		places = crc32.Update(places, castagnoli, room)
		room = room[:0]
		for _, v := range values {
			room = binary.LittleEndian.AppendUint64(room, math.Float64bits(v))
		}
		cells = crc32.Update(cells, castagnoli, room)
	}
	sum(t.Builder.Rows(), counts)
	sum(t.Builder.Entries(), places)
	sum(t.Builder.Cols(), cells)
}

// keySum returns a checksum of the keys.
func (t *Table) keySum() (sum uint32) {
	const piece = 2048 // keys that are summed up together
	var bytes []byte
	for from, n := 0, t.Keys.Len(); from < n; from += piece {
		bytes = t.Keys.AppendAll(bytes[:0], from, min(from+piece, n))
		sum = crc32.Update(sum, castagnoli, bytes)
	}
	return sum
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
