package cli

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
)

func TestADescriptionSaysWhatBecomesOfCategoriesAndGroups(t *testing.T) {
	for want, d := range map[string]framework.Description{
		"":                              {},
		"; text columns: categories":    {Categorical: true},
		"; features: selected by group": {Groups: true},
		"; text columns: categories; features: selected by group": {Categorical: true, Groups: true},
	} {
		if got := groupText(d); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestOnlyAnAlgorithmThatTakesMissingCellsCanIgnoreACategory(t *testing.T) {
	for _, c := range []struct {
		unseen    string
		missingOK bool
		refused   bool
	}{
		{"ignore", false, true}, {"ignore", true, false}, {"nearest", false, false}, {"error", false, false},
	} {
		err := checkUnseen(c.unseen, c.missingOK, "toy")
		if refused := err != nil; refused != c.refused {
			t.Errorf("%+v: %v", c, err)
		}
		if f := framework.AsFault(err); c.refused && (f == nil || f.Summary != "toy takes no missing cells, so that --unseen ignore is not possible" ||
			f.Hint != "--unseen nearest takes the most frequent category instead") {
			t.Errorf("%+v", f)
		}
	}
}
