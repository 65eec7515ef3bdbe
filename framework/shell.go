package framework

import (
	"regexp"
	"strings"
	"sync"
)

// shellPlain matches texts that a shell takes as they are.
var shellPlain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL\pN_@%+=:,./-]+$`) })

// ShellWord quotes a text so that a POSIX shell reads it as one word, for hints that
// users paste. It prefers single quotes. A text that contains some, as SQL does, is
// put into double quotes if nothing in it is special there.
func ShellWord(text string) string {
	switch {
	case shellPlain().MatchString(text):
		return text
	case strings.Contains(text, "'") && !strings.ContainsAny(text, "\"$`\\!"):
		return `"` + text + `"`
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
