package render

import (
	"strings"
	"testing"
)

func TestWhyAStageDoesNotGoOnIsSaidAtOnceAndOnce(t *testing.T) {
	var b strings.Builder
	p := NewProgress(&b, "fitting")
	for _, why := range []string{"waiting for a", "waiting for a", "waiting for b", "waiting for \x1b[31m"} {
		p.Halt(why)
	}
	want := "fitting: waiting for a\nfitting: waiting for b\nfitting: waiting for \\x1b[31m\n"
	if p.End(); b.String() != want {
		t.Errorf("%q", b.String())
	}
}
