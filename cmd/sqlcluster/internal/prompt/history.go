package prompt

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"
)

// mostLines is how many lines a history keeps.
const mostLines = 1000

// A history is a file of lines, the last one the newest. It is that of a person: what
// cannot be read or written is missed by nobody who does not look for it.
type history struct {
	path  string
	lines []string
}

// HistoryFile returns the place of the history in the user's directory, or "".
func HistoryFile() string {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "sqlcluster", "sql_history")
}

// OpenHistory returns the history in a file, to which each line is added at once. An
// empty path is a history of this session only.
func OpenHistory(path string) term.History {
	h := &history{path: path}
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		h.lines = append(h.lines, strings.TrimRight(line, "\n"))
	}
	if more := len(h.lines) - mostLines; more > 0 {
		h.lines = h.lines[more:]
		_ = os.WriteFile(path, []byte(strings.Join(h.lines, "\n")+"\n"), 0o600)
	}
	return h
}

// Add adds a line, unless it is blank or the one before.
func (h *history) Add(line string) {
	if strings.TrimSpace(line) == "" || len(h.lines) > 0 && h.lines[len(h.lines)-1] == line {
		return
	}
	h.lines = append(h.lines, line)
	if h.path == "" || os.MkdirAll(filepath.Dir(h.path), 0o700) != nil {
		return
	}
	if f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_, _ = f.WriteString(line + "\n")
		_ = f.Close()
	}
}

// Len returns the number of lines.
func (h *history) Len() int { return len(h.lines) }

// At returns a line; 0 is the newest.
func (h *history) At(i int) string { return h.lines[len(h.lines)-1-i] }
