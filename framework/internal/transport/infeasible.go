package transport

import "errors"

func isInfeasible(err error) bool {
	var e *Infeasible
	return errors.As(err, &e)
}

// contradiction returns why the search has found no way: the nodes that it has seen
// are too small for their rows, or, if the pool is one of them, the others are
// too large for what is left.
func (s *solver[N]) contradiction() error {
	e := &Infeasible{Lo: s.state[s.k] != unseen}
	for j := range s.k {
		if (s.state[j] == unseen) != e.Lo {
			continue
		}
		e.Clusters = append(e.Clusters, j)
		if e.Lo {
			e.Bound += s.Lo[j]
		} else {
			e.Bound += s.Hi[j]
		}
	}
	in := make([]bool, s.k)
	for _, j := range e.Clusters {
		in[j] = true
	}
	for i := range s.n {
		may, must := false, true
		for j, c := range s.Costs[i*s.k : i*s.k+s.k] {
			if c <= largest {
				may, must = may || in[j], must && in[j]
			}
		}
		if e.Lo && may || !e.Lo && must {
			e.Rows++
		}
	}
	return e
}
