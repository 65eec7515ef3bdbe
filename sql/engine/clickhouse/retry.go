package clickhouse

import (
	"context"
	"crypto/tls"
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
	patience    = 30 * time.Second // unless the address says how long
	meeting     = 3 * time.Second  // with a server that has never answered
	silence     = 10 * time.Second // of a server that takes a connection, and has never answered
	firstWait   = 100 * time.Millisecond
	longestWait = 3 * time.Second
	unnoticed   = time.Second // that waiting takes before it is told of
)

// tooMany is the code of too many statements at a time: in the server, or in another one, of
// which it says fromAnother.
const (
	tooMany     = 202
	fromAnother = "Received from"
)

// lost are the codes of errors of connections, to shards or in between. They pass.
var lost = []int{
	3, 32, // an answer of a shard that ends too early
	101, 102, // something unexpected on a connection that broke
	198, 209, 210, 218, // a name that is not found, a timeout of a socket, the network, a table of a server that ends
	279, // no connection to any replica
	236, // the server ends
}

// others are further codes of errors that pass.
var others = []int{tooMany,
	425, 999, // the system, and the keeper of replicas
	439, 659, // no thread for it, a session
}

// errSilent is the error of a server that has never answered.
var errSilent = errors.New("it takes the connection, and says nothing")

// passes says whether an error is worth another try.
func passes(err error, writes bool) bool {
	var refused *refusal
	if errors.As(err, &refused) {
		code := refused.code()
		if writes {
			return code == tooMany && !strings.Contains(refused.text, fromAnother)
		}
		return refused.ofConnection() && !refused.lacks() || slices.Contains(others, code) || refused.byGateway()
	}
	var alert tls.AlertError
	if errors.As(err, &alert) { // which is no matter of the network
		return false
	}
	if unreached(err) {
		var name *net.DNSError
		return !errors.As(err, &name) || name.IsTemporary || name.IsTimeout
	}
	return !writes && cutOff(err)
}

// unreached says whether there was no connection.
func unreached(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// cutOff says whether a connection was lost.
func cutOff(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) || errors.Is(err, errCut) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || strings.Contains(err.Error(), "server closed idle connection")
}

// statement runs a statement until it is answered or refused, with waits that grow
// between tries that failed by something that passes. What a try has answered is used
// whole or not at all: that of another one begins from nothing.
//
// A try that fails costs its own time, but no more than that of a connection: a statement
// that was lost after hours is tried again.
func (e *Engine) statement(ctx context.Context, text string, writes bool) ([][]any, error) {
	return e.run(ctx, try{statement: text, writes: writes}, nil)
}

// run is statement of a try, but for its id. over, if not nil, says that it is not to be tried again.
func (e *Engine) run(ctx context.Context, t try, over func() bool) ([][]any, error) {
	var spent time.Duration
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		began := e.now()
		t.id = newID()
		rows, err := e.try(ctx, t)
		if err == nil || ctx.Err() != nil {
			return rows, err
		}
		if cutOff(err) && !unreached(err) {
			e.client.kill(ctx, t.id) // it may go on without us
		}
		limit := e.patience
		if !e.met.Load() {
			limit = min(limit, meeting)
		}
		pause := wait/2 + rand.N(wait/2)
		spent += min(e.now().Sub(began), dialing)
		if over != nil && over() || !passes(err, t.writes) || spent+pause > limit {
			return nil, e.fault(err)
		}
		if e.waiting != nil && spent > unnoticed {
			e.waiting(e.awaited(err))
		}
		if err := e.wait(ctx, pause); err != nil {
			return nil, err
		}
		spent += pause
	}
}

// try sends a statement once. A server that has never answered must do so soon.
func (e *Engine) try(ctx context.Context, t try) ([][]any, error) {
	limited := ctx
	if !e.met.Load() {
		var end context.CancelFunc
		limited, end = context.WithTimeout(ctx, e.silence)
		defer end()
	}
	rows, err := e.client.run(limited, t)
	var refused *refusal
	switch {
	case err == nil || errors.As(err, &refused) && refused.code() != 0:
		e.met.Store(true)
	case limited.Err() != nil && ctx.Err() == nil:
		return nil, errSilent
	}
	return rows, err
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
