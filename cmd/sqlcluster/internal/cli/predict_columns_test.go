package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// ofThree is the recipe of three columns.
const ofThree = `"recipe":{"scaling":{"center":"mean","scale":"sd"},
	"features":[{"name":"a","scale":1},{"name":"b","scale":1},{"name":"c","scale":1}]}`

func TestPredictNeedsTheColumnsThatTellClustersApart(t *testing.T) {
	const (
		centers = `"centers":[[0,0,0],[2,1,0]],"round":3,"gain":[1,2,3],` // the same in c
		lacks   = "note: the relation does not have "
	)
	type labelled struct{ relation, want, note string } // want by hand: cluster, distance, second, margin and status
	for name, c := range map[string]struct {
		model string
		of    []labelled
	}{
		"missing cells are left out": {
			stored("skfr", `{"loss":"l2","missing":"observed","scope":"global","sparsity":"2"}`, ofThree, centers+`"selected":[true,true,false]`),
			[]labelled{
				{"SELECT 2 AS a, 1 AS b, 0 AS c", "1,1,0,0,2.2360679", ""}, // √5
				{"SELECT 2 AS a, 4 AS b", "1,1,3,0,1.472135", lacks + "c;"},
				{"SELECT NULL::INT AS a, NULL::INT AS b, 4 AS c", "1,,,,,no_cells", ""},
				{"SELECT NULL::INT AS a, NULL::INT AS b", "1,,,,,no_cells", lacks + "c;"},
				{"SELECT 2 AS a, 4 AS c", `has no column "b"`, ""},
			},
		},
		"missing cells are not taken": {
			stored("pcskm", `{"l1_bound":"1"}`, ofThree, centers+`"selected":[true,false,false],"weights":[1,0,0],"aux":{"weight_updates":[2]}`),
			[]labelled{
				{"SELECT 2 AS a", "1,1,0,0,2,", lacks + "b, c;"},
				{"SELECT 2 AS b", `has no column "a"`, ""},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "runs.duckdb")
			writeRun(t, path, "{}", c.model)
			for _, l := range c.of {
				out, errs, code := command(t, "predict", "run", l.relation, "--db", path, "-o", "csv")
				if !strings.Contains(out+errs, l.want) || !strings.Contains(errs, l.note) || l.note == "" && strings.Contains(errs, lacks) {
					t.Errorf("%s: exit code %d: %s%s", l.relation, code, out, errs)
				}
			}
		})
	}
}

// stored writes a model of two clusters and two features.
func stored(algorithm, params, recipe, rest string) string {
	return fmt.Sprintf(`{"format_version":1,"algorithm":%q,"params":%s,"k":2,%s,"centers":[[0,1],[2,3]],%s}`, algorithm, params, recipe, rest)
}
