package clickhousetest

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"testing"
)

// A Relay is between clients and the HTTP port of a server. It knows the statements that
// pass, by their numbers: what happens to one happens at an event, and not at a time.
type Relay struct {
	Address string

	server string
	mu     sync.Mutex
	said   []string         // statements since Begin
	fates  map[int]Fate     // by number
	stops  map[int]*Stopped // by number
}

// A Fate is what becomes of a statement. The zero value: it passes.
type Fate struct {
	Lost  bool // the connection ends before the server has it
	Cut   int  // not 0: the connection ends behind so many bytes of the answer, −1 before the first
	Stall bool // its answer does not come, until the client has gone
}

// A Stopped statement waits.
type Stopped struct {
	Reached chan string // has its text when it waits
	pass    chan Fate
}

// Pass lets the statement go on.
func (s *Stopped) Pass(f Fate) { s.pass <- f }

// NewRelay starts a relay to the server at an address. It ends with the test.
func NewRelay(tb testing.TB, server string) *Relay {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	r := &Relay{Address: l.Addr().String(), server: server}
	r.Begin(nil)
	tb.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go r.pass(c)
		}
	}()
	return r
}

// URL is as that of a Server.
func (r *Relay) URL(rest string) string { return "clickhouse://" + r.Address + "/default" + rest }

// Begin begins to number statements anew, from 1, with what becomes of some. KILL QUERY
// has no number.
func (r *Relay) Begin(fates map[int]Fate) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said, r.fates, r.stops = nil, fates, map[int]*Stopped{}
}

// Stop lets a statement wait.
func (r *Relay) Stop(number int) *Stopped {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stop(number)
}

// StopNext lets the next statement wait.
func (r *Relay) StopNext() *Stopped {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stop(len(r.said) + 1)
}

func (r *Relay) stop(number int) *Stopped {
	s := &Stopped{Reached: make(chan string, 1), pass: make(chan Fate, 1)}
	r.stops[number] = s
	return s
}

// Said returns the statements so far.
func (r *Relay) Said() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.said...)
}

// fate notes a statement, lets it wait, and returns what becomes of it.
func (r *Relay) fate(text string) Fate {
	if strings.HasPrefix(text, "KILL QUERY") {
		return Fate{}
	}
	r.mu.Lock()
	r.said = append(r.said, text)
	number := len(r.said)
	stop, f := r.stops[number], r.fates[number]
	r.mu.Unlock()
	if stop != nil {
		stop.Reached <- text
		f = <-stop.pass
	}
	return f
}

// pass passes requests and answers until either side ends.
func (r *Relay) pass(client net.Conn) {
	defer func() { _ = client.Close() }()
	from := bufio.NewReader(client)
	for {
		request, err := http.ReadRequest(from)
		if err != nil {
			return
		}
		text, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		f := r.fate(string(text))
		if f.Lost {
			return
		}
		request.Body = io.NopCloser(bytes.NewReader(text))
		answer, gone := r.ask(request, from)
		if answer == nil || f.Cut < 0 {
			return
		}
		if f.Stall {
			<-gone
			return
		}
		if f.Cut > 0 && f.Cut < len(answer) {
			answer = answer[:f.Cut]
		}
		if _, err := client.Write(answer); err != nil || f.Cut > 0 {
			return
		}
		if err := <-gone; err != nil {
			return
		}
	}
}

// ask returns the answer of the server, nil: there is none. gone has an error when the
// client has gone, which ends the connection with the server, too, and none when it says more.
func (r *Relay) ask(request *http.Request, from *bufio.Reader) (answer []byte, gone chan error) {
	gone = make(chan error, 1)
	server, err := net.Dial("tcp", r.server)
	if err != nil {
		return nil, gone
	}
	defer func() { _ = server.Close() }()
	go func() {
		_, err := from.Peek(1)
		if err != nil {
			_ = server.Close()
		}
		gone <- err
	}()
	if request.Write(server) != nil {
		return nil, gone
	}
	response, err := http.ReadResponse(bufio.NewReader(server), request)
	if err != nil {
		return nil, gone
	}
	defer func() { _ = response.Body.Close() }()
	if answer, err = httputil.DumpResponse(response, true); err != nil {
		return nil, gone
	}
	return answer, gone
}
