package framework

import (
	"strings"
	"unicode"
)

// shellPlain reports whether a shell takes a text as it is.
func shellPlain(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.In(r, unicode.N) && !strings.ContainsRune("_@%+=:,./-", r)
	})
}

// ShellWord quotes a text so that a POSIX shell reads it as one word, for hints that
// users paste. It prefers single quotes. A text that contains some, as SQL does, is
// put into double quotes if nothing in it is special there.
func ShellWord(text string) string {
	switch {
	case shellPlain(text):
		return text
	case strings.Contains(text, "'") && !strings.ContainsAny(text, "\"$`\\!"):
		return `"` + text + `"`
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
