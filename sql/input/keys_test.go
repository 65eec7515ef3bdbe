package input

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRowNumberKeys(t *testing.T) {
	k := Numbered(3)
	if d := cmp.Diff([]string{"1", "2", "3"}, []string{k.Text(0), k.Text(1), k.Text(2)}); d != "" || k.Type() != "BIGINT" ||
		k.Value(2) != int64(3) {
		t.Error(d, k.Type(), k.Value(2))
	}
}
