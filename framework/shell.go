package framework

import (
	"regexp"
	"strings"
)

// shellPlain is what a shell takes as it is.
var shellPlain = regexp.MustCompile(`^[\pL\pN_@%+=:,./-]+$`)

// ShellWord writes a text so that a POSIX shell reads it as one word: for hints
// that are to be pasted. Single quotes are preferred; a text that has some of its
// own, as SQL does, is in double quotes where nothing in it is special there.
func ShellWord(text string) string {
	switch {
	case shellPlain.MatchString(text):
		return text
	case strings.Contains(text, "'") && !strings.ContainsAny(text, "\"$`\\!"):
		return `"` + text + `"`
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
