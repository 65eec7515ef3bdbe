package plugin_test

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin"
)

// Mine is an algorithm; the methods that it lacks are in examples/plugins/spherical.
type Mine struct{ framework.Algorithm }

// Unimodal is a kind of sets, as in examples/plugins/order.
type Unimodal struct{ framework.SetKind }

// A plugin calls Serve in its main. It does not return before the host is done.
func ExampleServe() { plugin.Serve(Mine{}, Unimodal{}) }

func ExampleServe_setsAlone() { plugin.Serve(nil, Unimodal{}) }

func ExampleServeAll() {
	plugin.ServeAll([]framework.Algorithm{Mine{}, Mine{}}, []framework.Kind{Unimodal{}})
}
