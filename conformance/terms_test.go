package conformance_test

import (
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/conformance"
	"github.com/sqlcluster/sqlcluster/conformance/internal/zoo"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestTermsThatAreDeclaredAreLeftOutAndTheReportSaysSo(t *testing.T) {
	r, err := conformance.CheckAlgorithm(t.Context(), zoo.Terms{},
		conformance.Options{Profile: conformance.Full, Laws: []string{"clusterer/objective", "clusterer/describe"}})
	must.Do(t, err)
	v := verdict(t, r, "clusterer/objective")
	if v.Status != conformance.Passed || v.Cases < 100 {
		t.Errorf("%s in %d cases: %+v", v.Status, v.Cases, v.Finding)
	}
	if want := "how much this adds is not checked: Σ (w − 2)² over the feature weights w;"; !strings.Contains(r.String(), want) {
		t.Errorf("the report does not say %q:\n%s", want, r)
	}
	if note := verdict(t, r, "clusterer/describe").Note; note != "" {
		t.Errorf("a law that leaves out nothing has the note %q", note)
	}
}
