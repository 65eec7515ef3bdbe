package render

import "testing"

func TestAListHasTheNamesThatHaveRoom(t *testing.T) {
	names := []string{"space", "nasa", "orbit"}
	for room, want := range map[int]string{0: "space, nasa, orbit", 18: "space, nasa, orbit", 17: "space, nasa…", 12: "space, nasa…",
		11: "space…", 6: "space…", 4: "s…e…"} {
		if got := List(names, room); got != want {
			t.Errorf("%d: %q, want %q", room, got, want)
		}
	}
	if got := List([]string{"a\x1b[1m", "b"}, 0); got != `a\x1b[1m, b` {
		t.Error(got)
	}
}
