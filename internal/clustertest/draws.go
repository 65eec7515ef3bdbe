package clustertest

import "flag"

// FewDraws makes rapid draw 25 cases of each law; in a campaign it draws 100, its
// default. Packages that check laws for many variants call it in an init function.
// -rapid.checks on the command line takes precedence.
func FewDraws() {
	if Campaign {
		return
	}
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err) // the package does not import rapid
	}
}
