package fit

import "sync"

// spares are things that have been in use before, and are not now.
type spares[T any] struct {
	fresh func() T // makes one

	mu   sync.Mutex
	free []T
}

// take returns a spare one, or else a fresh one.
func (s *spares[T]) take() T {
	last, ok := s.last()
	if !ok {
		return s.fresh() // others need not wait for that
	}
	return last
}

func (s *spares[T]) last() (last T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		last, ok, s.free = s.free[n-1], true, s.free[:n-1]
	}
	return last, ok
}

// give takes one back.
func (s *spares[T]) give(one T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, one)
}
