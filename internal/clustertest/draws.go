package clustertest

import "flag"

// FewDraws makes rapid draw 25 cases of each law; a campaign draws 100, as rapid
// does by itself. A package whose laws are checked for many variants each calls
// it in an init function. -rapid.checks on the command line goes before.
func FewDraws() {
	if Campaign {
		return
	}
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err) // the package does not import rapid
	}
}
