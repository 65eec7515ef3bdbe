package host

import (
	"github.com/sqlcluster/sqlcluster/framework/internal/memory"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// A board is memory to which a plugin writes a result, window by window. Rows are copied from
// it before they are looked at, since the plugin could change them at any time. A nil board
// is none.
type board struct {
	shared  *matrix.Board
	rows    int // of a window
	windows [wire.Windows]wire.Window
	taken   int // windows
}

const (
	leastBoard  = 1 << 16 // rows of a result from which on a board takes less time than messages
	mostWindow  = 1 << 20 // rows of a window
	leastWindow = 5 << 13 // rows that a plugin measures at once, and a block more
)

// newBoard returns the board of a fit on so many threads, or nil if rows come in messages:
// the plugin knows none, they are few, or there is no memory for a board.
func (s *Session) newBoard(threads int) *board {
	if !s.boards || !matrix.SharesMemory || s.rows < leastBoard {
		return nil
	}
	rows := windowRows(s.rows, threads)
	shared, err := matrix.NewBoard(wire.BoardWords(rows), "")
	if err != nil {
		return nil
	}
	if shared.Numbers == nil { // in a file, which the plugin could cut while it is read
		_ = shared.Close() // nothing can be lost
		return nil
	}
	return &board{shared: shared, rows: rows, windows: wire.Board(shared.Numbers, rows)}
}

// windowRows returns how many rows a window has: about as many as the plugin measures at
// once, a shard on each thread, so that it seldom waits; an even number.
func windowRows(rows, threads int) int {
	const shards, slack = 64, 8192
	return min(max(rows/shards*max(1, threads)+slack, leastWindow), mostWindow, rows) &^ 1
}

func (b *board) path() string {
	if b == nil {
		return ""
	}
	return b.shared.Path()
}

// each returns the rows of a window.
func (b *board) each() int {
	if b == nil {
		return 0
	}
	return b.rows
}

func (b *board) close() {
	if b != nil {
		_ = b.shared.Close() // nothing can be lost
	}
}

// addWindow takes n rows from the next window, unless that cannot be.
func (a *partialResult) addWindow(n int64) error {
	if n == 0 {
		return nil
	}
	b, at, rows := a.board, len(a.res.Labels), a.session.rows
	if b == nil || n < 0 || n > int64(b.rows) || n > int64(rows-at) {
		return wire.Nonsense("a result for other rows than asked for")
	}
	if a.res.Labels == nil {
		a.res.Labels, a.res.Second = make([]int32, 0, rows), make([]int32, 0, rows)
		a.res.Distance, a.res.Margin = make([]float64, 0, rows), make([]float64, 0, rows)
	}
	w := &b.windows[b.taken%wire.Windows]
	b.taken++
	labels, second := taken(&a.res.Labels, w.Labels[:n]), taken(&a.res.Second, w.Second[:n])
	taken(&a.res.Distance, w.Distance[:n])
	taken(&a.res.Margin, w.Margin[:n])
	return a.checkLabels(labels, second)
}

// taken appends numbers to a list that has room for them, and returns them there.
func taken[T int32 | float64](list *[]T, from []T) []T {
	at := len(*list)
	*list = (*list)[:at+len(from)]
	memory.Provide((*list)[at:])
	copy((*list)[at:], from)
	return (*list)[at:]
}

// checkLabels refuses clusters that there are not.
func (a *partialResult) checkLabels(labels, second []int32) error {
	for i, j := range labels {
		if other := second[i]; j < -1 || int(j) >= a.session.shape.K || other < -1 || int(other) >= a.session.shape.K {
			return wire.Nonsense("labels %d and %d of %d clusters", j, other, a.session.shape.K)
		}
	}
	return nil
}
