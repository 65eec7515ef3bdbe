package clickhouse

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"syscall"
	"time"
)

// How long errors that pass are waited for, and the first and the longest wait.
const (
	patience     = 30 * time.Second
	firstWait    = 100 * time.Millisecond
	longestWait  = 3 * time.Second
	tooMany      = 202 // simultaneous statements
	fromAnother  = "Received from"
	notAnswering = "the server does not answer"
)

// passing are the codes of errors that pass: of connections, to shards or in between.
var passing = []int{tooMany,
	3, 32, // an answer of a shard that ends too early
	101, 102, // something unexpected on a connection that broke
	198, 209, 210, // a name that is not found, a timeout of a socket, the network
	279,      // no connection to any replica
	425, 999, // the system, and the keeper of replicas
	236,      // the server ends
	439, 659, // no thread for it, a session
}

// passes says whether an error is worth another try.
func passes(err error, writes bool) bool {
	var refused *refusal
	if errors.As(err, &refused) {
		code := refused.code()
		if writes {
			return code == tooMany && !strings.Contains(refused.text, fromAnother)
		}
		return slices.Contains(passing, code) || code == 0 && slices.Contains([]int{429, 502, 503, 504}, refused.status)
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		var name *net.DNSError
		return !errors.As(err, &name) || name.IsTemporary || name.IsTimeout
	}
	if writes {
		return false
	}
	return op != nil || errors.Is(err, errCut) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || strings.Contains(err.Error(), "server closed idle connection")
}

// statement runs a statement until it is answered or refused, with waits that grow
// between tries that failed by something that passes.
func (e *Engine) statement(ctx context.Context, text string, writes bool) ([][]any, error) {
	return e.run(ctx, try{statement: text, writes: writes}, nil)
}

// run is statement of a try, but for its id. over, if not nil, says that it is not to be tried again.
func (e *Engine) run(ctx context.Context, t try, over func() bool) ([][]any, error) {
	until := e.now().Add(e.patience)
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t.id = newID()
		rows, err := e.client.run(ctx, t)
		if err == nil || ctx.Err() != nil {
			return rows, err
		}
		pause := wait/2 + rand.N(wait/2)
		if over != nil && over() || !passes(err, t.writes) || e.now().Add(pause).After(until) {
			return nil, e.fault(err)
		}
		if !t.writes {
			e.client.kill(ctx, t.id) // it may go on without us
		}
		if err := e.wait(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// wait waits, or until ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
