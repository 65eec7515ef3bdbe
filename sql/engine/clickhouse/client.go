package clickhouse

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A client speaks with one server.
type client struct {
	address     address
	credentials Credentials
	kept, fresh *http.Client // with connections that are used again, and with new ones
	settings    map[string]string
	held        bool // the server holds the user to statements that read, and takes no word for it
}

// dialing is how long a connection may take.
const dialing = 3 * time.Second

func newClient(a address, c Credentials) *client {
	transport := func(keeps bool) *http.Client {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.DialContext = (&net.Dialer{Timeout: dialing, KeepAlive: 15 * time.Second}).DialContext
		t.DisableCompression, t.DisableKeepAlives, t.ForceAttemptHTTP2 = true, !keeps, false
		return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	return &client{address: a, credentials: c, kept: transport(true), fresh: transport(false)}
}

// A try is one time that a statement is sent.
type try struct {
	statement string
	id        string // of the statement, in the server
	writes    bool
	use       func(row []any) error // gets the rows of the answer as they come; nil: it is returned whole
}

// idPrefix begins the ids of all statements.
const idPrefix = "sqlcluster-"

// newID returns an id that no other statement has.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // which cannot fail
	return idPrefix + hex.EncodeToString(b[:])
}

// send posts a statement with these settings, and returns its whole answer, or lets the try use it.
func (c *client) send(ctx context.Context, t try, settings map[string]string) ([][]any, error) {
	parameters := url.Values{"database": {c.address.database}, "query_id": {t.id}, "wait_end_of_query": {"1"},
		"default_format": {"TabSeparatedWithNamesAndTypes"}}
	for name, value := range settings {
		parameters.Set(name, value)
	}
	if !t.writes && !c.held {
		parameters.Set("readonly", "2")
	}
	if until, ok := ctx.Deadline(); ok {
		parameters.Set("max_execution_time", seconds(time.Until(until)))
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address.base()+"?"+parameters.Encode(), strings.NewReader(t.statement))
	if err != nil {
		return nil, errors.New("the request cannot be made") // the cause has the address in it
	}
	user := c.credentials.User
	if user == "" {
		user = "default"
	}
	request.Header.Set("X-ClickHouse-User", user)
	request.Header.Set("X-ClickHouse-Key", string(c.credentials.Password))
	through := c.kept
	if t.writes { // a connection that the server has closed would leave open whether it was done
		through = c.fresh
	}
	response, err := through.Do(request)
	if err != nil {
		return nil, unwrapped(err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<16))
		return nil, &refusal{status: response.StatusCode, text: strings.TrimSpace(string(text))}
	}
	if response.ContentLength < 0 && !chunked(response) {
		return nil, errCut // the end of such an answer cannot be told from a lost connection
	}
	if t.writes {
		_, err := io.Copy(io.Discard, response.Body)
		return nil, err
	}
	if t.use != nil {
		return nil, eachRow(response.Body, t.use)
	}
	return readAnswer(response.Body)
}

func chunked(r *http.Response) bool {
	return len(r.TransferEncoding) == 1 && r.TransferEncoding[0] == "chunked"
}

// unwrapped returns what is wrong, without the address of the request.
func unwrapped(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// close lets connections go.
func (c *client) close() {
	c.kept.CloseIdleConnections()
	c.fresh.CloseIdleConnections()
}
