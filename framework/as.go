package framework

// As finds an optional interface of a clusterer, such as [Selector]: that of c, or
// of what c wraps. A clusterer that wraps another one has a method
//
//	Unwrap() Clusterer
//
// It implements itself each optional interface that it changes. To hide one that
// its changes make untrue, it returns the other clusterer in a struct that embeds
// [Clusterer], and those optional interfaces that are to be seen.
func As[T any](c Clusterer) (T, bool) {
	for {
		if t, ok := c.(T); ok {
			return t, true
		}
		wrapper, ok := c.(interface{ Unwrap() Clusterer })
		if !ok {
			var none T
			return none, false
		}
		c = wrapper.Unwrap()
	}
}
