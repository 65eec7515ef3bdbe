package source

import (
	"strconv"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/pattern"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A class says what a column can be used for.
type class int

const (
	number class = iota
	array        // of numbers, of fixed or varying length
	text         // categories
	moment       // dates and times
	nested       // anything else
)

var (
	arrayType  = pattern.New(`^([A-Z]+(?:\(\d+,\d+\))?)\[(\d*)\]$`)
	numberType = pattern.New(`^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|BIGNUM|DECIMAL\(\d+,\d+\))$`)
	momentType = pattern.New(`^(?:DATE|TIME|TIMESTAMP|INTERVAL)(?:$|[_ ])`)
	textType   = pattern.New(`^(?:VARCHAR$|BOOLEAN$|JSON$|UUID$|ENUM\(.*\)$)`)
)

// classify reads a type as DuckDB writes it. Size is the length of an array,
// and 0 when it varies.
func classify(typ string) (c class, size int) {
	if m := arrayType().FindStringSubmatch(typ); m != nil && numberType().MatchString(m[1]) {
		size, _ = strconv.Atoi(m[2]) // nothing between the brackets: a list
		return array, size
	}
	switch {
	case numberType().MatchString(typ):
		return number, 1
	case momentType().MatchString(typ):
		return moment, 0
	case textType().MatchString(typ):
		return text, 0
	default:
		return nested, 0
	}
}

// textual reports whether values of a type are categories without being called
// so.
func textual(typ string) bool {
	return typ == "VARCHAR" || typ == "BOOLEAN" || strings.HasPrefix(typ, "ENUM(")
}

// expression returns the SQL that reads a numeric or array column as DOUBLE.
func (c Column) expression() string {
	name := schema.Quote(c.Name)
	target := "DOUBLE"
	if m := arrayType().FindStringSubmatch(c.Type); m != nil {
		target += "[" + m[2] + "]"
	}
	if c.Type == target {
		return name
	}
	return "CAST(" + name + " AS " + target + ")"
}

// advice says how a column that is not a number could become one.
func (c Column) advice() string {
	name := schema.Quote(c.Name)
	switch class, _ := classify(c.Type); {
	case class == moment && strings.HasPrefix(c.Type, "INTERVAL"):
		return "epoch(" + name + ") is a number"
	case class == moment && !strings.HasPrefix(c.Type, "TIME ") && c.Type != "TIME":
		return "epoch(" + name + "), year(" + name + ") or dayofweek(" + name + ") is a number"
	case class == moment:
		return "epoch(" + name + ") is a number"
	case c.Type == "BOOLEAN":
		return "CAST(" + name + " AS INTEGER) is a number"
	case class == text:
		return "text is not a number; CASE, or a JOIN with a table of numbers, turns it into one"
	case c.isMap():
		return framework.SettingTo("features", input.ColumnItem(c.Name)) + " alone makes features of its keys"
	default:
		return "take numbers out of it: " + name + ".field, " + name + "[1] or len(" + name + ")"
	}
}

// survives is SQL that is false where a cast to another type loses a part of
// the column's value: 1.5 to INTEGER, a time to DATE.
func (c Column) survives(typ string) string {
	name := schema.Quote(c.Name)
	cast := "CAST(" + name + " AS " + typ + ")"
	from, _ := classify(c.Type)
	to, _ := classify(typ)
	switch {
	case c.Type == typ || to == text:
		return "true"
	case from == text && to == number: // '01' is 1
		return "coalesce(TRY_CAST(" + name + " AS DOUBLE) = CAST(" + cast + " AS DOUBLE), true)"
	case from == text && typ == "DATE":
		return "coalesce(TRY_CAST(" + name + " AS TIMESTAMP) = " + cast + ", true)"
	case from == text:
		return "true"
	}
	// 9.9 becomes 10, for which its own type may have no room
	return "coalesce(TRY_CAST(" + cast + " AS " + c.Type + ") = " + name + ", " + name + " IS NULL)"
}
