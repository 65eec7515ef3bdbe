package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"sort"

	bindings "github.com/duckdb/duckdb-go-bindings"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// Keys are the row keys of a table, in the order of its rows, in compact form:
// 8 bytes a row, 16 for types that need them, or the bytes of the text. They
// keep DuckDB's type, so that they can be written back unchanged.
type Keys struct {
	kind kind
	typ  string // SQL of the type
	hi   []uint64
	lo   []uint64 // for kinds of two words
	text []byte   // for text: all of it, one key after the other
	ends []int64  // and where each key ends
}

// keysOf returns keys in the form in which they are compared and written.
func keysOf(k input.Keys) *Keys {
	if own, ok := k.(*Keys); ok || k == nil {
		return own
	}
	all := rowNumbers()
	if k.Type() == all.typ {
		for i := range k.Len() {
			all.number(k.Value(i).(int64))
		}
		return all
	}
	all = &Keys{kind: kind{id: bindings.TypeVarchar, stored: bindings.TypeVarchar}, typ: "VARCHAR"}
	for i := range k.Len() {
		all.text = append(all.text, k.Text(i)...)
		all.ends = append(all.ends, int64(len(all.text)))
	}
	return all
}

// Len returns the number of keys.
func (k *Keys) Len() int {
	if k.kind.isText() {
		return len(k.ends)
	}
	return len(k.hi)
}

// Type returns the SQL of the keys' type.
func (k *Keys) Type() string { return k.typ }

// Value returns key i as bool, int64, uint64 or float64, and as the text that
// DuckDB would show for every other type.
func (k *Keys) Value(i int) any {
	if k.kind.isText() {
		if k.kind.id == bindings.TypeBlob {
			return blobText(k.bytes(i))
		}
		return string(k.bytes(i))
	}
	hi, lo := k.words(i)
	return k.kind.value(hi, lo)
}

// Text returns key i as text.
func (k *Keys) Text(i int) string { return plain(k.Value(i)) }

// Append appends bytes that tell key i from all others to b.
func (k *Keys) Append(b []byte, i int) []byte {
	if k.kind.isText() {
		text := k.bytes(i)
		return append(binary.LittleEndian.AppendUint64(b, uint64(len(text))), text...)
	}
	hi, lo := k.words(i)
	b = binary.LittleEndian.AppendUint64(b, hi)
	return binary.LittleEndian.AppendUint64(b, lo)
}

func (k *Keys) bytes(i int) []byte {
	from := int64(0)
	if i > 0 {
		from = k.ends[i-1]
	}
	return k.text[from:k.ends[i]]
}

func (k *Keys) words(i int) (hi, lo uint64) {
	if k.lo != nil {
		lo = k.lo[i]
	}
	return k.hi[i], lo
}

// empty returns keys of the same type without any row.
func (k *Keys) empty() *Keys { return &Keys{kind: k.kind, typ: k.typ} }

// add appends entry i of a vector of the keys' kind.
func (k *Keys) add(v vector, i int) {
	if k.kind.isText() {
		k.text = append(k.text, v.text(i)...)
		k.ends = append(k.ends, int64(len(k.text)))
		return
	}
	hi, lo := k.kind.load(v.data, i)
	k.hi = append(k.hi, hi)
	if k.kind.wide() {
		k.lo = append(k.lo, lo)
	}
}

// compare returns the order of key i of k and key j of other: numbers by
// value, text by bytes, an ENUM as it is declared.
func (k *Keys) compare(i int, other *Keys, j int) int {
	if k.kind.isText() {
		return bytes.Compare(k.bytes(i), other.bytes(j))
	}
	a, aLow := k.words(i)
	b, bLow := other.words(j)
	if c := cmp.Compare(a, b); c != 0 {
		return c
	}
	return cmp.Compare(aLow, bLow)
}

// order returns the row numbers by ascending key, or nil when the keys ascend
// already. Equal keys keep their order.
func (k *Keys) order() []int {
	sorted := true
	for i := 1; i < k.Len() && sorted; i++ {
		sorted = k.compare(i-1, k, i) <= 0
	}
	if sorted {
		return nil
	}
	order := make([]int, k.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return k.compare(a, k, b) })
	return order
}

// permuted returns the keys with key order[i] at place i.
func (k *Keys) permuted(order []int) *Keys {
	if order == nil {
		return k
	}
	p := k.empty()
	if k.kind.isText() {
		p.text, p.ends = make([]byte, 0, len(k.text)), make([]int64, 0, len(k.ends))
		for _, from := range order {
			p.text = append(p.text, k.bytes(from)...)
			p.ends = append(p.ends, int64(len(p.text)))
		}
		return p
	}
	p.hi = make([]uint64, len(order))
	for i, from := range order {
		p.hi[i] = k.hi[from]
	}
	if k.lo != nil {
		p.lo = make([]uint64, len(order))
		for i, from := range order {
			p.lo[i] = k.lo[from]
		}
	}
	return p
}

// at returns the row number at place i of an order of k.order.
func at(order []int, i int) int {
	if order == nil {
		return i
	}
	return order[i]
}

// An index finds keys by value.
type index struct {
	keys  *Keys
	order []int
}

func newIndex(k *Keys) index { return index{keys: k, order: k.order()} }

// find returns the row of x whose key equals key j of other, or −1.
func (x index) find(other *Keys, j int) int {
	n := x.keys.Len()
	i := sort.Search(n, func(i int) bool { return x.keys.compare(at(x.order, i), other, j) >= 0 })
	if i == n || x.keys.compare(at(x.order, i), other, j) != 0 {
		return -1
	}
	return at(x.order, i)
}

// rowNumbers returns keys of type BIGINT without any row.
func rowNumbers() *Keys {
	return &Keys{kind: kind{id: bindings.TypeBigInt, stored: bindings.TypeBigInt}, typ: "BIGINT"}
}

// number appends a row number.
func (k *Keys) number(n int64) { k.hi = append(k.hi, uint64(n)^signBit) }

// clear drops all keys.
func (k *Keys) clear() {
	k.hi, k.lo, k.text, k.ends = k.hi[:0], k.lo[:0], k.text[:0], k.ends[:0]
}

// blank appends a key that stands for NULL.
func (k *Keys) blank() {
	switch {
	case k.kind.isText():
		k.ends = append(k.ends, int64(len(k.text)))
	case k.kind.wide():
		k.lo = append(k.lo, 0)
		fallthrough
	default:
		k.hi = append(k.hi, 0)
	}
}
