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
	must.Equal(t, "3 indices", words.Counted(3, "index", "indices"))
}
