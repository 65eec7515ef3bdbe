// Package prompt reads SQL from a person at a terminal: lines that can be edited, a
// history of them, proposals on Tab, and statements of several lines.
package prompt

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/sqlcluster/sqlcluster/sql/query"
)

// A Prompt is a terminal, and what is done with the lines that come from it.
type Prompt struct {
	Terminal io.ReadWriter
	Raw      func() (restore func()) // hands every key to the program while a line is read
	Size     func() (width, height int)
	History  term.History

	// Run runs one statement and shows what comes of it. It reports whether the
	// statements behind it on the same line are to be run.
	Run func(ctx context.Context, statement string) bool
	// Command does what a line that begins with a dot asks for. The session ends
	// when it reports false.
	Command func(ctx context.Context, words []string) bool
	// Propose returns what may come at the end of a text, and the byte of the text
	// from which on it would be replaced.
	Propose func(text string) (at int, proposals []string)
}

// Prompts of the first line of a statement, and of the others.
const (
	first = "sql> "
	next  = "...> "
)

// Loop reads and runs statements until Ctrl-D, the end of the terminal or of ctx.
func (p *Prompt) Loop(ctx context.Context) error {
	keys := &keyboard{from: p.Terminal}
	terminal := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{keys, p.Terminal}, first)
	terminal.History = p.History
	open := "" // the lines of a statement that is not complete
	terminal.AutoCompleteCallback = func(line string, at int, key rune) (string, int, bool) {
		if key != '\t' {
			return "", 0, false
		}
		line, at = p.complete(terminal, open, line, at)
		return line, at, true
	}
	for {
		terminal.SetPrompt(first)
		if open != "" {
			terminal.SetPrompt(next)
		}
		line, err := p.line(ctx, terminal)
		switch {
		case keys.cancelled: // by Ctrl-C
			keys.cancelled, open = false, ""
			continue
		case errors.Is(err, io.EOF):
			_, err = io.WriteString(p.Terminal, "\n")
			return err
		case err != nil && !errors.Is(err, term.ErrPasteIndicator):
			return err
		case open == "" && strings.HasPrefix(strings.TrimSpace(line), "."):
			if !p.Command(ctx, strings.Fields(line)) {
				return nil
			}
			continue
		}
		open = p.statements(ctx, open+line+"\n")
	}
}

// line reads a line. Whatever ends it, the terminal is as it was before.
func (p *Prompt) line(ctx context.Context, terminal *term.Terminal) (string, error) {
	if width, height := p.Size(); width > 0 {
		_ = terminal.SetSize(width, height)
	}
	type outcome struct {
		line string
		err  error
	}
	read := make(chan outcome, 1)
	defer p.Raw()()
	go func() {
		line, err := terminal.ReadLine()
		read <- outcome{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case got := <-read:
		return got.line, got.err
	}
}

// statements runs those of a text that are complete, and returns the rest.
func (p *Prompt) statements(ctx context.Context, text string) (open string) {
	all := query.Split(text)
	if n := len(all); n > 0 && !all[n-1].Ended {
		open, all = all[n-1].Text+"\n", all[:n-1]
	}
	for _, s := range all {
		if !p.Run(ctx, s.Text) {
			return ""
		}
	}
	return open
}

// mostShown is how many proposals are listed.
const mostShown = 60

// complete returns the line with what all proposals have in common at the cursor, or
// lists them if that is nothing.
func (p *Prompt) complete(to io.Writer, open, line string, cursor int) (string, int) {
	text := open + line[:cursor]
	at, all := p.Propose(text)
	if at < len(open) || at > len(text) {
		return line, cursor
	}
	typed := text[at:]
	all = slices.DeleteFunc(slices.Clone(all), func(s string) bool {
		return len(s) < len(typed) || !strings.EqualFold(s[:len(typed)], typed)
	})
	if len(all) == 0 {
		return line, cursor
	}
	common := all[0]
	for _, s := range all[1:] {
		for !strings.HasPrefix(strings.ToLower(s), strings.ToLower(common)) {
			_, size := utf8.DecodeLastRuneInString(common)
			common = common[:len(common)-size]
		}
	}
	switch {
	case len(all) == 1:
		common += " "
	case len(common) <= len(typed):
		shown := strings.Join(all[:min(len(all), mostShown)], "  ")
		if len(all) > mostShown {
			shown += "  …"
		}
		_, _ = io.WriteString(to, shown+"\n")
		return line, cursor
	}
	before := line[:at-len(open)] + common
	return before + line[cursor:], len(before)
}

// A keyboard hands on keys. Ctrl-C, which term.Terminal takes for the end of all
// input, becomes keys that empty the line and end it.
type keyboard struct {
	from      io.Reader
	rest      []byte
	cancelled bool // the line that comes next is that of Ctrl-C
}

const ctrlC = "\x03"

func (k *keyboard) Read(to []byte) (int, error) {
	const emptied = "\x05\x15\r" // to the end of the line, delete to its beginning, Enter
	if len(to) < len(emptied) {
		return 0, io.ErrShortBuffer
	}
	if len(k.rest) == 0 {
		n, err := k.from.Read(to)
		if n == 0 {
			return 0, err
		}
		k.rest = slices.Clone(to[:n])
	}
	at := strings.Index(string(k.rest), ctrlC)
	switch {
	case at == 0: // all keys before have been seen
		k.rest, k.cancelled = k.rest[1:], true
		return copy(to, emptied), nil
	case at < 0:
		at = len(k.rest)
	}
	n := copy(to, k.rest[:at])
	k.rest = k.rest[n:]
	return n, nil
}
