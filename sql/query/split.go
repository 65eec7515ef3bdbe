package query

import "strings"

// A Statement is one statement of a script.
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
