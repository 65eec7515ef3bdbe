package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A faked server answers statements as it is told to, and notes them.
type faked struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
	said     []string
	answer   func(w http.ResponseWriter, r *http.Request, statement string)
}

// fake starts a server, and opens an engine that waits for nothing between its tries.
func fake(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, statement string)) (*faked, *Engine) {
	t.Helper()
	f := &faked{answer: func(w http.ResponseWriter, _ *http.Request, _ string) {
		fmt.Fprint(w, "name\tversion()\nString\tString\nmax_query_size\t20.1\n")
	}}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b strings.Builder
		_, _ = fmt.Fprint(&b, readAll(r))
		f.mu.Lock()
		f.requests, f.said = append(f.requests, r), append(f.said, b.String())
		answer := f.answer
		f.mu.Unlock()
		answer(w, r, b.String())
	}))
	t.Cleanup(f.Close)
	address := "clickhouse://" + f.Listener.Addr().String() + "/mine?max_threads=3"
	e, err := Open(t.Context(), address, Credentials{User: "anna", Password: "correct-horse"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	e.wait = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	f.mu.Lock()
	f.answer, f.said, f.requests = answer, nil, nil
	f.mu.Unlock()
	return f, e
}

func readAll(r *http.Request) string {
	var b strings.Builder
	buffer := make([]byte, 1<<12)
	for {
		n, err := r.Body.Read(buffer)
		b.Write(buffer[:n])
		if err != nil {
			return b.String()
		}
	}
}

// tries returns how often a statement has come.
func (f *faked) tries(statement string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	count := 0
	for _, s := range f.said {
		if s == statement {
			count++
		}
	}
	return count
}

const one = "a\nUInt8\n1\n"

func TestEachRequestHasItsOwnIDAndSettingsButNoSecretInItsAddress(t *testing.T) {
	f, e := fake(t, func(w http.ResponseWriter, _ *http.Request, _ string) { fmt.Fprint(w, one) })
	for range 2 {
		if _, err := e.Query(t.Context(), "SELECT 1"); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Exec(t.Context(), "INSERT"); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for i, r := range f.requests {
		q := r.URL.Query()
		ids[q.Get("query_id")] = true
		if strings.Contains(r.URL.String(), "horse") || r.Header.Get("X-ClickHouse-Key") != "correct-horse" {
			t.Error(r.URL)
		}
		want := []string{"mine", "3", "1000000000", "1", "2"}
		if i == 2 {
			want[4] = ""
		}
		got := []string{q.Get("database"), q.Get("max_threads"), q.Get("max_query_size"), q.Get("wait_end_of_query"), q.Get("readonly")}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if q.Has("max_ast_depth") { // which the server has not said it knows
			t.Error("a setting that the server does not know")
		}
	}
	if len(ids) != 3 {
		t.Errorf("%d ids", len(ids))
	}
}

func TestErrorsThatPassAreTriedAgainAndOthersAreNot(t *testing.T) {
	cases := map[string]struct {
		status      int
		text        string
		reads, adds int // tries of a statement that reads, and of one that writes
	}{
		"too many statements": {500, "Code: 202, e.displayText() = DB::Exception: Too many simultaneous queries", 3, 3},
		"too many statements at a shard": {500, "Code: 202, e.displayText() = DB::Exception: Received from b:9000. " +
			"DB::Exception: Too many", 3, 1},
		"a shard that does not answer": {500, "Code: 279, e.displayText() = DB::NetException: All connection tries failed", 3, 1},
		"the network between shards": {500, "Code: 210. DB::NetException: Connection reset by peer. " +
			"(NETWORK_ERROR) (version 26.7.2.1)", 3, 1},
		"a proxy without its server": {502, "<html>Bad gateway</html>", 3, 1},
		"a statement that is wrong":  {500, "Code: 62, e.displayText() = DB::Exception: Syntax error", 1, 1},
		"memory":                     {500, "Code: 241. DB::Exception: Memory limit exceeded", 1, 1},
		"another page":               {404, "<html>Not here</html>", 1, 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			tries := map[string]int{}
			f, e := fake(t, func(w http.ResponseWriter, _ *http.Request, statement string) {
				if tries[statement]++; tries[statement] < 3 && !strings.HasPrefix(statement, "KILL") {
					http.Error(w, c.text, c.status)
					return
				}
				fmt.Fprint(w, one)
			})
			_, err := e.Query(t.Context(), "SELECT 1")
			if got := f.tries("SELECT 1"); got != c.reads || (err == nil) != (c.reads == 3) {
				t.Errorf("read %d times: %v", got, err)
			}
			err = e.Exec(t.Context(), "INSERT 1")
			if got := f.tries("INSERT 1"); got != c.adds || (err == nil) != (c.adds == 3) {
				t.Errorf("written %d times: %v", got, err)
			}
		})
	}
}

func TestTriesEnd(t *testing.T) {
	f, e := fake(t, func(w http.ResponseWriter, _ *http.Request, _ string) { http.Error(w, "Code: 202, Too many", 500) })
	at := time.Unix(0, 0)
	e.now = func() time.Time { return at }
	e.wait = func(_ context.Context, d time.Duration) error { at = at.Add(d); return nil }
	if _, err := e.Query(t.Context(), "SELECT 1"); err == nil {
		t.Error("no error")
	}
	if waited, tries := at.Sub(time.Unix(0, 0)), f.tries("SELECT 1"); waited > patience || waited < patience-longestWait || tries > 30 {
		t.Errorf("%d tries in %v", tries, waited)
	}
}

func TestAnswersThatAreNotWholeAreErrors(t *testing.T) {
	cases := map[string]struct {
		text string
		want string
	}{
		"nothing":            {"", "engine-lost"},
		"names only":         {"a\n", "engine-lost"},
		"no end of the line": {"a\nUInt8\n1", "engine-lost"},
		"an error behind rows": {"a\nString\nx\nCode: 395, e.displayText() = DB::Exception: thrown, " +
			"e.what() = DB::Exception\n", "engine-refused"},
		"cells missing": {"a\tb\nUInt8\tUInt8\n1\n", "engine-answer"},
		"a number":      {"a\nFloat64\nmany\n", "engine-answer"},
	}
	for name, c := range cases {
		_, e := fake(t, func(w http.ResponseWriter, _ *http.Request, _ string) { fmt.Fprint(w, c.text) })
		e.patience = 0
		rows, err := e.Query(t.Context(), "SELECT 1")
		var f *framework.Fault
		if rows != nil || !errors.As(err, &f) || f.Code != c.want {
			t.Errorf("%s: %v, %v", name, rows, err)
		}
	}
}

func TestAnAnswerWhoseEndCannotBeToldIsAnError(t *testing.T) {
	_, e := fake(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		c, b, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		fmt.Fprint(b, "HTTP/1.0 200 OK\r\n\r\n"+one)
		_ = b.Flush()
	})
	e.patience = 0
	if rows, err := e.Query(t.Context(), "SELECT 1"); err == nil {
		t.Error(rows)
	}
}

func TestAnAddressThatIsWrongIsRefusedAndShowsNoPassword(t *testing.T) {
	cases := map[string]string{
		"":                                "engine-address",
		"http://a:8123/":                  "engine-address",
		"clickhouse:///db":                "engine-address",
		"clickhouse://a/b/c":              "engine-address",
		"clickhouse://a:1horse/b":         "engine-address",
		"clickhouse://a/b?x=1&x=2":        "engine-address",
		"clickhouse://a/b?%zz":            "engine-address",
		"clickhouse://anna:horse@a/b":     "engine-password",
		"clickhouse://a/b?password=horse": "engine-password",
		"clickhouse://a/b?skip_unavailable_shards=1":  "engine-setting",
		"clickhouse://a/b?readonly=0":                 "engine-setting",
		"clickhouse://a/b?group_by_overflow_mode=any": "engine-setting",
	}
	for url, want := range cases {
		_, err := Open(t.Context(), url, Credentials{}, nil)
		var f *framework.Fault
		if !errors.As(err, &f) || f.Code != want || strings.Contains(fmt.Sprintf("%+v", *f), "horse") {
			t.Errorf("%s: %v", url, err)
		}
	}
	for url, want := range map[string]string{"clickhouse://a": "http://a:8123/", "clickhouses://a/b": "https://a:8443/",
		"clickhouse://[::1]:9/b?secure=1": "https://[::1]:9/", "clickhouse://[::1]/b": "http://[::1]:8123/"} {
		if a, err := parseAddress(url); err != nil || a.base() != want {
			t.Errorf("%s: %s, %v", url, a.base(), err)
		}
	}
}

func TestSecretsAreNotPrinted(t *testing.T) {
	c := Credentials{User: "anna", Password: "correct-horse"}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if text := fmt.Sprintf(verb, c); strings.Contains(text, "horse") {
			t.Error(text)
		}
	}
	_, e := fake(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		http.Error(w, "Code: 62, e.displayText() = DB::Exception: who says correct-horse?", 500)
	})
	if _, err := e.Query(t.Context(), "SELECT 1"); err == nil || strings.Contains(err.Error(), "horse") {
		t.Error(err)
	}
}

func TestCredentialsOfAFileOthersCanReadAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "credentials.toml")
	if err := os.WriteFile(path, []byte("user=anna\npassword=correct=horse \n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv(fileVariable, path)
	if _, err := FromEnvironment(); err == nil {
		t.Error("others could read it")
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := FromEnvironment(); err != nil || c.User != "anna" || c.Password != "correct=horse " {
		t.Error(err)
	}
	t.Setenv(passwordVariable, "battery-staple")
	if c, err := FromEnvironment(); err != nil || c.User != "anna" || c.Password != "battery-staple" {
		t.Error("the environment does not come before the file")
	}
}

func TestACancelledStatementIsKilledUntilItHasEnded(t *testing.T) {
	killed := make(chan struct{})
	begun := make(chan struct{})
	var once sync.Once
	f, e := fake(t, func(w http.ResponseWriter, _ *http.Request, statement string) {
		if strings.HasPrefix(statement, "KILL QUERY WHERE query_id = 'sqlcluster-") {
			once.Do(func() { close(killed) })
			return
		}
		close(begun)
		<-killed
		http.Error(w, "Code: 394, e.displayText() = DB::Exception: Query was cancelled", 500)
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	if _, err := e.Query(ctx, "SELECT 1"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if !slices.ContainsFunc(f.said, func(s string) bool { return strings.HasPrefix(s, "KILL") }) {
		t.Error(f.said)
	}
}
