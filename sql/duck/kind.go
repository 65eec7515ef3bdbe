package duck

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// A Kind says how DuckDB stores the values of a type. A value of at most 16
// bytes is held as two words (hi, lo) that, read as unsigned, have the order of
// the values; text is held as bytes.
type Kind struct {
	id     bindings.Type // the type as users see it
	stored bindings.Type // how it lies in memory
	scale  int           // digits behind the point of a DECIMAL
	Words  []string      // of an ENUM, as it is declared; nil: of another type
}

// kindOf returns the kind of a type, or false for types that a row key cannot
// have.
func kindOf(t bindings.LogicalType) (Kind, bool) {
	k := Kind{id: bindings.GetTypeId(t)}
	k.stored = k.id
	switch k.id {
	case bindings.TypeDecimal:
		k.stored, k.scale = bindings.DecimalInternalType(t), int(bindings.DecimalScale(t))
	case bindings.TypeEnum:
		k.stored = bindings.EnumInternalType(t)
		for i := range bindings.EnumDictionarySize(t) {
			k.Words = append(k.Words, bindings.EnumDictionaryValue(t, bindings.IdxT(i)))
		}
	case bindings.TypeDate:
		k.stored = bindings.TypeInteger
	case bindings.TypeTime, bindings.TypeTimestamp, bindings.TypeTimestampS, bindings.TypeTimestampMS,
		bindings.TypeTimestampNS, bindings.TypeTimestampTZ, bindings.TypeTimeNS:
		k.stored = bindings.TypeBigInt
	case bindings.TypeUUID:
		k.stored = bindings.TypeHugeInt
	}
	return k, k.width() > 0
}

// Word returns entry i of an ENUM vector.
func (k Kind) Word(v Vector, i int) string {
	code, _ := k.load(v.data, i)
	return k.Words[code]
}

// isText reports whether values are held as bytes.
func (k Kind) isText() bool { return k.id == bindings.TypeVarchar || k.id == bindings.TypeBlob }

// width returns the bytes of one stored value, and 0 for unknown types.
func (k Kind) width() int {
	switch k.stored {
	case bindings.TypeBoolean, bindings.TypeTinyInt, bindings.TypeUTinyInt:
		return 1
	case bindings.TypeSmallInt, bindings.TypeUSmallInt:
		return 2
	case bindings.TypeInteger, bindings.TypeUInteger, bindings.TypeFloat:
		return 4
	case bindings.TypeBigInt, bindings.TypeUBigInt, bindings.TypeDouble:
		return 8
	case bindings.TypeHugeInt, bindings.TypeUHugeInt, bindings.TypeVarchar, bindings.TypeBlob:
		return 16
	}
	return 0
}

// wide reports whether a value takes both words.
func (k Kind) wide() bool { return k.width() == 16 && !k.isText() }

const signBit = 1 << 63

// load reads entry i of stored values.
func (k Kind) load(data unsafe.Pointer, i int) (hi, lo uint64) {
	at := unsafe.Add(data, i*k.width())
	switch k.stored {
	case bindings.TypeBoolean, bindings.TypeUTinyInt:
		return uint64(*(*uint8)(at)), 0
	case bindings.TypeUSmallInt:
		return uint64(*(*uint16)(at)), 0
	case bindings.TypeUInteger:
		return uint64(*(*uint32)(at)), 0
	case bindings.TypeUBigInt:
		return *(*uint64)(at), 0
	case bindings.TypeTinyInt:
		return uint64(*(*int8)(at)) ^ signBit, 0
	case bindings.TypeSmallInt:
		return uint64(*(*int16)(at)) ^ signBit, 0
	case bindings.TypeInteger:
		return uint64(*(*int32)(at)) ^ signBit, 0
	case bindings.TypeBigInt:
		return uint64(*(*int64)(at)) ^ signBit, 0
	case bindings.TypeFloat:
		return ordered(float64(*(*float32)(at))), 0
	case bindings.TypeDouble:
		return ordered(*(*float64)(at)), 0
	case bindings.TypeUHugeInt:
		return *(*uint64)(unsafe.Add(at, 8)), *(*uint64)(at)
	default: // HUGEINT: the low word comes first
		return *(*uint64)(unsafe.Add(at, 8)) ^ signBit, *(*uint64)(at)
	}
}

// save writes a value to entry i.
func (k Kind) save(data unsafe.Pointer, i int, hi, lo uint64) {
	at := unsafe.Add(data, i*k.width())
	switch k.stored {
	case bindings.TypeFloat:
		*(*float32)(at) = float32(unordered(hi))
	case bindings.TypeDouble:
		*(*float64)(at) = unordered(hi)
	case bindings.TypeHugeInt:
		*(*uint64)(at), *(*uint64)(unsafe.Add(at, 8)) = lo, hi^signBit
	case bindings.TypeUHugeInt:
		*(*uint64)(at), *(*uint64)(unsafe.Add(at, 8)) = lo, hi
	default: // the low bytes are right whether the type has a sign or not
		switch k.width() {
		case 1:
			*(*uint8)(at) = uint8(hi)
		case 2:
			*(*uint16)(at) = uint16(hi)
		case 4:
			*(*uint32)(at) = uint32(hi)
		default:
			if k.stored == bindings.TypeBigInt {
				hi ^= signBit
			}
			*(*uint64)(at) = hi
		}
	}
}

// ordered maps a number to a word that has its order; −0 counts as 0.
func ordered(x float64) uint64 {
	b := math.Float64bits(x + 0)
	if b&signBit != 0 {
		return ^b
	}
	return b | signBit
}

func unordered(w uint64) float64 {
	if w&signBit != 0 {
		return math.Float64frombits(w &^ signBit)
	}
	return math.Float64frombits(^w)
}

// value returns a value as bool, int64, uint64, float64 or, for all else, the
// text that DuckDB would show.
func (k Kind) value(hi, lo uint64) any {
	switch k.id {
	case bindings.TypeBoolean:
		return hi != 0
	case bindings.TypeTinyInt, bindings.TypeSmallInt, bindings.TypeInteger, bindings.TypeBigInt:
		return int64(hi ^ signBit)
	case bindings.TypeUTinyInt, bindings.TypeUSmallInt, bindings.TypeUInteger, bindings.TypeUBigInt:
		return hi
	case bindings.TypeFloat, bindings.TypeDouble:
		return unordered(hi)
	case bindings.TypeEnum:
		return k.Words[hi]
	case bindings.TypeUUID:
		return uuidText(hi, lo)
	case bindings.TypeHugeInt, bindings.TypeUHugeInt, bindings.TypeDecimal:
		return decimalText(k.integer(hi, lo), k.scale)
	}
	m := moments[k.id]
	return instant(int64(hi^signBit), m.unit).Format(m.layout)
}

// moments are the types of dates and times: in which unit one is stored, and how
// DuckDB shows it.
var moments = map[bindings.Type]struct {
	unit   time.Duration
	layout string
}{
	bindings.TypeDate:        {24 * time.Hour, time.DateOnly},
	bindings.TypeTime:        {time.Microsecond, "15:04:05.999999"},
	bindings.TypeTimeNS:      {time.Nanosecond, "15:04:05.999999999"},
	bindings.TypeTimestampS:  {time.Second, time.DateTime},
	bindings.TypeTimestampMS: {time.Millisecond, time.DateTime + ".999"},
	bindings.TypeTimestampNS: {time.Nanosecond, time.DateTime + ".999999999"},
	bindings.TypeTimestampTZ: {time.Microsecond, time.DateTime + ".999999+00"},
	bindings.TypeTimestamp:   {time.Microsecond, time.DateTime + ".999999"},
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
	if !k.wide() {
		return big.NewInt(int64(hi ^ signBit))
	}
	n := new(big.Int)
	if k.stored == bindings.TypeHugeInt {
		n.SetInt64(int64(hi ^ signBit))
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

// blobText writes bytes as DuckDB does: \xAA where they are not plain ASCII.
func blobText(b []byte) string {
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

// plain writes a value of Kind.value as text.
func plain(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	default:
		return fmt.Sprint(x)
	}
}
