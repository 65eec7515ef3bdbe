package clickhouse

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A refusal is an error that the server has told.
type refusal struct {
	status int    // of HTTP
	text   string // as it came
}

func (r *refusal) Error() string { return r.message() }

var (
	coded   = regexp.MustCompile(`^Code: (\d+)[.,]`)
	wrapper = regexp.MustCompile(`^Code: \d+[.,] (?:e\.displayText\(\) = )?(?:DB::Exception: )?`)
	closing = regexp.MustCompile(`(?s), e\.what\(\) = .*$| \(version [^()]*(?:\([^()]*\))?\)\s*$`)
)

// code returns the number of the error; 0: there is none.
func (r *refusal) code() int {
	found := coded.FindStringSubmatch(r.text)
	if found == nil {
		return 0
	}
	code, _ := strconv.Atoi(found[1])
	return code
}

// message returns what the server says, in one line that is not too long: errors of
// syntax may repeat the whole statement.
func (r *refusal) message() string {
	text := closing.ReplaceAllString(wrapper.ReplaceAllString(r.text, ""), "")
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "�")), " ")
	if runes := []rune(text); len(runes) > 300 {
		text = string(runes[:300]) + "…"
	}
	if text == "" || r.code() == 0 && strings.HasPrefix(text, "<") { // a page of a proxy
		return fmt.Sprintf("HTTP %d", r.status)
	}
	return text
}

// codeRefused is the code of what nothing more can be said about.
const codeRefused = "engine-refused"

// A remark is what can be said about an error.
type remark struct {
	class      framework.Class
	code, hint string
}

// known are errors that something can be said about, by number.
var known = map[int]remark{
	60:  {framework.Data, "table-not-found", "look at SHOW TABLES there; another database is named as DATABASE.TABLE"},
	81:  {framework.Data, "database-not-found", "look at SHOW DATABASES there, and at the end of the address"},
	47:  {framework.Data, "column-not-found", "look at DESCRIBE TABLE there"},
	115: {framework.Usage, "engine-setting", "look at system.settings there, and at what is after ? in the address"},
	159: {framework.Internal, "engine-timeout", timeHint},
	160: {framework.Internal, "engine-timeout", timeHint},
	241: {framework.Internal, "engine-memory", "give the user more memory there (max_memory_usage), or fewer threads: " +
		"max_threads=1 in the address"},
	202: {framework.Internal, "engine-busy", "try it later, or let the server run more statements at a time (max_concurrent_queries)"},
	164: {framework.Usage, "engine-readonly", "the user needs a profile with readonly = 2, which can set limits, or 0, " +
		"which can write assignments, too"},
	291: {framework.Usage, "engine-rights", "give the user the database there (allow_databases), " +
		"or name another one at the end of the address"},
	497: {framework.Usage, "engine-rights", "GRANT the user what is missing"},
	195: {framework.Usage, "engine-login", "the entry of the user there says which addresses may connect (networks)"},
	192: login, 193: login, 194: login, 516: login,
}

var login = remark{framework.Usage, "engine-login", "set " + userVariable + " and " + passwordVariable + " in the environment, " +
	"or name a file of them with " + framework.Setting("engine_credentials")}

const timeHint = "a limit of the server ended it: max_execution_time=SECONDS in the address gives it more, if the user may have that"

// byGateway says whether the answer is of a gateway whose server does not answer.
func (r *refusal) byGateway() bool {
	return r.code() == 0 && slices.Contains([]int{429, 502, 503, 504}, r.status)
}

// ofConnection says whether it is an error of a connection between servers.
func (r *refusal) ofConnection() bool {
	return slices.Contains(lost, r.code()) || strings.Contains(r.text, "while receiving packet from")
}

// lacks says whether a server of the cluster has not the table that it should have.
func (r *refusal) lacks() bool { return strings.Contains(r.text, "There is no table") }

// fault says what has gone wrong, without secrets.
func (e *Engine) fault(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	f := framework.Faultf(framework.Internal, codeRefused, "%s", e.redacted(err.Error())).WithWhere("ClickHouse at %s", e.client.address.host)
	var refused *refusal
	isRefusal := errors.As(err, &refused)
	switch {
	case isRefusal && refused.code() != 0:
		e.remark(f, refused)
	case unreached(err):
		e.unreachable(f, err)
	case e.insecure(f, err):
	case isRefusal && refused.byGateway():
		f.Code, f.Summary = "engine-gateway", "a gateway answers, and the server behind it does not: "+f.Summary
		f.Hint = "see whether the server runs, and how long the gateway waits for an answer"
	case !e.met.Load(), errors.Is(err, errStrange):
		e.stranger(f, err, refused)
	case isRefusal:
	case errors.Is(err, errText):
		f.Code, f.Hint = "engine-answer", "cast what is no number or text: toString(…)"
	default:
		f.Code, f.Summary, f.Hint = "engine-lost", "the answer of the server is not all here: "+reason(err), "see whether the server runs"
	}
	return f
}

// remark says what is known of an error of the server.
func (e *Engine) remark(f *framework.Fault, said *refusal) {
	switch k, ok := known[said.code()]; {
	case said.lacks():
		f.Class, f.Code = framework.Data, "table-not-found"
		f.Hint = "a Distributed table reads a table of the same name on all servers of its cluster"
	case ok:
		f.Class, f.Code, f.Hint = k.class, k.code, k.hint
	case said.ofConnection():
		f.Code, f.Summary = "engine-shard", "a server of the cluster does not answer as it should: "+f.Summary
		f.Hint = "see whether all servers run that a Distributed table there is on: system.clusters has them"
	}
}

// unreachable is the fault of a server that there is no connection to.
func (e *Engine) unreachable(f *framework.Fault, err error) {
	f.Code, f.Summary = "engine-unreachable", "nothing answers at "+e.client.address.host+": "+reason(err)
	f.Hint = "see whether the server runs and listens there by HTTP (port 8123, not 9000), and look at the address"
	if e.met.Load() {
		f.Summary = "the server does not answer any more: " + reason(err)
		f.Hint = "see whether it runs"
	}
}

// stranger is the fault of what answers otherwise than ClickHouse.
func (e *Engine) stranger(f *framework.Fault, err error, said *refusal) {
	f.Code = "engine-not-clickhouse"
	f.Hint = "the port of HTTP is 8123; where the server speaks TLS it is 8443, and the address begins with clickhouses://"
	if said != nil && strings.Contains(said.text, "clickhouse-client") {
		f.Summary = "this is the port of clickhouse-client, and statements go by HTTP"
		return
	}
	f.Summary = "what answers at " + e.client.address.host + " does not speak as ClickHouse does by HTTP: " + e.redacted(reason(err))
}

// insecure makes the fault of a connection that cannot be made secure, and reports whether
// it is one.
func (e *Engine) insecure(f *framework.Fault, err error) bool {
	var certificate *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &certificate):
		f.Code, f.Summary = "engine-certificate", "the certificate of the server is not trusted: "+certificate.Err.Error()
		f.Hint = "nothing was sent to it; look at its certificate, and at the address"
		if errors.As(err, &unknown) {
			f.Hint = "nothing was sent to it. If this is the server, let the variable SSL_CERT_FILE name a file with the certificate " +
				"of who has signed its own"
		}
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		f.Code, f.Summary = "engine-tls", "the server does not speak TLS at this port"
		f.Hint = "the port of HTTPS is 8443; without TLS, the address begins with clickhouse://"
	case errors.As(err, &alert):
		f.Code, f.Summary = "engine-tls", "the server ends the handshake of TLS: "+alert.Error()
		f.Hint = "see what the server asks of its clients there"
	default:
		return false
	}
	return true
}

// awaited says what is waited for, in few words.
func (e *Engine) awaited(err error) string {
	why := e.redacted(reason(err))
	var refused *refusal
	if errors.As(err, &refused) {
		switch why = fmt.Sprintf("error %d", refused.code()); {
		case refused.code() == 0:
			why = fmt.Sprintf("HTTP %d", refused.status)
		case refused.code() == tooMany:
			why = "it runs as many statements as it may"
		case refused.ofConnection():
			why = "a server of its cluster does not answer"
		}
	}
	return "waiting for " + e.client.address.host + ": " + why
}

// reason returns the cause of an error of the network, in few words.
func reason(err error) string {
	var number syscall.Errno
	var name *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &name):
		return "the host " + name.Name + " is not known"
	case errors.As(err, &number):
		return number.Error()
	case errors.As(err, &op) && op.Timeout():
		return "there is no connection within " + dialing.String()
	case cutOff(err):
		return "the connection was lost"
	}
	return err.Error()
}

// isHeld says whether the server does not let the user say that statements only read:
// it holds the user to that by itself.
func isHeld(err error) bool {
	f := framework.AsFault(err)
	return f != nil && f.Code == "engine-readonly" && strings.Contains(f.Summary, "'readonly'")
}

// redacted returns a text without the password.
func (e *Engine) redacted(text string) string {
	if secret := string(e.client.credentials.Password); secret != "" {
		return strings.ReplaceAll(text, secret, "***")
	}
	return text
}
