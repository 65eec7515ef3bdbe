package duck

import "fmt"

// answered makes a panic the error of the statement that calls: outside of Go it would end the
// program, which in an extension is another's. It has to be deferred itself.
func answered(fail func(message string)) {
	if r := recover(); r != nil {
		fail(fmt.Sprintf("internal error: %v", r))
	}
}
