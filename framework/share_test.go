package framework_test

import (
	"encoding/json"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestAModelThatSharesItsWorkCanBeWrittenAndCopied(t *testing.T) {
	m := framework.Model{Centers: framework.NewMatrix(1, 2), Share: func(int, func(int)) {}}
	var read framework.Model
	must.Do(t, json.Unmarshal(must.Get(json.Marshal(m))(t), &read))
	if read.Share != nil || m.Clone().Share != nil || len(read.Centers.Data) != 2 {
		t.Errorf("%+v is written as %+v", m, read)
	}
}
