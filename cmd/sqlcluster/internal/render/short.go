package render

// Lengths, in characters, of what people read. Longer texts lose their middle.
const (
	longestCell = 80  // of a table
	longestLine = 240 // of an error
)

// Short returns a text of at most the given number of characters: of a longer
// one its beginning, an ellipsis and its end, which tell it from others.
func Short(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	characters := []rune(text)
	if len(characters) <= limit {
		return text
	}
	tail := limit / 3
	return string(characters[:limit-tail-1]) + "…" + string(characters[len(characters)-tail:])
}
