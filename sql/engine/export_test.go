package engine

// HoldKeys makes statements hold so many keys, until the function that it returns is called.
func HoldKeys(n int) (restore func()) {
	was := mostKeys
	mostKeys = n
	return func() { mostKeys = was }
}
