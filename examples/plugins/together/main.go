// Command sqlcluster-plugin-together serves a kind of sets of labels to sqlcluster: rows
// of one value stay together. It is an example of a plugin that restricts clusters themselves,
// in Go: all of it is in this directory.
package main

import "github.com/sqlcluster/sqlcluster/framework/plugin"

func main() { plugin.Serve(nil, Together{}) }
