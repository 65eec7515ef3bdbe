package render

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe writes a text of the user's data so that a terminal shows it and does
// nothing else: control characters, those that turn the direction of text, and
// bytes that are not UTF-8 become \n, \x1b or \u202e.
func Safe(text string) string { return safe(text, "") }

// SafeLines is Safe for a text that may have line breaks and tabs.
func SafeLines(text string) string { return safe(text, "\n\t") }

func safe(text, allowed string) string {
	if !strings.ContainsFunc(text, unsafe) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case !unsafe(r) || r == utf8.RuneError || strings.ContainsRune(allowed, r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += n
	}
	return b.String()
}

// unsafe reports whether a character may do something to a terminal. A byte
// that is not UTF-8 comes as utf8.RuneError.
func unsafe(r rune) bool {
	return unicode.IsControl(r) || r == utf8.RuneError || unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0x2029
}
