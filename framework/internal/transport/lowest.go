package transport

// lowest moves tied rows so that the labels become the lowest of all optimal ones. ties
// are all rows that have several cheapest clusters at the prices.
//
// All optimal labels differ by cycles of moves that cost nothing at the prices. So
// row by row, the lowest label is looked for from which a way of such moves, of rows
// that come later, leads back to the label that the row has.
//
// Where there is none for a row, there is none for a later row of the same cheapest
// clusters: those two could change places. So no row of this kind looks again.
func (s *solver[N]) lowest(ties tied) {
	w := &lowering{k: s.k, labels: s.labels, size: s.size, x: s.x, free: make([]bool, s.k), room: make([]int, s.k)}
	for j := range s.k {
		w.room[j] = s.Hi[j] - s.Lo[j]
		w.free[j] = s.price[j].minus(s.price[s.k]).sign() == 0
	}
	w.begin(ties, nil)
	for t := range w.ties {
		w.now = t
		if t%4096 == 0 && s.ctx.Err() != nil {
			return // the caller sees it
		}
		w.lower(t)
	}
}

// A lowering is the graph of moves that cost nothing.
type lowering struct {
	k      int
	ties   []tie
	kind   []int  // of each tie: rows of one kind have the same cheapest clusters
	failed []bool // of each kind and cluster: no row gets the label any more
	now    int    // ties up to it have their label for good

	labels []int32
	size   []int
	x      []int
	room   []int  // largest x
	free   []bool // the pool's price is the cluster's: x may change at no cost

	stack [][]int32 // of each pair of clusters: ties of the first that may move to the second, and some that have left
	count []int     // how many may
	from  []int32   // of each node: where the search came from, −1: not yet
	queue []int32
}

// begin counts ties. Those of a team, which is not −1, are not counted: only their kinds are.
func (w *lowering) begin(ties tied, team []int32) {
	k := w.k
	w.stack, w.count, w.from = make([][]int32, k*k), make([]int, k*k), make([]int32, k+1)
	kinds := map[string]int{}
	var name []byte
	ties.each(func(t tie) {
		name = name[:0]
		if team != nil {
			g := team[len(w.ties)]
			name = append(name, byte(g), byte(g>>8), byte(g>>16), byte(g>>24))
		}
		for _, j := range t.clusters {
			name = append(name, byte(j), byte(j>>8), byte(j>>16))
		}
		kind, ok := kinds[string(name)]
		if !ok {
			kind = len(kinds)
			kinds[string(name)] = kind
		}
		w.kind = append(w.kind, kind)
		w.ties = append(w.ties, t)
		if i := len(w.ties) - 1; team == nil || team[i] < 0 {
			w.enter(int32(i), int(w.labels[t.row]))
		}
	})
	w.failed = make([]bool, len(kinds)*k)
}

// enter counts a tie as one of cluster a.
func (w *lowering) enter(t int32, a int) {
	for _, b := range w.ties[t].clusters {
		if int(b) != a {
			w.stack[a*w.k+int(b)] = append(w.stack[a*w.k+int(b)], t)
			w.count[a*w.k+int(b)]++
		}
	}
}

// leave is the opposite of enter.
func (w *lowering) leave(t int32, a int) {
	for _, b := range w.ties[t].clusters {
		if int(b) != a {
			w.count[a*w.k+int(b)]--
		}
	}
}

// lower gives a tie the lowest label that it can have, for good.
func (w *lowering) lower(t int) {
	row := w.ties[t].row
	a := int(w.labels[row])
	w.leave(int32(t), a)
	for _, j := range w.ties[t].clusters {
		if int(j) >= a {
			return
		}
		failed := &w.failed[w.kind[t]*w.k+int(j)]
		if *failed {
			continue
		}
		if !w.search(a, int(j)) {
			*failed = true
			continue
		}
		w.labels[row] = j
		w.size[a]--
		w.size[j]++
		w.shift(a, int(j))
		return
	}
}

// search looks for a way from cluster j to cluster a, backwards: from has the node that follows each.
func (w *lowering) search(a, j int) bool {
	k := w.k
	for v := range w.from {
		w.from[v] = -1
	}
	w.from[j] = int32(j)
	w.queue = append(w.queue[:0], int32(j))
	for q := 0; q < len(w.queue); q++ {
		u := int(w.queue[q])
		for v := range k {
			if w.from[v] < 0 && (u < k && w.count[u*k+v] > 0 || u == k && w.free[v] && w.x[v] > 0) {
				w.from[v] = int32(u)
				if v == a {
					return true
				}
				w.queue = append(w.queue, int32(v))
			}
		}
		if u < k && w.from[k] < 0 && w.free[u] && w.x[u] < w.room[u] {
			w.from[k] = int32(u)
			w.queue = append(w.queue, int32(k))
		}
	}
	return false
}

// shift moves a unit along the way from j to a that search has found.
func (w *lowering) shift(a, j int) {
	k := w.k
	for v := a; v != j; {
		u := int(w.from[v])
		switch {
		case u == k:
			w.x[v]--
		case v == k:
			w.x[u]++
		default:
			stack := &w.stack[u*k+v]
			t := w.pop(stack, u)
			w.leave(t, u)
			w.labels[w.ties[t].row] = int32(v)
			w.size[u]--
			w.size[v]++
			w.enter(t, v)
		}
		v = u
	}
}

// pop takes the last tie from a stack that is still in cluster u and may move.
func (w *lowering) pop(stack *[]int32, u int) int32 {
	for {
		last := len(*stack) - 1
		t := (*stack)[last]
		*stack = (*stack)[:last]
		if int(t) > w.now && int(w.labels[w.ties[t].row]) == u {
			return t
		}
	}
}
