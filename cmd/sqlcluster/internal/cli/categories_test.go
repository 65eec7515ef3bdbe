package cli

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// grouping is an algorithm that asks for categories and for groups, and keeps
// the problem that it is given.
type grouping struct {
	other
	problem *framework.Problem
}

func (g grouping) New(p framework.Problem) (framework.Clusterer, error) {
	*g.problem = p
	return g.other.New(p)
}

func TestAnAlgorithmGetsTheCategoriesAndGroupsThatItAsksFor(t *testing.T) {
	var p framework.Problem
	with(t, grouping{other{func(d *framework.Description) { d.Categorical, d.Groups = true, true }}, &p})
	const rows = `SELECT i AS id, i AS a, i * i AS b, (['x', 'y', 'z'])[1 + i % 3] AS c, i % 2 = 0 AS d, i % 4 AS e FROM range(12) t(i)`
	const groups = "SELECT * FROM (VALUES ('b', 'g', 2.5), ('d', 'g', NULL), ('c', 'h', NULL)) v(feature, feature_group, weight)"
	_, errs, code := command(t, "check", rows, "--id", "id", "-k", "2", "-a", "other", "--categorical", "e", "--groups", groups)
	if code != 0 || strings.Contains(errs, "--groups") {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	none := math.NaN()
	want := []framework.Group{{Name: "a", Weight: none}, {Name: "g", Weight: 2.5}, {Name: "h", Weight: none}, {Name: "e", Weight: none}}
	must.Equal(t, want, p.Groups, cmpopts.EquateNaNs())
	// Columns: a; b; x, y and z of c; false and true of d; 0 to 3 of e.
	if diff := cmp.Diff([][]int{{0}, {1, 5, 6}, {2, 3, 4}, {7, 8, 9, 10}}, p.GroupColumns()); diff != "" || p.P != 11 {
		t.Errorf("%d columns: %s", p.P, diff)
	}
	must.Do(t, p.CheckGroups())
}
