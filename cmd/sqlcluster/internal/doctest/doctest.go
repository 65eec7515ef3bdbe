package doctest

import (
	"fmt"
	"regexp"
	"strings"
)

// A Command is one command of a console block and the output shown for it.
type Command struct {
	Line   int      // 1-based line of the document on which it stands
	Text   string   // as written, continuation lines joined
	Output []string // the lines shown, without line ends

	from, to int // 0-based lines of Output in the document: [from, to)
}

const (
	open   = "```console"
	fence  = "```"
	prompt = "$ "
)

// Parse returns the commands of all console blocks of a document, in order.
// An unclosed block, and output before the first command of a block, are
// errors.
func Parse(document string) ([]Command, error) {
	var commands []Command
	lines := strings.Split(document, "\n")
	opened := 0 // line number of the fence of the block we are in; 0: none
	first := 0  // number of commands before this block
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case opened == 0:
			if line == open {
				opened, first = i+1, len(commands)
			}
		case line == fence:
			opened = 0
		case strings.HasPrefix(line, prompt):
			c := Command{Line: i + 1, Text: strings.TrimPrefix(line, prompt)}
			for strings.HasSuffix(c.Text, `\`) && i+1 < len(lines) {
				i++
				c.Text = strings.TrimSuffix(c.Text, `\`) + strings.TrimSpace(lines[i])
			}
			c.from, c.to = i+1, i+1
			commands = append(commands, c)
		case len(commands) == first:
			return nil, fmt.Errorf("line %d: output before the first command of the block", i+1)
		default:
			c := &commands[len(commands)-1]
			c.Output = append(c.Output, line)
			c.to = i + 1
		}
	}
	if opened != 0 {
		return nil, fmt.Errorf("line %d: the console block is not closed", opened)
	}
	return commands, nil
}

// Rewrite returns the document with the output of each command replaced by the
// one of the same index. An output that is the Same as what is shown leaves
// the document as it is.
func Rewrite(document string, commands []Command, outputs [][]string) string {
	lines := strings.Split(document, "\n")
	var out []string
	at := 0
	for i, c := range commands {
		out = append(out, lines[at:c.from]...)
		if Same(c.Output, outputs[i]) {
			out = append(out, c.Output...)
		} else {
			out = append(out, outputs[i]...)
		}
		at = c.to
	}
	return strings.Join(append(out, lines[at:]...), "\n")
}

// Arguments splits a command at spaces. Single quotes keep everything between
// them, double quotes keep all but \", \\, \$ and \`; there are no variables, pipes or
// other inventions of a shell.
func Arguments(command string) ([]string, error) {
	var args []string
	var word strings.Builder
	inWord := false
	quote := rune(0)
	escaped := false
	for _, r := range command {
		switch {
		case escaped:
			if !strings.ContainsRune("\"\\$`", r) {
				word.WriteRune('\\')
			}
			word.WriteRune(r)
			escaped = false
		case quote == '"' && r == '\\':
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case strings.ContainsRune("|<>&;$`", r):
			return nil, fmt.Errorf("%q in %s: only plain commands can be shown", r, command)
		case r == ' ':
			if inWord {
				args = append(args, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 || escaped {
		return nil, fmt.Errorf("a quote is not closed in %s", command)
	}
	if inWord {
		args = append(args, word.String())
	}
	return args, nil
}

// Lines splits what a command printed, without trailing spaces and without
// empty lines at the end.
func Lines(printed string) []string {
	lines := strings.Split(printed, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r")
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

var (
	date     = regexp.MustCompile(`\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?`)
	duration = regexp.MustCompile(`\b\d+(\.\d+)?\s?(ns|µs|ms|s|seconds|min)\b`)
	spaces   = regexp.MustCompile(` +`)
)

// Same reports whether two outputs are equal line by line once dates and
// durations are masked. In a line that has one, the number of spaces in a row
// does not count either.
func Same(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && mask(a[i]) != mask(b[i]) {
			return false
		}
	}
	return true
}

func mask(line string) string {
	masked := duration.ReplaceAllString(date.ReplaceAllString(line, "DATE"), "DURATION")
	if masked == line {
		return line
	}
	return spaces.ReplaceAllString(masked, " ")
}
