package duck

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/sqlcluster/sqlcluster/sql/duck/internal/kind"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// Keys are the row keys of a table, in the order of its rows, in compact form:
// 8 bytes a row, 16 for types that need them, or the bytes of the text. They
// keep DuckDB's type, so that they can be written back unchanged.
type Keys struct {
	kind Kind
	typ  string // SQL of the type
	hi   []uint64
	lo   []uint64 // for kinds of two words
	text []byte   // for text: all of it, one key after the other
	ends []int64  // and where each key ends
}

// KeysOf returns keys in the form in which they are compared and written.
func KeysOf(k input.Keys) *Keys {
	if own, ok := k.(*Keys); ok || k == nil {
		return own
	}
	all := RowNumbers(k.Len())
	if k.Type() == all.typ {
		for i := range k.Len() {
			all.AddNumber(k.Value(i).(int64))
		}
		return all
	}
	return TextKeys(k)
}

// TextKeys returns the texts of keys as keys.
func TextKeys(k input.Keys) *Keys {
	all := &Keys{kind: kind.Text(), typ: "VARCHAR"}
	for i := range k.Len() {
		all.addText([]byte(k.Text(i)))
	}
	return all
}

// Len returns the number of keys.
func (k *Keys) Len() int {
	if k.kind.IsText() {
		return len(k.ends)
	}
	return len(k.hi)
}

// Type returns the SQL of the keys' type.
func (k *Keys) Type() string { return k.typ }

// Value returns key i as bool, int64, uint64 or float64, and as the text that
// DuckDB would show for every other type.
func (k *Keys) Value(i int) any {
	if k.kind.IsText() {
		if k.kind.ID == mapping.TypeBlob {
			return kind.BlobText(k.bytes(i))
		}
		return string(k.bytes(i))
	}
	return k.kind.Value(k.words(i))
}

// Text returns key i as text.
func (k *Keys) Text(i int) string { return kind.Plain(k.Value(i)) }

// Append appends bytes that tell key i from all others to b.
func (k *Keys) Append(b []byte, i int) []byte {
	if k.kind.IsText() {
		text := k.bytes(i)
		return append(binary.LittleEndian.AppendUint64(b, uint64(len(text))), text...)
	}
	hi, lo := k.words(i)
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, hi), lo)
}

// AppendAll appends what Append does for each of the keys from…to−1, one after the other.
func (k *Keys) AppendAll(b []byte, from, to int) []byte {
	if k.kind.IsText() {
		for i := from; i < to; i++ {
			b = k.Append(b, i)
		}
		return b
	}
	b = slices.Grow(b, 16*(to-from))
	for i := from; i < to; i++ {
		hi, lo := k.words(i)
		at := len(b)
		b = b[:at+16]
		binary.LittleEndian.PutUint64(b[at:], hi)
		binary.LittleEndian.PutUint64(b[at+8:], lo)
	}
	return b
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

// Empty returns keys of the same type without any row.
func (k *Keys) Empty() *Keys { return &Keys{kind: k.kind, typ: k.typ} }

// Add appends entry i of a vector of the keys' kind.
func (k *Keys) Add(v Vector, i int) {
	if k.kind.IsText() {
		k.addText(v.Text(i))
		return
	}
	hi, lo := k.kind.Load(v.data, i)
	k.hi = append(k.hi, hi)
	if k.kind.Wide() {
		k.lo = append(k.lo, lo)
	}
}

// AddAll appends the first n entries of a vector of the keys' kind, none of which is NULL.
func (k *Keys) AddAll(v Vector, n int) {
	if k.kind.IsText() {
		for i := range n {
			k.addText(v.Text(i))
		}
		return
	}
	k.Put(v, k.extend(n), n)
}

// extend appends n keys of fixed width, and returns the number of the first of them.
func (k *Keys) extend(n int) int {
	at := len(k.hi)
	if k.hi = slices.Grow(k.hi, n)[:at+n]; k.kind.Wide() {
		k.lo = slices.Grow(k.lo, n)[:at+n]
	}
	return at
}

// Resize makes the keys n, which are to be Put. It returns false where keys have no fixed
// width.
func (k *Keys) Resize(n int) bool {
	if k.kind.IsText() {
		return false
	}
	k.Clear()
	k.extend(n)
	return true
}

// Put sets keys at…at+n−1 to the first n entries of a vector of the keys' kind, none of
// which is NULL. Several goroutines may put keys at different places.
func (k *Keys) Put(v Vector, at, n int) {
	var lo []uint64
	if k.kind.Wide() {
		lo = k.lo[at : at+n]
	}
	k.kind.LoadAll(v.data, k.hi[at:at+n], lo)
}

func (k *Keys) addText(text []byte) {
	k.text = append(k.text, text...)
	k.ends = append(k.ends, int64(len(k.text)))
}

// compare returns the order of key i of k and key j of other: numbers by
// value, text by bytes, an ENUM as it is declared.
func (k *Keys) compare(i int, other *Keys, j int) int {
	if k.kind.IsText() {
		return bytes.Compare(k.bytes(i), other.bytes(j))
	}
	a, aLow := k.words(i)
	b, bLow := other.words(j)
	if c := cmp.Compare(a, b); c != 0 {
		return c
	}
	return cmp.Compare(aLow, bLow)
}

// Order returns the row numbers by ascending key, or nil when the keys ascend
// already. Equal keys keep their order.
func (k *Keys) Order() []int {
	if k.ascend(false) {
		return nil
	}
	order := make([]int, k.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return k.compare(a, k, b) })
	return order
}

// ascend reports whether no key is less than the one before it, or, strictly, whether each
// is more.
func (k *Keys) ascend(strictly bool) bool {
	least := 0 // of what compare returns for a key and the one before it
	if strictly {
		least = 1
	}
	if k.lo == nil && !k.kind.IsText() {
		for i := 1; i < len(k.hi); i++ {
			if a, b := k.hi[i-1], k.hi[i]; a > b || a == b && strictly {
				return false
			}
		}
		return true
	}
	for i := 1; i < k.Len(); i++ {
		if k.compare(i, k, i-1) < least {
			return false
		}
	}
	return true
}

// Repeated hands over the rows of each key that occurs more than once: the first
// of them, and how many. order is what Order returned.
func (k *Keys) Repeated(order []int, use func(first, rows int)) {
	if order == nil && k.ascend(true) {
		return
	}
	for i, n := 0, k.Len(); i < n; {
		j := i + 1
		for j < n && k.compare(at(order, i), k, at(order, j)) == 0 {
			j++
		}
		if j-i > 1 {
			use(at(order, i), j-i)
		}
		i = j
	}
}

// Permuted returns the keys with key order[i] at place i.
func (k *Keys) Permuted(order []int) *Keys {
	if order == nil {
		return k
	}
	p := k.Empty()
	if k.kind.IsText() {
		p.text, p.ends = make([]byte, 0, len(k.text)), make([]int64, 0, len(k.ends))
		for _, from := range order {
			p.addText(k.bytes(from))
		}
		return p
	}
	p.hi, p.lo = input.Permuted(k.hi, order), input.Permuted(k.lo, order)
	return p
}

// at returns the row number at place i of what Order returned.
func at(order []int, i int) int {
	if order == nil {
		return i
	}
	return order[i]
}

// An Index finds keys by value.
type Index struct {
	keys  *Keys
	order []int
}

// NewIndex returns an index of the keys, which may repeat.
func NewIndex(k *Keys) Index { return Index{keys: k, order: k.Order()} }

// Find returns the row of x whose key equals key j of other, or −1.
func (x Index) Find(other *Keys, j int) int {
	n := x.keys.Len()
	i := sort.Search(n, func(i int) bool { return x.keys.compare(at(x.order, i), other, j) >= 0 })
	if i == n || x.keys.compare(at(x.order, i), other, j) != 0 {
		return -1
	}
	return at(x.order, i)
}

// RowNumbers returns keys of type BIGINT without any row, but with room for some.
func RowNumbers(room int) *Keys {
	return &Keys{kind: kind.Bigint(), typ: "BIGINT", hi: make([]uint64, 0, room)}
}

// Become gives keys without any row the type of a vector, which in SQL is typ. It
// returns false if values of that type cannot be held.
func (k *Keys) Become(v Vector, typ string) (ok bool) {
	k.kind, ok = v.Kind()
	k.typ = typ
	return ok
}

// AddNumber appends a row number.
func (k *Keys) AddNumber(n int64) { k.hi = append(k.hi, uint64(n)^kind.SignBit) }

// Clear drops all keys.
func (k *Keys) Clear() {
	k.hi, k.lo, k.text, k.ends = k.hi[:0], k.lo[:0], k.text[:0], k.ends[:0]
}

// AddNull appends a key that stands for NULL.
func (k *Keys) AddNull() {
	switch {
	case k.kind.IsText():
		k.addText(nil)
	case k.kind.Wide():
		k.lo = append(k.lo, 0)
		fallthrough
	default:
		k.hi = append(k.hi, 0)
	}
}

// Compare returns the order of keys i and j, as Order has it.
func (k *Keys) Compare(i, j int) int { return k.compare(i, k, j) }
