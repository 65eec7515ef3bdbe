package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

func TestAFileOfAnotherDirectoryIsSaidToBeTheFits(t *testing.T) {
	db := must.Get(store.Open(t.Context(), "", store.ReadWrite))(t)
	defer func() { _ = db.Close() }()
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("here.csv", []byte("id,a\n1,2\n"), 0o600))
	for source, relative := range map[string]bool{
		`FROM "gone.csv"`: true, "SELECT * FROM read_csv('gone.csv')": true, "FROM '/gone/gone.csv'": false, "FROM gone": false,
		`SELECT b FROM "here.csv"`: false,
	} {
		_, failed := db.Read(context.Background(), input.Spec{Relation: source})
		if failed == nil {
			t.Fatal(source)
		}
		f := framework.AsFault(ofFittedRelation(failed, "lim", false))
		said := f.Summary == `there is no file gone.csv here, and run "lim" was fitted to this relative path` &&
			f.Hint == "run score from the directory of the fit, or give RELATION"
		if said != relative {
			t.Errorf("%s: %v", source, f)
		}
		if given := ofFittedRelation(failed, "lim", true); !errors.Is(given, failed) {
			t.Errorf("%s: %v", source, given)
		}
	}
}

func TestTheHintForAPathIsThatOfTheCommand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.duckdb")
	writeRun(t, path, "{}", "")
	for command, hint := range map[string]string{"score": "score that", "predict": "predict with that"} {
		code, _, errs := run(command, "run", "SELECT 1 AS id", "--db", path)
		if code != exitData || !strings.Contains(errs, "fit one of its values, and "+hint+"\n") {
			t.Errorf("%s: exit code %d: %s", command, code, errs)
		}
	}
}
