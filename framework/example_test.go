package framework_test

import (
	"fmt"
	"log"

	"github.com/sqlcluster/sqlcluster/framework"
)

// An algorithm declares its parameters; flags, help and checks are made from that.
// New gets resolved values, in range and with defaults filled in.
func ExampleDescription_Resolve() {
	d := framework.Description{Name: "mine", Params: []framework.Param{
		{Name: "sparsity", Type: framework.IntParam, Required: true, Min: new(1.0)},
		{Name: "loss", Type: framework.ChoiceParam, Choices: []string{"l2", "l1"}, Default: "l2"},
	}}
	params, err := d.Resolve(map[string]string{"sparsity": "3"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(params.Int("sparsity"), params.Text("loss"))

	_, err = d.Resolve(map[string]string{"sparsity": "0"})
	fmt.Println(err)
	// Output:
	// 3 l2
	// bad-parameter: sparsity is "0"; it must be at least 1
}
