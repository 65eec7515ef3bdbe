// Command sqlcluster-plugin-spherical serves spherical k-means to sqlcluster.
// It is an example of a plugin in Go: all of it is in this directory.
package main

import "github.com/sqlcluster/sqlcluster/framework/plugin"

func main() { plugin.Serve(Spherical{}) }
