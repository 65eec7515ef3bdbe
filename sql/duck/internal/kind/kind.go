// Package kind says how DuckDB stores the values of a type.
package kind

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// A Kind says how DuckDB stores the values of a type. A value of at most 16
// bytes is held as two words (hi, lo) that, read as unsigned, have the order of
// the values; text is held as bytes.
type Kind struct {
	ID     mapping.Type // the type as users see it
	stored mapping.Type // how it lies in memory
	scale  int          // digits behind the point of a DECIMAL
	Words  []string     // of an ENUM, as it is declared; nil: of another type
}

// Of returns the kind of a type, or false for types that a row key cannot
// have.
func Of(t mapping.LogicalType) (Kind, bool) {
	k := Kind{ID: mapping.GetTypeId(t)}
	k.stored = k.ID
	switch k.ID {
	case mapping.TypeDecimal:
		k.stored, k.scale = mapping.DecimalInternalType(t), int(mapping.DecimalScale(t))
	case mapping.TypeEnum:
		k.stored = mapping.EnumInternalType(t)
		for i := range mapping.EnumDictionarySize(t) {
			k.Words = append(k.Words, mapping.EnumDictionaryValue(t, mapping.IdxT(i)))
		}
	case mapping.TypeDate:
		k.stored = mapping.TypeInteger
	case mapping.TypeTime, mapping.TypeTimestamp, mapping.TypeTimestampS, mapping.TypeTimestampMS,
		mapping.TypeTimestampNS, mapping.TypeTimestampTZ, mapping.TypeTimeNS:
		k.stored = mapping.TypeBigInt
	case mapping.TypeUUID:
		k.stored = mapping.TypeHugeInt
	}
	return k, k.Width() > 0
}

// Text is the kind of VARCHAR.
func Text() Kind { return Kind{ID: mapping.TypeVarchar, stored: mapping.TypeVarchar} }

// Bigint is the kind of BIGINT.
func Bigint() Kind { return Kind{ID: mapping.TypeBigInt, stored: mapping.TypeBigInt} }

// IsText reports whether values are held as bytes.
func (k Kind) IsText() bool { return k.ID == mapping.TypeVarchar || k.ID == mapping.TypeBlob }

// Width returns the bytes of one stored value, and 0 for unknown types.
func (k Kind) Width() int {
	switch k.stored {
	case mapping.TypeBoolean, mapping.TypeTinyInt, mapping.TypeUTinyInt:
		return 1
	case mapping.TypeSmallInt, mapping.TypeUSmallInt:
		return 2
	case mapping.TypeInteger, mapping.TypeUInteger, mapping.TypeFloat:
		return 4
	case mapping.TypeBigInt, mapping.TypeUBigInt, mapping.TypeDouble:
		return 8
	case mapping.TypeHugeInt, mapping.TypeUHugeInt, mapping.TypeVarchar, mapping.TypeBlob:
		return 16
	}
	return 0
}

// Wide reports whether a value takes both words.
func (k Kind) Wide() bool { return k.Width() == 16 && !k.IsText() }

// SignBit is flipped in words of numbers that have a sign, for their order.
const SignBit = 1 << 63

// Load reads entry i of stored values.
func (k Kind) Load(data unsafe.Pointer, i int) (hi, lo uint64) {
	at := unsafe.Add(data, i*k.Width())
	switch k.stored {
	case mapping.TypeBoolean, mapping.TypeUTinyInt:
		return uint64(*(*uint8)(at)), 0
	case mapping.TypeUSmallInt:
		return uint64(*(*uint16)(at)), 0
	case mapping.TypeUInteger:
		return uint64(*(*uint32)(at)), 0
	case mapping.TypeUBigInt:
		return *(*uint64)(at), 0
	case mapping.TypeTinyInt:
		return uint64(*(*int8)(at)) ^ SignBit, 0
	case mapping.TypeSmallInt:
		return uint64(*(*int16)(at)) ^ SignBit, 0
	case mapping.TypeInteger:
		return uint64(*(*int32)(at)) ^ SignBit, 0
	case mapping.TypeBigInt:
		return uint64(*(*int64)(at)) ^ SignBit, 0
	case mapping.TypeFloat:
		return ordered(float64(*(*float32)(at))), 0
	case mapping.TypeDouble:
		return ordered(*(*float64)(at)), 0
	case mapping.TypeUHugeInt:
		return *(*uint64)(unsafe.Add(at, 8)), *(*uint64)(at)
	default: // HUGEINT: the low word comes first
		return *(*uint64)(unsafe.Add(at, 8)) ^ SignBit, *(*uint64)(at)
	}
}

// LoadAll reads the first entries of stored values, as many as there is room for. lo is
// nil for kinds of one word.
func (k Kind) LoadAll(data unsafe.Pointer, hi, lo []uint64) {
	switch {
	case k.stored == mapping.TypeBigInt: // most keys are
		for i, x := range unsafe.Slice((*uint64)(data), len(hi)) {
			hi[i] = x ^ SignBit
		}
	case lo == nil:
		for i := range hi {
			hi[i], _ = k.Load(data, i)
		}
	default:
		for i := range hi {
			hi[i], lo[i] = k.Load(data, i)
		}
	}
}

// Save writes a value to entry i.
func (k Kind) Save(data unsafe.Pointer, i int, hi, lo uint64) {
	at := unsafe.Add(data, i*k.Width())
	switch k.stored {
	case mapping.TypeFloat:
		*(*float32)(at) = float32(unordered(hi))
	case mapping.TypeDouble:
		*(*float64)(at) = unordered(hi)
	case mapping.TypeHugeInt:
		*(*uint64)(at), *(*uint64)(unsafe.Add(at, 8)) = lo, hi^SignBit
	case mapping.TypeUHugeInt:
		*(*uint64)(at), *(*uint64)(unsafe.Add(at, 8)) = lo, hi
	default: // the low bytes are right whether the type has a sign or not
		switch k.Width() {
		case 1:
			*(*uint8)(at) = uint8(hi)
		case 2:
			*(*uint16)(at) = uint16(hi)
		case 4:
			*(*uint32)(at) = uint32(hi)
		default:
			if k.stored == mapping.TypeBigInt {
				hi ^= SignBit
			}
			*(*uint64)(at) = hi
		}
	}
}

// SaveAll writes values to the first entries. lo is nil for kinds of one word.
func (k Kind) SaveAll(data unsafe.Pointer, hi, lo []uint64) {
	if k.stored == mapping.TypeBigInt { // most keys are
		for i, x := range hi {
			unsafe.Slice((*uint64)(data), len(hi))[i] = x ^ SignBit
		}
		return
	}
	for i, x := range hi {
		low := uint64(0)
		if lo != nil {
			low = lo[i]
		}
		k.Save(data, i, x, low)
	}
}

// ordered maps a number to a word that has its order; −0 counts as 0.
func ordered(x float64) uint64 {
	b := math.Float64bits(x + 0)
	if b&SignBit != 0 {
		return ^b
	}
	return b | SignBit
}

func unordered(w uint64) float64 {
	if w&SignBit != 0 {
		return math.Float64frombits(w &^ SignBit)
	}
	return math.Float64frombits(^w)
}

// Value returns a value as bool, int64, uint64, float64 or, for all else, the
// text that DuckDB would show.
func (k Kind) Value(hi, lo uint64) any {
	switch k.ID {
	case mapping.TypeBoolean:
		return hi != 0
	case mapping.TypeTinyInt, mapping.TypeSmallInt, mapping.TypeInteger, mapping.TypeBigInt:
		return int64(hi ^ SignBit)
	case mapping.TypeUTinyInt, mapping.TypeUSmallInt, mapping.TypeUInteger, mapping.TypeUBigInt:
		return hi
	case mapping.TypeFloat, mapping.TypeDouble:
		return unordered(hi)
	case mapping.TypeEnum:
		return k.Words[hi]
	case mapping.TypeUUID:
		return uuidText(hi, lo)
	case mapping.TypeHugeInt, mapping.TypeUHugeInt, mapping.TypeDecimal:
		return decimalText(k.integer(hi, lo), k.scale)
	}
	m := moments[k.ID]
	return instant(int64(hi^SignBit), m.unit).Format(m.layout)
}

// moments are the types of dates and times: in which unit one is stored, and how
// DuckDB shows it.
var moments = map[mapping.Type]struct {
	unit   time.Duration
	layout string
}{
	mapping.TypeDate:        {24 * time.Hour, time.DateOnly},
	mapping.TypeTime:        {time.Microsecond, "15:04:05.999999"},
	mapping.TypeTimeNS:      {time.Nanosecond, "15:04:05.999999999"},
	mapping.TypeTimestampS:  {time.Second, time.DateTime},
	mapping.TypeTimestampMS: {time.Millisecond, time.DateTime + ".999"},
	mapping.TypeTimestampNS: {time.Nanosecond, time.DateTime + ".999999999"},
	mapping.TypeTimestampTZ: {time.Microsecond, time.DateTime + ".999999+00"},
	mapping.TypeTimestamp:   {time.Microsecond, time.DateTime + ".999999"},
}

// instant returns the time that is n units after 1970.
func instant(n int64, unit time.Duration) time.Time {
	if unit >= time.Second {
		return time.Unix(n*int64(unit/time.Second), 0).UTC()
	}
	perSecond := int64(time.Second / unit)
	return time.Unix(n/perSecond, n%perSecond*int64(unit)).UTC()
}

// integer returns the whole number behind an integer or DECIMAL.
func (k Kind) integer(hi, lo uint64) *big.Int {
	if !k.Wide() {
		return big.NewInt(int64(hi ^ SignBit))
	}
	n := new(big.Int)
	if k.stored == mapping.TypeHugeInt {
		n.SetInt64(int64(hi ^ SignBit))
	} else {
		n.SetUint64(hi)
	}
	return n.Add(n.Lsh(n, 64), new(big.Int).SetUint64(lo))
}

func decimalText(n *big.Int, scale int) string {
	digits := n.Text(10)
	if scale == 0 {
		return digits
	}
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}

// uuidText writes a UUID. DuckDB stores it as a HUGEINT with the sign flipped,
// which load has undone.
func uuidText(hi, lo uint64) string {
	h := fmt.Sprintf("%016x%016x", hi, lo)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// BlobText writes bytes as DuckDB does: \xAA where they are not Plain ASCII.
func BlobText(b []byte) string {
	var s strings.Builder
	for _, c := range b {
		if c >= 32 && c < 127 && c != '\\' && c != '\'' && c != '"' {
			s.WriteByte(c)
		} else {
			s.WriteString(`\x` + strings.ToUpper(hex.EncodeToString([]byte{c})))
		}
	}
	return s.String()
}

// Plain writes a value of Kind.value as text.
func Plain(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	default:
		return fmt.Sprint(x)
	}
}
