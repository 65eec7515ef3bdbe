package host

import (
	"bufio"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestLastWords(t *testing.T) {
	const stack = "goroutine 7 [running]:\nmain.main()\n\t/x/main.go:3 +0x1d\n"
	for name, c := range map[string]struct {
		said string
		want []string
	}{
		"nothing":                              {"", nil},
		"are the last lines, and four of them": {"1\n2\n3\n4\n\n5\n", []string{"2", "3", "4", "5"}},
		"may lack the end of a line":           {"1\n2", []string{"1", "2"}},
		"are a panic without its stack":        {"x\npanic: boom\n\n" + stack, []string{"panic: boom"}},
		"are a panic of several lines": {
			"panic: boom\n\tpanic: again\n[signal SIGSEGV]\n\n" + stack, []string{"panic: boom", "\tpanic: again", "[signal SIGSEGV]"},
		},
		"are the last panic": {"panic: one\n\n" + stack + "\npanic: two\n\n" + stack, []string{"panic: two"}},
		"are a fatal error": {
			"fatal error: stack overflow\n\n" + stack + strings.Repeat("frame\n", 999), []string{"fatal error: stack overflow"},
		},
		"have no stack of a caught panic": {"before\n" + stack + "\nafter\n", []string{"before", "after"}},
		"are cut":                         {strings.Repeat("a", 9999) + "\nb\n", []string{strings.Repeat("a", keptLength), "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 7, 1 << 20} { // however it is cut on its way
				var w words
				for piece := range slices.Chunk([]byte(c.said), size) {
					if n, err := w.Write(piece); n != len(piece) || err != nil {
						t.Fatalf("wrote %d of %d: %v", n, len(piece), err)
					}
				}
				if got := w.lastWords(); !slices.Equal(got, c.want) {
					t.Errorf("pieces of %d: %q, want %q", size, got, c.want)
				}
			}
		})
	}
}

// handshakeOf returns what is passed on of a standard output.
func handshakeOf(t *testing.T, said string) (string, *handshake) {
	t.Helper()
	r, w := io.Pipe()
	h := new(handshake)
	go func() {
		h.pass(w, strings.NewReader(said))
		_ = w.Close()
	}()
	passed := must.Get(io.ReadAll(r))(t)
	return string(passed), h
}

func TestHandshake_is_found_in_chatter(t *testing.T) {
	const line = "1|1|unix|/tmp/x|grpc|cert"
	for name, c := range map[string]struct {
		said, passed string
		chatter      []string
	}{
		"alone":       {line + "\n", line + "\n", nil},
		"before more": {line + "\n" + line + "\nbye\n", line + "\n", nil},
		"after lines": {"hello\n\n1|2\n" + line + "\r\n", line + "\n", []string{"hello", "1|2"}},
		"after a long line": {
			strings.Repeat("x", 3*maxLine) + "\n" + line + "\n", line + "\n", slices.Repeat([]string{strings.Repeat("x", keptLength)}, 3),
		},
		"not at all": {"usage: x|y|unix|z\n", "", []string{"usage: x|y|unix|z"}},
		"nothing":    {"", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			passed, h := handshakeOf(t, c.said)
			found, _, _, chatter := h.seen()
			if passed != c.passed || found != (c.passed != "") || !slices.Equal(chatter, c.chatter) {
				t.Errorf("passed %q, found %v, chatter %.60q", passed, found, chatter)
			}
		})
	}
}

func FuzzHandshake(f *testing.F) {
	f.Add("hello\n1|1|unix|/tmp/x|grpc|cert\n")
	f.Add("99999999999999999999|1|tcp|a|")
	f.Fuzz(func(t *testing.T, said string) {
		passed, h := handshakeOf(t, said)
		found, _, _, chatter := h.seen()
		if found != (passed != "") || len(chatter) > keptWords {
			t.Errorf("found %v, passed %q, %d lines of chatter", found, passed, len(chatter))
		}
		lines := bufio.NewScanner(strings.NewReader(passed))
		for lines.Scan() {
			if !handshakeLine.MatchString(lines.Text()) {
				t.Errorf("passed %q", lines.Text())
			}
		}
	})
}
