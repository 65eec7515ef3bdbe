package cli

import "testing"

// The parameters are those that the built-in algorithms describe.
func TestAParameterOfOtherAlgorithmsIsToldWhoseItIs(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--sparsity", "6"}, `error[unknown-parameter]: algorithm kmeans has no parameter "sparsity"
  where: --sparsity
  hint:  it is a parameter of skfr: use -a skfr
`},
		{[]string{"-a", "skfr", "--sparsity", "2", "--param", "l1-bound=3"}, `error[unknown-parameter]: algorithm skfr has no parameter "l1_bound"
  where: --param l1_bound
  hint:  it is a parameter of skm, pcskm: use -a skm or -a pcskm
`},
		{[]string{"--param", "sparsty=6"}, `error[unknown-parameter]: algorithm kmeans has no parameter "sparsty"
  hint:  sqlcluster plugin describe kmeans lists its parameters
`},
	} {
		if _, errs, code := command(t, append([]string{"fit", "no.csv", "-k", "3"}, c.args...)...); code != exitUsage || errs != c.want {
			t.Errorf("%q: exit code %d: %s", c.args, code, errs)
		}
	}
}
