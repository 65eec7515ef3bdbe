package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

func TestAFileInAnotherFormIsToldHowItIsRead(t *testing.T) {
	t.Chdir(t.TempDir())
	db := memory(t)
	for name, test := range map[string]struct{ text, hint string }{
		"l1.csv":    {"id,n\xe4me\n1,2\n", "FROM read_csv('l1.csv', encoding='latin-1')"},
		"book.xlsx": {"PK\x03\x04", "FROM read_xlsx('book.xlsx')"},
	} {
		must.Do(t, os.WriteFile(filepath.Clean(name), []byte(test.text), 0o600))
		_, err := db.Read(t.Context(), input.Spec{Relation: name})
		f := framework.AsFault(err)
		if f == nil || f.Err != nil || !strings.Contains(f.Hint, test.hint) {
			t.Errorf("%s: %s", name, sqltest.Explain(err))
		}
	}
	if sqltest.Read(t, db, input.Spec{Relation: "FROM read_csv('l1.csv', encoding='latin-1')"}).Keys.Len() != 1 {
		t.Error("the hint's query reads another number of rows")
	}
}
