package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// A clock goes on when somebody waits.
type clock struct{ at time.Time }

// of lets an engine wait by the clock, which takes no time.
func (c *clock) of(e *Engine) {
	e.now = func() time.Time { return c.at }
	e.wait = func(ctx context.Context, d time.Duration) error { c.at = c.at.Add(d); return ctx.Err() }
}

// unanswered returns an engine of a port that takes connections, and the clock that it waits by.
func unanswered(t *testing.T) (net.Listener, *Engine, *clock) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	a := must.Get(parseAddress("clickhouse://" + l.Addr().String() + "/mine"))(t)
	e := &Engine{client: newClient(a, Credentials{}), patience: patience, silence: silence}
	c := &clock{time.Unix(0, 0)}
	c.of(e)
	return l, e, c
}

// alone returns an engine of a port that nobody listens on.
func alone(t *testing.T) (*Engine, *clock) {
	t.Helper()
	l, e, c := unanswered(t)
	must.Do(t, l.Close())
	return e, c
}

func TestAServerThatHasNeverAnsweredIsNotWaitedForLong(t *testing.T) {
	for met, c := range map[bool]struct {
		least, most time.Duration
		says        string
	}{
		false: {meeting / 2, meeting, "nothing answers at 127.0.0.1:"},
		true:  {patience - 2*longestWait, patience, "the server does not answer any more: connection refused"},
	} {
		e, clock := alone(t)
		e.met.Store(met)
		var told []string
		e.waiting = func(why string) { told = append(told, why) }
		_, err := e.Query(t.Context(), "SELECT 1")
		f := framework.AsFault(err)
		if f == nil || f.Code != "engine-unreachable" || !strings.Contains(f.Summary, c.says) || f.Hint == "" {
			t.Errorf("%v", err)
		}
		if waited := clock.at.Sub(time.Unix(0, 0)); waited < c.least || waited > c.most {
			t.Errorf("met %t: it has waited %v", met, waited)
		}
		if met && len(told) == 0 || len(told) > 0 && told[0] != "waiting for "+e.client.address.host+": connection refused" {
			t.Errorf("met %t: told %q", met, told)
		}
	}
}

func TestAServerThatSaysNothingIsAnError(t *testing.T) {
	l, e, _ := unanswered(t)
	defer l.Close()
	e.silence = 50 * time.Millisecond
	if f := must.Fault(t, e.meet(t.Context()), "engine-not-clickhouse"); !strings.Contains(f.Summary, "says nothing") {
		t.Errorf("%v", f)
	}
}

func TestAStatementThatWasLostAfterHoursIsTriedAgain(t *testing.T) {
	c := &clock{time.Unix(0, 0)}
	lost := 3
	f, e := fake(t, func(w http.ResponseWriter, _ *http.Request, statement string) {
		if strings.HasPrefix(statement, "KILL") {
			return
		}
		if lost--; lost < 0 {
			fmt.Fprint(w, one)
			return
		}
		c.at = c.at.Add(5 * time.Hour)
		connection, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		connection.Close()
	})
	c.of(e)
	var told []string
	e.waiting = func(why string) { told = append(told, why) }
	rows, err := e.Query(t.Context(), "SELECT 1")
	if diff := cmp.Diff([][]any{{int64(1)}}, rows); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if n := f.tries("SELECT 1"); n != 4 || len(told) != 3 {
		t.Errorf("%d tries, told %q", n, told)
	}
	lost = 1000
	if _, err = e.Query(t.Context(), "SELECT 2"); framework.AsFault(err) == nil || f.tries("SELECT 2") > 10 {
		t.Errorf("%d tries, %v", f.tries("SELECT 2"), err)
	}
}

func TestWhatIsKnownOfAnErrorIsSaidWithWhatToDo(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		text   string
		code   string
	}{
		"memory": {500, "Code: 241, e.displayText() = DB::Exception: Memory limit (for query) exceeded", "engine-memory"},
		"too many statements": {500, "Code: 202, e.displayText() = DB::Exception: Too many simultaneous queries. " +
			"Maximum: 20", "engine-busy"},
		"a limit of time": {500, "Code: 159. DB::Exception: Timeout exceeded: elapsed 5 seconds. (TIMEOUT_EXCEEDED)", "engine-timeout"},
		"no right": {500, "Code: 497. DB::Exception: bob: Not enough privileges. " +
			"(ACCESS_DENIED) (version 26.7)", "engine-rights"},
		"no database for the user": {500, "Code: 291, e.displayText() = DB::Exception: Access denied to database mine", "engine-rights"},
		"an address": {500, "Code: 195, e.displayText() = DB::Exception: User anna is not allowed to connect " +
			"from 1.2.3.4", "engine-login"},
		"a user who only reads": {500, "Code: 164, e.displayText() = DB::Exception: Cannot execute query in readonly mode", "engine-readonly"},
		"a shard":               {500, "Code: 279, e.displayText() = DB::NetException: All connection tries failed.", "engine-shard"},
		"a packet": {500, "Code: 33, e.displayText() = DB::Exception: Cannot read all data. Bytes read: 394. Bytes expected: 432.: " +
			"while receiving packet from 127.0.0.1:42255", "engine-shard"},
		"a gateway":            {502, "<html>Bad Gateway</html>", "engine-gateway"},
		"a gateway that waits": {504, "", "engine-gateway"},
	} {
		_, e := fake(t, func(w http.ResponseWriter, _ *http.Request, _ string) { http.Error(w, c.text, c.status) })
		e.patience = 0
		_, err := e.Query(t.Context(), "SELECT 1")
		if f := framework.AsFault(err); f == nil || f.Code != c.code || f.Hint == "" || !strings.Contains(f.Where, e.client.address.host) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestAUserWhoMayNotSayThatStatementsReadIsNotMadeTo(t *testing.T) {
	held := "Code: 164, e.displayText() = DB::Exception: Setting 'readonly' cannot be overrided in readonly mode"
	f, e := fake(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if r.URL.Query().Has("readonly") {
			http.Error(w, held, 500)
			return
		}
		fmt.Fprint(w, "name\tversion()\nString\tString\nmax_query_size\t18.16.1\n")
	})
	if err := e.meet(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := e.Query(t.Context(), "SELECT 1"); err != nil || f.tries("SELECT 1") != 1 {
		t.Error(err)
	}
}

func TestThePatienceOfAnAddressIsATime(t *testing.T) {
	for text, want := range map[string]time.Duration{"": -1, "?patience=10m": 10 * time.Minute, "?patience=0s": 0} {
		if a, err := parseAddress("clickhouse://a/b" + text); err != nil || a.patience != want || len(a.settings) > 0 {
			t.Errorf("%s: %v, %v", text, a.patience, err)
		}
	}
	for _, text := range []string{"10", "-1s", "long"} {
		if _, err := parseAddress("clickhouse://a/b?patience=" + text); framework.AsFault(err) == nil {
			t.Errorf("%s is a patience", text)
		}
	}
}

func TestWhatRenamingHasLeftIsFoundOut(t *testing.T) {
	for name, c := range map[string]struct {
		left []string // what of s, the new one, f, the former, and t there is after the answer was lost
		done bool
		then string // the statement that follows; "": none
	}{
		"it was done":            {[]string{"t", "f"}, true, "DROP"},
		"it was not":             {[]string{"t", "s"}, false, "DROP"},
		"one half of it":         {[]string{"f", "s"}, true, "RENAME"},
		"there is no server now": {nil, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			names, renamed := map[string]string{"t": "t"}, false
			var after []string
			_, e := fake(t, func(w http.ResponseWriter, _ *http.Request, statement string) {
				first, _, _ := strings.Cut(statement, " ")
				switch {
				case first == "KILL":
				case renamed && c.left == nil, first == "RENAME" && !renamed:
					renamed = true
					_, to, _ := strings.Cut(statement, " TO `")
					names["f"], _, _ = strings.Cut(to, "`")
					names["s"] = strings.Replace(names["f"], former, staging, 1)
					http.Error(w, "<html>", http.StatusBadGateway)
				case first == "SELECT":
					left := []string{"t"}
					if renamed {
						left = c.left
					}
					fmt.Fprint(w, "name\nString\n")
					for _, l := range left {
						fmt.Fprintln(w, names[l])
					}
				case renamed:
					after = append(after, first)
				}
			})
			e.patience = 0
			err := e.Replace(t.Context(), "t", "SELECT 1", true)
			f := framework.AsFault(err)
			if (err == nil) != c.done || !c.done && f == nil {
				t.Error(err)
			}
			if c.then == "" && (len(f.Details) != 2 || !strings.Contains(strings.Join(f.Details, " "), names["s"])) {
				t.Errorf("%+v", f)
			}
			if c.then != "" && (len(after) == 0 || after[0] != c.then) {
				t.Errorf("then %q", after)
			}
		})
	}
}

func TestAnErrorOfTheHandshakeIsNotTriedAgain(t *testing.T) {
	f, e := fake(t, func(w http.ResponseWriter, _ *http.Request, _ string) { fmt.Fprint(w, one) })
	_, err := Open(t.Context(), "clickhouses://"+f.Listener.Addr().String()+"/b", Credentials{User: "anna", Password: "correct-horse"}, nil)
	var fault *framework.Fault
	if !errors.As(err, &fault) || fault.Code != "engine-tls" || len(f.said) > 0 {
		t.Errorf("%v, %q", err, f.said)
	}
	_ = e
}

func TestStatementsHaveNoSettingsBesideThoseOfTheAddressAndNoneThatTheUserMayNotGive(t *testing.T) {
	for url, settled := range map[string]bool{"clickhouse://h/d": true, "clickhouse://h/d?max_threads=1": true,
		"clickhouse://h/d?max_block_size=10": false, "clickhouse://h/d?preferred_block_size_bytes=0": false} {
		e := &Engine{client: newClient(must.Get(parseAddress(url))(t), Credentials{})}
		must.Equal(t, settled, e.Dialect().Settled != nil)
		e.client.held = true
		must.Equal(t, false, e.Dialect().Settled != nil)
	}
}
