package render

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestTheWidthIsThatOfTheTerminalOrOfCOLUMNS(t *testing.T) {
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0) // a terminal of our own
	must.Do(t, err)
	defer func() { _ = tty.Close() }()
	file := must.Get(os.Create(t.TempDir() + "/out"))(t)
	defer func() { _ = file.Close() }()
	for name, c := range map[string]struct {
		out     Output
		size    uint16
		columns string
		want    int
	}{
		"a terminal":                  {Output{To: tty}, 93, "", 93},
		"one that is told to be less": {Output{To: tty}, 93, "72", 72},
		"nonsense":                    {Output{To: tty}, 93, "-1", 93},
		"one of unknown width":        {Output{To: tty}, 0, "", 0},
		"next to none":                {Output{To: tty}, 3, "", 20},
		"a file":                      {Output{To: file}, 93, "72", 0},
		"no file at all":              {Output{To: &strings.Builder{}}, 93, "72", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("COLUMNS", c.columns)
			must.Do(t, unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: c.size, Row: 24}))
			if got := c.out.Width(); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
}
