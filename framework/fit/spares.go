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
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.free)
	if n == 0 {
		return s.fresh()
	}
	last := s.free[n-1]
	s.free = s.free[:n-1]
	return last
}

// give takes one back.
func (s *spares[T]) give(one T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, one)
}
