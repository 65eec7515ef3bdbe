package functions

import (
	"slices"
	"testing"
)

func TestStatementsAreAnsweredWhateverTasksHaveEnded(t *testing.T) {
	done, running := &task{done: make(chan struct{})}, &task{done: make(chan struct{})}
	close(done.done)
	for _, c := range []struct {
		tasks []*task
		want  []bool
	}{
		{nil, []bool{}},
		{[]*task{running, done, running, done}, []bool{false, true, false, true}},
		{[]*task{running, {done: make(chan struct{})}, {done: make(chan struct{})}}, []bool{false, false, false}}, // one wait, not three
	} {
		if got := ended(c.tasks); !slices.Equal(got, c.want) {
			t.Errorf("%d tasks: %v, want %v", len(c.tasks), got, c.want)
		}
	}
}
