package clickhouse

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/dialect"
	"github.com/sqlcluster/sqlcluster/sql/engine"
)

// An Engine is a server of ClickHouse, and those that its Distributed tables are on.
type Engine struct {
	client   *client
	version  string
	met      atomic.Bool      // the server has answered as ClickHouse does
	patience time.Duration    // with a server that has answered before
	silence  time.Duration    // that a server may keep which has never answered
	waiting  func(why string) // may be nil
	now      func() time.Time
	wait     func(context.Context, time.Duration) error
}

var _ engine.Engine = (*Engine)(nil)

// Open connects to the server at an address:
//
//	clickhouse://host:port/database?cluster=NAME&secure=1&patience=10m&max_threads=8
//
// The port is that of HTTP. clickhouses:// is secure=1. patience is how long a server is
// waited for that has answered before, and does not now; 30 seconds if it is not given. All
// else behind ? are settings of each statement.
//
// waiting, which may be nil, is called over and over while a statement waits for something
// that passes, with what it is.
func Open(ctx context.Context, url string, c Credentials, waiting func(why string)) (*Engine, error) {
	return open(ctx, url, c, patience, waiting)
}

func open(ctx context.Context, url string, c Credentials, patience time.Duration, waiting func(why string)) (*Engine, error) {
	a, err := parseAddress(url)
	if err != nil {
		return nil, err
	}
	if c.User == "" {
		c.User = a.user
	}
	if a.patience >= 0 {
		patience = a.patience
	}
	e := &Engine{client: newClient(a, c), patience: patience, silence: silence, waiting: waiting, now: time.Now, wait: wait}
	if err := e.meet(ctx); err != nil {
		e.client.close()
		return nil, err
	}
	return e, nil
}

// version is what a server says that is one of ClickHouse.
var version = regexp.MustCompile(`^[0-9]+\.[0-9]`)

// meet asks the server for its version, and which settings it knows.
func (e *Engine) meet(ctx context.Context) error {
	var names []string
	for name := range always {
		names = append(names, e.Dialect().Literal(name))
	}
	slices.Sort(names)
	known := "SELECT name, version() FROM system.settings WHERE name IN (" + strings.Join(names, ", ") + ")"
	rows, err := e.statement(ctx, known, false)
	if isHeld(err) {
		e.client.held = true
		rows, err = e.statement(ctx, known, false)
	}
	if err != nil {
		return err
	}
	settings := maps.Clone(e.client.address.settings)
	for _, row := range rows {
		if len(row) != 2 {
			return e.fault(errStrange)
		}
		name, _ := row[0].(string)
		e.version, _ = row[1].(string)
		if settings[name] = always[name]; !version.MatchString(e.version) {
			return e.fault(errStrange)
		}
	}
	if len(rows) == 0 {
		return e.fault(errStrange)
	}
	e.client.settings = settings
	cluster := e.client.address.cluster
	statement := "SELECT count() FROM system.clusters WHERE cluster = " + e.Dialect().Literal(cluster)
	rows, err = e.statement(ctx, statement, false) // with all settings
	if err != nil {
		return err
	}
	if cluster != "" && len(rows) == 1 && rows[0][0] == int64(0) {
		return framework.Faultf(framework.Usage, "engine-cluster", "the server knows no cluster %s", cluster).
			At("engine").WithHint("look at system.clusters there")
	}
	return nil
}

// Version returns the version of the server: 18.16.1.
func (e *Engine) Version() string { return e.version }

// Cluster returns the cluster that the address names, or "".
func (e *Engine) Cluster() string { return e.client.address.cluster }

// String returns the address, in which there is no secret.
func (e *Engine) String() string {
	return "clickhouse://" + e.client.address.host + "/" + e.client.address.database
}

// Dialect returns how statements are written for it: with settings of their own only if the
// user may give any, and the address does not say how large blocks are.
func (e *Engine) Dialect() dialect.Dialect {
	d := dialect.Of(dialect.ClickHouse)
	_, block := e.client.address.settings["max_block_size"]
	_, bytes := e.client.address.settings["preferred_block_size_bytes"]
	if block || bytes || e.client.held {
		d.Settled, d.ByFeature = nil, nil // blocks of the usual size have too many numbers
	}
	return d
}

// Query runs a statement that reads. Texts are bytes as they are; DECIMAL, dates, ENUM,
// UUID and integers of more than 64 bits are texts.
func (e *Engine) Query(ctx context.Context, statement string) ([][]any, error) {
	return e.statement(ctx, statement, false)
}

// Exec runs a statement that writes. After an error it may have been done, unless the
// server could not be reached.
func (e *Engine) Exec(ctx context.Context, statement string) error {
	_, err := e.statement(ctx, statement, true)
	return err
}

// Columns returns the columns of a relation: a name as it is written in SQL, or a query.
func (e *Engine) Columns(ctx context.Context, relation string) ([]engine.Column, error) {
	relation = strings.TrimSpace(relation)
	if first := strings.Fields(relation); len(first) > 0 && slices.Contains([]string{"SELECT", "WITH"}, strings.ToUpper(first[0])) {
		relation = "(" + relation + ")"
	}
	rows, err := e.statement(ctx, "DESCRIBE TABLE "+relation, false)
	if f := framework.AsFault(err); f != nil && f.Code == codeRefused { // it is only asked what it is
		f.Class, f.Hint = framework.Data, "run the query there to see what is wrong with it, such as in clickhouse-client"
	}
	if err != nil {
		return nil, err
	}
	columns := make([]engine.Column, 0, len(rows))
	for _, row := range rows {
		name, named := row[0].(string)
		text, typed := row[1].(string)
		if !named || !typed {
			return nil, e.fault(fmt.Errorf("%w: a column without a name or type", errText))
		}
		t := parseType(text)
		columns = append(columns, engine.Column{Name: name, Kind: t.kind(), Nullable: t.nullable && !t.array, Type: text})
	}
	return columns, nil
}

// Close lets the connections go.
func (e *Engine) Close() error {
	e.client.close()
	return nil
}
