package means

import (
	"fmt"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/words"
)

// MissingParam returns the parameter "missing" of an algorithm that leaves missing
// cells out, or refuses them.
func MissingParam() framework.Param {
	return framework.Param{Name: "missing", Type: framework.ChoiceParam, Default: "observed", Choices: []string{"observed", "error"},
		Doc: "missing cells: observed leaves them out of every sum, error refuses them"}
}

// RefuseMissing returns a Fault if the problem has missing cells and its
// parameter "missing" is "error". instead, and others, are the values of that parameter
// which do not refuse them.
func RefuseMissing(p framework.Problem, instead string, others ...string) error {
	if p.Params.Text("missing") != "error" || !framework.HasMissing(p.Columns) {
		return nil
	}
	values := append([]string{framework.SettingTo("missing", instead)}, others...)
	f := framework.Faultf(framework.Data, "missing-values", "the data have missing cells, and missing=error refuses them").At("missing").
		WithHint("use %s, or %s to leave out rows that have them", strings.Join(values, " or "), framework.SettingTo("nulls", "drop"))
	more := 0
	for _, c := range p.Columns {
		switch {
		case c.Missing > 0 && len(f.Details) < 10:
			f.Details = append(f.Details, fmt.Sprintf("column %q: %d of %s", c.Name, c.Missing, words.Plural(p.N, "row")))
		case c.Missing > 0:
			more++
		}
	}
	if more > 0 {
		f.Details = append(f.Details, "and "+words.Counted(more, "more column", "more columns"))
	}
	return f
}
