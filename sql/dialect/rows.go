package dialect

import (
	"slices"
	"strconv"
	"strings"
)

// Rows is how a database writes what only statements over many rows need. Arrays have
// numbers in double precision, and none is missing.
type Rows struct {
	Array   func(values []string) string // of numbers of a row
	Numbers func(v []float64) string     // exactly these numbers, finite ones

	// Apart is the distance of two arrays of the same length, or its square: the sum of
	// the squared differences, in the order of the entries, and Rooted tells whether the root
	// is taken.
	Apart  func(a, b string) string
	Rooted bool

	// Settled is a statement with the settings that it is quicker with; nil: as it is. Lists.Sum is in it for so many
	// features and points; 0: it is not.
	Settled func(statement string, features, points int) string

	// Chain is how many differences a statement may have that are written one by one; with
	// more, rows are compared by Apart. Few is how many columns are always compared so.
	Chain, Few int

	// ByFeature reports whether so many rows are compared with points by Lists.Sum, over so many features, of which some are
	// missing in some rows; before Chain is looked at. nil: never.
	ByFeature func(rows, features, missing, points int) bool

	// Products says that the nearest of points may be found by products where these are exact
	// enough, which have a third less to do than differences.
	Products bool

	Least    func(values []string) string // of numbers, none of them NULL
	Integer  func(value string) string    // a whole number in 64 bits
	Log      string                       // the name of the natural logarithm
	Infinity string

	// Sums is an aggregate: the array of the sums of several numbers, to which NULL adds
	// nothing; nil: sums are written one by one.
	// FewSums are as many as are written one by one in any case.
	Sums    func(values []string) string
	FewSums int

	// Count is an aggregate: of how many rows a condition holds, which is not NULL.
	Count func(condition string) string

	// At is an aggregate: a value of the row with the least key.
	At func(value, key string) string

	// Flat says that a statement is written as one SELECT, in whose WITH are the values that it
	// needs on the way: databases that share out a SELECT over servers fetch the rows of a
	// subquery to one of them.
	Flat bool

	// Lists writes several numbers of a row as an array; nil: they are as many values.
	Lists *Lists

	// Hashes is an aggregate: a text that depends on the values of the rows, not on their
	// order. Digest is a whole number from 0 to 2^64 − 1 that depends on the text of a value,
	// and is the same in all databases that write it in the same way: half of its MD5.
	Hashes func(values []string) string
	Digest func(text string) string

	// Each makes a row of each entry of an array.
	Each func(array string) string

	Label, Double, String string // types of columns that may be NULL: whole numbers of 32 bits, numbers, texts

	Ordinal func(value string) string // of a value of an ENUM: its place in the declaration
}

// Lists is how an array stands for several numbers of a row, none of them NULL. Places count
// from 0.
type Lists struct {
	// Of is the array of some values, in which a name may stand for an array: it is written
	// once, whatever the number of values that are made of it. Without an array, "", no name does.
	Of    func(values []string, name, array string) string
	Least func(list string) string
	First func(list, value string) string // the place of the first entry that is a value
	At    func(list, place string) string // the entry at a place
	But   func(list, place string) string // the list with infinity at a place

	// Sum is the array of a sum for each of many points, whose terms are added up in their order. What is
	// written begins with a name. nil: arrays are made of values only.
	Sum func(terms []Term, name string) string

	Largest func(list string) string     // absolute value
	Length  func(list, by string) string // root of the sum of the squares of the entries, divided by a number
}

// A Term of a sum is made of values of a row, none of them NULL, and of numbers of a point.
type Term struct {
	Row    []string    // values
	Points [][]float64 // numbers, each of all points
	Of     func(row, point []string) string
}

var duckDB = Rows{
	Array:    func(values []string) string { return "[" + strings.Join(values, ", ") + "]" },
	Numbers:  func(v []float64) string { return "CAST('[" + joined(v, shortest) + "]' AS DOUBLE[])" },
	Apart:    call("list_distance"),
	Rooted:   true,
	Few:      1,
	Least:    func(values []string) string { return one(values, "least") },
	Integer:  func(value string) string { return "CAST(" + value + " AS BIGINT)" },
	Log:      "ln",
	Infinity: "CAST('inf' AS DOUBLE)",
	Count:    func(condition string) string { return "count(CASE WHEN " + condition + " THEN 1 END)" },
	At:       call("arg_min"),
	Hashes: func(values []string) string {
		return "CAST(sum(CAST(hash(" + strings.Join(values, ", ") + ") AS HUGEINT)) AS VARCHAR)"
	},
	Digest:  func(text string) string { return "CAST(md5_number(" + text + ") & 18446744073709551615 AS UBIGINT)" },
	Each:    func(array string) string { return "unnest(" + array + ")" },
	Label:   "INTEGER",
	Double:  "DOUBLE",
	String:  "VARCHAR",
	Ordinal: func(value string) string { return "enum_code(" + value + ")" },
}

// squares is how ClickHouse compares arrays.
const squares = "arraySum((u, v) -> (u - v) * (u - v), "

// clickHouse is for 18.16, whose functions later versions have, too.
var clickHouse = Rows{
	Array:   func(values []string) string { return "[" + list(values, "assumeNotNull(%)") + "]" },
	Numbers: func(v []float64) string { return "[" + joined(v, normal) + "]" },
	Apart:   func(a, b string) string { return squares + a + ", " + b + ")" },
	Settled: func(statement string, features, points int) string {
		if features > 0 {
			rows := min(8192, max(fewestRows, mostNumbers/(points*together(features))))
			return statement + " SETTINGS max_block_size = " + strconv.Itoa(rows) + ", preferred_block_size_bytes = 0"
		}
		if strings.Contains(statement, squares) {
			return statement + " SETTINGS max_block_size = 8192, preferred_block_size_bytes = 0" // differences of a block stay in the cache
		}
		// A function of a block costs 18.16 some microseconds, as it copies the names of all columns at hand: as much as thousands
		// of numbers. Without settings, a block has 8192 rows, and less where they are wide.
		return statement + " SETTINGS max_block_size = 16384, preferred_block_size_bytes = 16777216"
	},
	Least:     func(values []string) string { return arrayMin("[" + list(values, "assumeNotNull(%)") + "]") },
	Integer:   func(value string) string { return "toInt64(" + value + ")" },
	Log:       "log",
	Infinity:  "inf",
	Count:     func(condition string) string { return "countIf(" + condition + ")" },
	At:        call("argMin"),
	Sums:      func(values []string) string { return "sumForEach([" + list(values, "ifNull(%, 0e0)") + "])" },
	FewSums:   100,
	Products:  true,
	Chain:     1000,
	ByFeature: byFeature,
	Flat:      true,
	Lists:     &arrays,
	Hashes: func(values []string) string {
		return "toString(sum(cityHash64(" + list(values, "ifNull(toString(%), '')") + ")))"
	},
	Digest:  func(text string) string { return "reinterpretAsUInt64(MD5(" + text + "))" },
	Each:    func(array string) string { return "arrayJoin(" + array + ")" },
	Label:   "Nullable(Int32)",
	Double:  "Nullable(Float64)",
	String:  "Nullable(String)",
	Ordinal: func(value string) string { return "toInt16(" + value + ")" },
}

// byFeature reports whether rows are compared with points by sum, as measured with 18.16. There are four ways: sum; products one by
// one, for labels with up to Chain of them; arrays, a term for each point; and differences one by one where cells are missing.
// Processor seconds of a pass over rows of two models, as it counts moves; the first column is of 1000 rows, and so of planning:
//
//	columns × k    products 1000, 200 000 rows   arrays 1000, 200 000 rows   sum 1000, 200 000 rows
//	  20 × 10           0.13      0.33               0.045    0.35              0.04      0.5
//	  20 × 50           1.65      2.6                0.4      1.3               0.07      1.5
//	  20 × 100                                       1.9      3.8               0.10      2.8
//	  20 × 300                                      19                          0.10      3.3 (100 000)
//	  20 × 1000                                                                 0.24     11   (100 000)
//	   5 × 200          1.4       4.3                4.8      8.4               0.03      2.5
//	  50 × 10           0.6       0.8 (50 000)       0.15     0.7 (50 000)      0.3       0.6 (50 000)
//	  50 × 100                                       2.7      5.5 (50 000)      1.0       3.0 (50 000)
//	 100 × 10           1.5       2.1 (50 000)       0.4      2.3 (50 000)      0.8       1.8 (50 000)
//	 100 × 100                                       5.6     11   (20 000)      0.9       3   (20 000)
//	 200 × 10           5.9                          1.3      2.1 (10 000)      2.5       3.6 (10 000)
//	 200 × 50                                        5.2      8.5 (10 000)      4.0
//
// With missing cells, differences took 0.37 s for 1000 rows of 20 × 10 and 5.1 of 20 × 50, where sum took 0.09 and 0.19; with
// 200 000 rows, 1.4 and 12 beside 0.9 and 2.8.
func byFeature(rows, features, missing, points int) bool {
	switch {
	case missing*points > 100:
		return true
	case features*features > 1000*points: // lambdas of many columns
		return false
	}
	return features*points > chain || rows < 20*points*points*features
}

// chain is how many products stand in a statement of ClickHouse one by one.
const chain = 1000

// A block of rows that are compared by sum has as many rows as make so many numbers in a lambda, or some in any case. With a
// block of more, the allocator gives memory back to the system all the time; with fewer, what a block costs counts.
const (
	mostNumbers = 350_000
	fewestRows  = 16
)

// arrayMin returns the least number of an array. (18.16 crashes where arrayReduce is given an array that is the
// same in all rows, and is known to be: then it is written out for each of them.)
func arrayMin(array string) string { return "arrayReduce('min', materialize(" + array + "))" }

// arrays are those of ClickHouse. The names of arguments of lambdas are short, as its columns
// are named by their expressions.
var arrays = Lists{
	Of: func(values []string, name, array string) string {
		all := "[" + list(values, "assumeNotNull(%)") + "]"
		if array == "" {
			return all
		}
		return "arrayElement(arrayMap(" + name + " -> " + all + ", [" + array + "]), 1)"
	},
	Least: arrayMin,
	First: func(list, value string) string { return "indexOf(" + list + ", " + value + ") - 1" },
	At:    func(list, place string) string { return "arrayElement(" + list + ", " + place + " + 1)" },
	Sum:   sum,
	Largest: func(list string) string {
		return "arrayReduce('max', materialize(arrayMap(u -> abs(u), " + list + ")))"
	},
	Length: func(list, by string) string { // what stands in a lambda may name columns of a relation, and so its arguments are like none
		return "sqrt(arraySum(u -> u * u, arrayMap(lambda_u -> lambda_u / " + by + ", " + list + ")))"
	},
	But: func(list, place string) string {
		return "arrayMap((lambda_u, lambda_i) -> if(lambda_i = " + place + " + 1, inf, lambda_u), " + list + ", arrayEnumerate(" + list + "))"
	},
}

// together is how many terms of a sum stand in one lambda, so that what these make stays in the cache. Lambdas of many terms, and
// many lambdas, take time by the squares of their numbers.
func together(terms int) int { return min(terms, max(7, terms/6)) }

// sum is the Sum of ClickHouse: a lambda over numbers of points in one over values of the row. (18.16 does not see columns that
// only stand in a lambda of WITH.)
func sum(terms []Term, name string) string {
	text := ""
	for some := range slices.Chunk(terms, together(len(terms))) {
		var outer, values, inner, arrays, body []string
		named := func(names *[]string) string {
			n := name + strconv.Itoa(len(outer)+len(inner))
			*names = append(*names, n)
			return n
		}
		if text != "" {
			arrays, values = append(arrays, named(&outer)), append(values, text)
			body = append(body, named(&inner))
		}
		for _, t := range some {
			row, point := make([]string, len(t.Row)), make([]string, len(t.Points))
			for i, v := range t.Row {
				row[i], values = named(&outer), append(values, "assumeNotNull("+v+")")
			}
			for i, v := range t.Points {
				point[i], arrays = named(&inner), append(arrays, "["+joined(v, normal)+"]")
			}
			body = append(body, t.Of(row, point))
		}
		text = "arrayElement(arrayMap((" + strings.Join(outer, ", ") + ") -> arrayMap((" + strings.Join(inner, ", ") + ") -> " +
			strings.Join(body, " + ") + ", " + strings.Join(arrays, ", ") + "), " + list(values, "[%]") + "), 1)"
	}
	return text
}

// list writes values, each in the place of the % of a form.
func list(values []string, form string) string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = strings.Replace(form, "%", v, 1)
	}
	return strings.Join(all, ", ")
}

func call(name string) func(a, b string) string {
	return func(a, b string) string { return name + "(" + a + ", " + b + ")" }
}

func one(values []string, name string) string {
	if len(values) == 1 {
		return values[0]
	}
	return name + "(" + strings.Join(values, ", ") + ")"
}

// joined writes numbers with commas between them.
func joined(v []float64, write func(float64) string) string {
	var b strings.Builder
	for i, x := range v {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(write(x))
	}
	return b.String()
}

// Whole writes a whole number.
func (Rows) Whole(n int) string { return strconv.Itoa(n) }
