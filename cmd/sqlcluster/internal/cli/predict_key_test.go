package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// keyedRun makes a database with a run whose key is the column ID and whose
// centers are (0, 0) and (9, 9), and returns its path.
func keyedRun(t *testing.T, params string) string {
	t.Helper()
	with(t, other{})
	path := filepath.Join(t.TempDir(), "runs.duckdb")
	writeRun(t, path, params, `{"format_version":1,"algorithm":"other","params":{"gaps":"refuse"},"k":2,
		"recipe":{"features":[{"name":"a","scale":1},{"name":"b","scale":1}]},"centers":[[0,0],[9,9]],"selected":[true,true],"gain":[0,0]}`)
	return path
}

func TestPredictTakesTheKeyOfTheRun(t *testing.T) {
	keyed := `{"id":{"value":"ID","origin":"flag"}}`
	for name, c := range map[string]struct {
		params, columns string
		args            []string
		want, errs      string // keys of the two rows, and the start of what is said
	}{
		"the relation has it":  {keyed, "id, a, b", nil, "id 7 8", ""},
		"it has not":           {keyed, "other, a, b", nil, "row_id 1 2", "note: the relation has no column ID"},
		"another one is given": {keyed, "other, a, b", []string{"--id", "other"}, "other 7 8", ""},
		"the run had none":     {`{"id":{"value":"","origin":"default"}}`, "id, a, b", nil, "row_id 1 2", "note: rows of the query have no key"},
		"nothing was recorded": {"{}", "id, a, b", nil, "row_id 1 2", "note: rows of the query have no key"},
	} {
		t.Run(name, func(t *testing.T) {
			path := keyedRun(t, c.params)
			relation := "SELECT * FROM (VALUES (8, 9, 9), (7, 0, 0)) t(" + c.columns + ")"
			out, errs, code := command(t, append([]string{"predict", "run", relation, "--db", path, "-o", "csv"}, c.args...)...)
			lines := strings.Split(out, "\n")
			if code != 0 || len(lines) != 4 {
				t.Fatalf("exit code %d: %s%s", code, out, errs)
			}
			first := func(line string) string { key, _, _ := strings.Cut(line, ","); return key }
			if got := first(lines[0]) + " " + first(lines[1]) + " " + first(lines[2]); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if !strings.HasPrefix(errs, c.errs) || c.errs == "" && errs != "" {
				t.Errorf("%s", errs)
			}
			said := strings.Contains(errs, "note: the relation has no column ID, which is the key of the run: rows are numbered from 1; --id "+
				"names another key\n")
			if said != (name == "it has not") {
				t.Errorf("%s", errs)
			}
		})
	}
}

func TestWhatIsWrongWithTheKeyOfTheRunIsNotBlamedOnAFlag(t *testing.T) {
	path := keyedRun(t, `{"id":{"value":"ID","origin":"flag"}}`)
	_, errs, code := command(t, "predict", "run", "SELECT * FROM (VALUES (7, 9, 9), (7, 0, 0)) t(id, a, b)", "--db", path)
	want := `error[duplicate-keys]: 1 key of column "id" occurs more than once
  id = 7: 2 rows
  where: the key of the run
  hint:  name another key with --id, or number the rows: SELECT * EXCLUDE ("ID") FROM …
`
	if code != 3 || errs != want {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

func TestRecordedParametersThatCannotBeReadAreADamagedRun(t *testing.T) {
	path := keyedRun(t, `{"id":{"value":7}}`)
	_, errs, code := command(t, "predict", "run", "SELECT 7 AS id, 9 AS a, 9 AS b", "--db", path)
	if code != exitData || !strings.HasPrefix(errs, "error[run-damaged]: ") || !strings.Contains(errs, "hint:  fit again") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

func TestRunsListsPredictionsAndDropRemovesThem(t *testing.T) {
	path := keyedRun(t, "{}")
	relation := "SELECT * FROM (VALUES (8, 9, 9), (7, 0, 0)) t(id, a, b)"
	if _, errs, code := command(t, "predict", "run", relation, "--id", "id", "--db", path, "--into", "labels"); code != 0 {
		t.Fatal(errs)
	}
	out, errs, code := command(t, "runs", "--db", path)
	want := "table   kind        run  rows\n───────────────────────────────\nlabels  prediction  run     2\n"
	if _, listed, _ := strings.Cut(out, "\n\n"); code != 0 || listed != want {
		t.Errorf("exit code %d: %s%s", code, errs, out)
	}
	if out, _, _ := command(t, "runs", "--db", path, "-o", "csv"); strings.Contains(out, "labels") || strings.Count(out, "\n") != 2 {
		t.Errorf("%s", out)
	}
	if names, _ := proposals(t, "drop", "--db", path, ""); strings.Join(names, " ") != "run labels" {
		t.Errorf("drop is proposed %q", names)
	}
	for _, table := range [][]string{nil, {"centers"}, {"params"}} {
		args := append(append([]string{"show", "labels"}, table...), "--db", path, "-o", "csv", "--limit", "1")
		want := "id,cluster,distance,second_cluster,margin,status\n7,0,0,1,12.727922061357855,\n" // 9√2, from (0, 0) to (9, 9)
		if out, errs, code := command(t, args...); code != 0 || out != want {
			t.Errorf("%q: exit code %d: %s%s", args, code, errs, out)
		}
	}
	if _, errs, code := command(t, "drop", "labels", "--db", path); code != 0 || errs != "dropped labels\n" {
		t.Errorf("exit code %d: %s", code, errs)
	}
	out, _, _ = command(t, "runs", "--db", path, "-o", "json")
	if !strings.Contains(out, `"tables": []`) || !strings.Contains(out, `"run": "run"`) {
		t.Errorf("%s", out)
	}
}

func TestTheLevelOfAFlagMayFollowItAsAWord(t *testing.T) {
	path := keyedRun(t, "{}")
	const relation = "SELECT 7 AS id, 0 AS a, 0 AS b"
	for _, args := range [][]string{{"--flag", "0.99"}, {"--flag=0.99"}} {
		_, errs, _ := command(t, append([]string{"predict", "run", relation, "--db", path}, args...)...)
		if !strings.HasPrefix(errs, "error[no-distances]") { // the model is that of an older fit
			t.Errorf("%v: %s", args, errs)
		}
	}
	_, errs, _ := command(t, "predict", "run", relation, "0.99", "--db", path)
	if !strings.HasPrefix(errs, "error[argument-extra]") {
		t.Error(errs)
	}
}
