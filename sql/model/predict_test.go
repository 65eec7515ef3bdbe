package model

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/library"
)

func TestOnlyAnAlgorithmThatTakesMissingCellsCanIgnoreACategory(t *testing.T) {
	for _, c := range []struct {
		unseen    matrix.Unseen
		missingOK bool
		refused   bool
	}{
		{"ignore", false, true}, {"ignore", true, false}, {"nearest", false, false}, {"error", false, false},
	} {
		m := &Model{algorithm: library.Algorithm{Description: framework.Description{Name: "toy", Missing: c.missingOK}}}
		err := m.CheckUnseen(c.unseen)
		if refused := err != nil; refused != c.refused {
			t.Errorf("%+v: %v", c, err)
		}
		if !c.refused {
			continue
		}
		if f := framework.AsFault(err).Render(nil); f.Summary != "toy cannot handle missing cells, so unseen = ignore is not possible" ||
			f.Hint != "unseen = nearest takes the most frequent category instead" {
			t.Errorf("%+v", f)
		}
	}
}
