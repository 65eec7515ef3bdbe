package clickhousetest

import (
	"bytes"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// A Proxy passes bytes between clients and a server, and loses connections where it is
// told to.
type Proxy struct {
	Address     string
	Connections atomic.Int64 // so far

	server string
	cut    atomic.Int64 // answers end behind so many bytes; negative: they do not
	times  atomic.Int64 // connections that this is still done to
	mu     sync.Mutex
	open   map[net.Conn]bool
	gate   sync.RWMutex // closed: what the server sends waits
	heard  bytes.Buffer // what clients have sent, if it is listened to
	hears  bool
}

// NewProxy starts a proxy to the server at an address. It ends with the test.
func NewProxy(tb testing.TB, server string) *Proxy {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p := &Proxy{Address: l.Addr().String(), server: server, open: map[net.Conn]bool{}}
	tb.Cleanup(func() {
		_ = l.Close()
		p.Drop()
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.Connections.Add(1)
			go p.pass(c)
		}
	}()
	return p
}

// URL is as that of a Server.
func (p *Proxy) URL(rest string) string { return "clickhouse://" + p.Address + "/default" + rest }

// Cut ends the next connections after so many bytes of what the server sends.
func (p *Proxy) Cut(bytes, connections int) {
	p.cut.Store(int64(bytes))
	p.times.Store(int64(connections))
}

// Hold lets what the server sends wait, until Release.
func (p *Proxy) Hold() { p.gate.Lock() }

// Release ends Hold.
func (p *Proxy) Release() { p.gate.Unlock() }

// Hear begins to listen to what clients send.
func (p *Proxy) Hear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hears = true
}

// Heard returns what clients have sent.
func (p *Proxy) Heard() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.heard.String()
}

// A gated reader reads when the gate is open.
type gated struct {
	io.Reader
	gate *sync.RWMutex
}

func (g gated) Read(b []byte) (int, error) {
	n, err := g.Reader.Read(b)
	g.gate.RLock()
	g.gate.RUnlock() //nolint:staticcheck // it was waited for
	return n, err
}

// Write takes what a client sends.
func (p *Proxy) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hears {
		p.heard.Write(b)
	}
	return len(b), nil
}

// Drop ends all connections that are open.
func (p *Proxy) Drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		_ = c.Close()
	}
}

// pass passes bytes both ways until either side ends.
func (p *Proxy) pass(client net.Conn) {
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		_ = client.Close()
		return
	}
	both := []net.Conn{client, server}
	p.keep(both, true)
	defer p.keep(both, false)
	limit := int64(-1)
	if p.times.Add(-1) >= 0 {
		limit = p.cut.Load()
	}
	go func() {
		_, _ = io.Copy(server, io.TeeReader(client, p))
		_ = server.Close()
	}()
	var answers io.Reader = gated{server, &p.gate}
	if limit >= 0 {
		answers = io.LimitReader(answers, limit)
	}
	_, _ = io.Copy(client, answers)
}

// keep remembers connections, or closes and forgets them.
func (p *Proxy) keep(all []net.Conn, open bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range all {
		if open {
			p.open[c] = true
			continue
		}
		_ = c.Close()
		delete(p.open, c)
	}
}
