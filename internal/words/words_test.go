package words_test

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/internal/words"
)

func TestWordsGoWithTheirNumbers(t *testing.T) {
	must.Equal(t, "1 row", words.Plural(1, "row"))
	must.Equal(t, "0 rows", words.Plural(0, "row"))
	must.Equal(t, "2 classes", words.Plural(2, "class"))
	must.Equal(t, "", words.Joined(nil))
	must.Equal(t, "a", words.Joined([]string{"a"}))
	must.Equal(t, "a and b", words.Joined([]string{"a", "b"}))
	must.Equal(t, "a, b and c", words.Joined([]string{"a", "b", "c"}))
	must.Equal(t, "3 indices", words.Counted(3, "index", "indices"))
}
