package cli

import (
	"regexp"
	"strings"
)

// shellPlain is what a shell takes as it is.
var shellPlain = regexp.MustCompile(`^[\pL\pN_@%+=:,./-]+$`)

// shellWord writes a text so that a POSIX shell reads it as one word.
func shellWord(text string) string {
	if shellPlain.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
