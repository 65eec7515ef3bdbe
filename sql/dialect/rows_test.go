package dialect_test

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/sql/dialect"
)

// The numbers are those of byFeature: 100 differences of cells that may be missing, a thousand points for the square of the
// features, a thousand products, and 20 rows for each product of features and squared points.
func TestRowsOfClickHouseAreComparedByFeatureUpToExactBounds(t *testing.T) {
	by := dialect.Of(dialect.ClickHouse).ByFeature
	const many = 1 << 40 // rows, for which statements of few features are not
	for _, c := range []struct {
		rule                            string
		rows, features, missing, points int
		want                            bool
	}{
		{"100 differences", many, 20, 10, 10, false},
		{"101 differences", many, 20, 1, 101, true},
		{"101 differences, of one point", many, 200, 101, 1, true}, // of too many columns, too, if none was missing
		{"102 differences, of two points", many, 200, 51, 2, true},
		{"no cell is missing", many, 20, 0, 10, false},

		{"1000 points for 100² features", 0, 100, 0, 10, true},
		{"1000 points for less than 101² features", 0, 101, 0, 10, false},
		{"more points for 101² features", 0, 101, 0, 11, true},
		{"62 points for 249² features, one more than 62 000", 0, 249, 0, 62, false},
		{"63 points for 249² features", 0, 249, 0, 63, true},
		{"too many features, and more than 1000 products", many, 101, 0, 10, false},
		{"too many features, and 100 differences", 0, 101, 10, 10, false},

		{"1000 products", many, 100, 0, 10, false},
		{"1000 products, of many points", many, 5, 0, 200, false},
		{"1001 products", many, 91, 0, 11, true},
		{"1001 products, of many points", many, 7, 0, 143, true},

		{"39 999 rows of 20 features and 10 points", 20*10*10*20 - 1, 20, 0, 10, true},
		{"40 000 rows of 20 features and 10 points", 20 * 10 * 10 * 20, 20, 0, 10, false},
		{"no rows that are known", 0, 20, 0, 10, true},
		{"19 rows of one feature and one point", 19, 1, 0, 1, true},
		{"20 rows of one feature and one point", 20, 1, 0, 1, false},
	} {
		if got := by(c.rows, c.features, c.missing, c.points); got != c.want {
			t.Errorf("%s: %d rows, %d features, %d of them with missing cells, %d points: %v, want %v",
				c.rule, c.rows, c.features, c.missing, c.points, got, c.want)
		}
	}
}

// The seconds are those of the table beside byFeature, measured with ClickHouse 18.16: of many rows, by sum, and by what is
// written otherwise: products up to 1000 of them, and arrays above.
func TestManyRowsOfClickHouseAreComparedInTheWayThatWasMeasuredToBeQuicker(t *testing.T) {
	by := dialect.Of(dialect.ClickHouse).ByFeature
	for _, c := range []struct {
		rows, features, points int
		sum, otherwise         float64
	}{
		{200_000, 20, 10, 0.5, 0.33},
		{200_000, 20, 50, 1.5, 2.6},
		{200_000, 20, 100, 2.8, 3.8},
		{100_000, 20, 300, 3.3, 19},
		{200_000, 5, 200, 2.5, 4.3},
		{50_000, 50, 10, 0.6, 0.8},
		{50_000, 50, 100, 3.0, 5.5},
		{50_000, 100, 10, 1.8, 2.1},
		{20_000, 100, 100, 3, 11},
		{10_000, 200, 10, 3.6, 2.1},
	} {
		if got, want := by(c.rows, c.features, 0, c.points), c.sum < c.otherwise; got != want {
			t.Errorf("%d rows of %d features, %d points: by sum %v, which takes %v s, and otherwise %v s", c.rows, c.features, c.points, got,
				c.sum, c.otherwise)
		}
	}
	for _, c := range []struct {
		rows, points     int
		sum, differences float64
	}{{200_000, 10, 0.9, 1.4}, {200_000, 50, 2.8, 12}, {1000, 10, 0.09, 0.37}, {1000, 50, 0.19, 5.1}} { // of 20 features, all with NULLs
		if got, want := by(c.rows, 20, 20, c.points), c.sum < c.differences; got != want {
			t.Errorf("%d rows of 20 features with NULLs, %d points: by sum %v", c.rows, c.points, got)
		}
	}
	if dialect.Of(dialect.DuckDB).ByFeature != nil {
		t.Error("DuckDB compares rows by feature, and nothing was measured there")
	}
}
