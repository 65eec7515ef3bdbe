// Command sqlcluster-plugin-order serves a kind of sets of centers to sqlcluster:
// features that rise up to a peak and fall after it. It is an example of a plugin
// that serves sets, in Go: all of it is in this directory.
package main

import "github.com/sqlcluster/sqlcluster/framework/plugin"

func main() { plugin.Serve(nil, Unimodal{}) }
