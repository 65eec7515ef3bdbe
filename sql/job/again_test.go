package job

import (
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// clockless leaves out of results what a clock decides.
var clockless = cmpopts.IgnoreTypes(result.Run{})

func TestAJobThatIsDoneAgainHasTheSameResultsAsANewOne(t *testing.T) {
	src := few()
	for name, s := range small() {
		s.Origins = map[string]string{"k": "flag"}
		first := must.Get(New(s, builtIn))(t)
		fitSmall(t, first.Again(), few()) // other rows in between
		got := fitSmall(t, first.Again(), src)
		want := fitSmall(t, must.Get(New(s, builtIn))(t), src)
		must.Equal(t, want, got, clockless, cmpopts.EquateNaNs(), cmpopts.EquateEmpty())
		if name != got.Fit.Algorithm {
			t.Errorf("%s is a fit of %s", name, got.Fit.Algorithm)
		}
	}
}
