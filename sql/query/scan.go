package query

import (
	"strings"
	"unicode"
)

// First cuts a text at its first semicolon that is not in quotes or a comment. The
// rest is what follows, without blanks, comments and further semicolons.
func First(text string) (statement, rest string) {
	n := statementLength(text)
	for rest = text[n:]; strings.HasPrefix(rest, ";"); {
		rest = skipBlank(rest[1:])
	}
	return strings.TrimSpace(text[:n]), rest
}

// statementLength returns the bytes before the first semicolon that is not in quotes
// or a comment.
func statementLength(text string) int {
	for i := 0; i < len(text); {
		switch {
		case text[i] == ';':
			return i
		case wordByte(text[i]) && (text[i]|32 != 'e' || !strings.HasPrefix(text[i+1:], "'")):
			for i++; i < len(text) && (wordByte(text[i]) || text[i] == '$'); i++ { // within a word neither e' nor $ begins a text
			}
		default:
			i += tokenLength(text[i:])
		}
	}
	return len(text)
}

// skipBlank drops leading blanks and comments.
func skipBlank(text string) string {
	for {
		text = strings.TrimLeftFunc(text, blank)
		if !strings.HasPrefix(text, "--") && !strings.HasPrefix(text, "/*") {
			return text
		}
		text = text[tokenLength(text):]
	}
}

// blank reports whether DuckDB takes a character for a space. A byte order mark
// counts: editors put one before a text.
func blank(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' }

// commentLength returns the bytes of the comment that text begins with, and of
// those within it.
func commentLength(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], "/*"):
			depth++
			i++
		case strings.HasPrefix(text[i:], "*/"):
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// tokenLength returns the bytes of the quoted text, name or comment that text
// begins with, and 1 if it begins with neither.
func tokenLength(text string) int {
	until := func(skip int, end string) int {
		if n := strings.Index(text[skip:], end); n >= 0 {
			return skip + n + len(end)
		}
		return len(text)
	}
	switch {
	case strings.HasPrefix(text, "--"):
		return until(2, "\n")
	case strings.HasPrefix(text, "/*"):
		return commentLength(text)
	case text[0] == '\'' || text[0] == '"': // a doubled quote is two texts side by side
		return until(1, text[:1])
	case len(text) > 1 && (text[0]|32) == 'e' && text[1] == '\'':
		for i := 2; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '\'':
				return i + 1
			}
		}
		return len(text)
	case text[0] == '$':
		end := 1
		for end < len(text) && wordByte(text[end]) {
			end++
		}
		if end < len(text) && text[end] == '$' && (text[1] < '0' || text[1] > '9') { // or else it is a parameter
			return until(end+1, text[:end+1])
		}
	}
	return 1
}

// Words returns the names and key words of a text, without quotes. It leaves out
// comments and quoted texts.
func Words(text string) []string {
	var all []string
	for i := 0; i < len(text); {
		n := tokenLength(text[i:])
		switch {
		case n > 1 && text[i] == '"':
			all = append(all, strings.TrimSuffix(text[i+1:i+n], `"`))
		case n == 1 && wordByte(text[i]):
			for n = 1; i+n < len(text) && wordByte(text[i+n]); n++ {
			}
			all = append(all, text[i:i+n])
		}
		i += n
	}
	return all
}

func wordByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|32 && c|32 <= 'z'
}
