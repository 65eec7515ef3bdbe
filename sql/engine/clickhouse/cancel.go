package clickhouse

import (
	"context"
	"time"
)

// Limits of a cancellation.
const (
	farewell = 2 * time.Second        // until the server has ended a statement
	between  = 100 * time.Millisecond // two times that it is told to
)

// run sends a statement and waits for its end. Where ctx ends first, the server is told
// to end the statement, again and again until it has done so: it may not have begun yet.
// The connection is cut where that takes too long.
func (c *client) run(ctx context.Context, t try) ([][]any, error) {
	settings := c.settings
	sending, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	if until, ok := ctx.Deadline(); ok {
		var end context.CancelFunc
		sending, end = context.WithDeadline(sending, until.Add(farewell))
		defer end()
	}
	type answer struct {
		rows [][]any
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		rows, err := c.send(sending, t, settings)
		answered <- answer{rows, err}
	}()
	select {
	case a := <-answered:
		return a.rows, a.err
	case <-ctx.Done():
	}
	late := time.NewTimer(farewell)
	defer late.Stop()
	for {
		c.kill(sending, t.id)
		again := time.NewTimer(between)
		select {
		case <-answered:
		case <-late.C:
			cut()
			<-answered
		case <-again.C:
			continue
		}
		again.Stop()
		return nil, ctx.Err()
	}
}

// kill tells the server to end a statement. Nothing follows from an error: the server
// may be gone, or know of no such statement.
func (c *client) kill(ctx context.Context, id string) {
	ctx, end := context.WithTimeout(ctx, farewell/2)
	defer end()
	_, _ = c.send(ctx, try{statement: "KILL QUERY WHERE query_id = '" + id + "' ASYNC", id: newID(), writes: true}, nil)
}
