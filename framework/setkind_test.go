package framework_test

import (
	"math"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func goodKind() framework.SetDescription {
	return framework.SetDescription{
		Kind: "tree_order", Version: "1", Summary: "an order", Source: "by hand", Uses: []string{"feature", "value"},
		Example: []framework.ConstraintRow{{Kind: "tree_order", Name: "a", Feature: new("f5"), Value: new(1.0)}},
	}
}

func TestAGoodDescriptionOfAKindHasNothingWrong(t *testing.T) {
	must.Do(t, goodKind().Check())
}

func TestAllThatIsWrongWithADescriptionOfAKindIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		change func(d *framework.SetDescription)
		says   string
	}{
		"the name":          {func(d *framework.SetDescription) { d.Kind = "Tree order" }, "words in lower case"},
		"two lines":         {func(d *framework.SetDescription) { d.Summary = "a\nb" }, "one line"},
		"an unknown column": {func(d *framework.SetDescription) { d.Uses = append(d.Uses, "weight") }, `Uses has "weight"`},
		"a column twice":    {func(d *framework.SetDescription) { d.Uses = append(d.Uses, "value") }, `Uses has "value" twice`},
		"no example":        {func(d *framework.SetDescription) { d.Example = nil }, "no Example"},
		"another kind":      {func(d *framework.SetDescription) { d.Example[0].Kind = "box" }, `the kind is "box"`},
		"two names": {func(d *framework.SetDescription) {
			d.Example = append(d.Example, framework.ConstraintRow{Kind: d.Kind})
		}, "one name"},
		"a column not used": {func(d *framework.SetDescription) { d.Example[0].Lo = new(0.0) }, "it has a lo"},
		"a cluster not there": {func(d *framework.SetDescription) { d.Uses = framework.SetColumns; d.Example[0].Cluster = new(3) },
			"the cluster is 3; it must be from 0 to 2"},
		"a feature not there":    {func(d *framework.SetDescription) { d.Example[0].Feature = new("f6") }, `the feature is "f6"`},
		"a number not a number":  {func(d *framework.SetDescription) { d.Example[0].Value = new(math.NaN()) }, "the number NaN"},
		"a number not of finite": {func(d *framework.SetDescription) { d.Example[0].Value = new(math.Inf(1)) }, "the number +Inf"},
	} {
		t.Run(name, func(t *testing.T) {
			d := goodKind()
			c.change(&d)
			if err := d.Check(); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v; want %q in it", err, c.says)
			}
		})
	}
}
