package render

import (
	"os"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestWhoAsksForNoColorsGetsNone(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0) // a terminal of our own
	must.Do(t, err)
	defer func() { _ = terminal.Close() }()
	for name, test := range map[string]struct {
		flag, noColor, term string
		err                 *os.File
		want                bool
	}{
		"a terminal":              {"auto", "", "xterm", terminal, true},
		"no terminal":             {"auto", "", "xterm", nil, false},
		"NO_COLOR":                {"auto", "1", "xterm", terminal, false},
		"a dumb terminal":         {"auto", "", "dumb", terminal, false},
		"the flag beats NO_COLOR": {"always", "1", "dumb", nil, true},
		"never":                   {"never", "", "xterm", terminal, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("NO_COLOR", test.noColor)
			t.Setenv("TERM", test.term)
			if got := Colored(test.err, test.flag); got != test.want {
				t.Errorf("colored is %v", got)
			}
		})
	}
}
