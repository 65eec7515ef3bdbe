package query

import "strings"

// A Statement is one statement of a script, or a line that begins with a dot, which is
// a command to the program.
type Statement struct {
	Text  string // without the semicolon
	Line  int    // of the script, on which it begins
	Ended bool   // by a semicolon, and not by the end of the script
}

// Split cuts a script at the semicolons between its statements. What has nothing but
// blanks and comments is left out.
func Split(script string) []Statement {
	var all []Statement
	line := 1
	for script != "" {
		if blank := len(script) - len(skipBlank(script)); strings.HasPrefix(script[blank:], ".") {
			command, rest, _ := strings.Cut(script[blank:], "\n")
			line += strings.Count(script[:blank], "\n")
			all = append(all, Statement{Text: strings.TrimRight(command, "; \t\r"), Line: line, Ended: true})
			line, script = line+1, rest
			continue
		}
		n := statementLength(script)
		text, ended := script[:n], n < len(script)
		if body := skipBlank(text); body != "" {
			at := line + strings.Count(text[:len(text)-len(body)], "\n")
			all = append(all, Statement{Text: strings.TrimSpace(body), Line: at, Ended: ended})
		}
		line += strings.Count(text, "\n")
		script = strings.TrimPrefix(script[n:], ";")
	}
	return all
}
