package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"

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

// known are errors that something can be said about, by number.
var known = map[int]struct {
	class      framework.Class
	code, hint string
}{
	60:  {framework.Data, "table-not-found", "look at SHOW TABLES there"},
	81:  {framework.Data, "database-not-found", "look at SHOW DATABASES there, and at the end of the address"},
	47:  {framework.Data, "column-not-found", "look at DESCRIBE TABLE there"},
	115: {framework.Usage, "engine-setting", "look at system.settings there, and at what is after ? in the address"},
	159: {framework.Internal, "engine-timeout", "give the statement more time"},
	160: {framework.Internal, "engine-timeout", "give the statement more time"},
	241: {framework.Internal, "engine-memory", "give the user more memory there (max_memory_usage), or fewer threads: max_threads=1 in the address"},
	164: {framework.Usage, "engine-readonly", "the user needs a profile with readonly = 0 or 2"},
	291: {framework.Usage, "engine-login", loginHint}, 497: {framework.Usage, "engine-rights", "GRANT the user what is missing"},
	192: {framework.Usage, "engine-login", loginHint}, 193: {framework.Usage, "engine-login", loginHint},
	194: {framework.Usage, "engine-login", loginHint}, 195: {framework.Usage, "engine-login", loginHint},
	516: {framework.Usage, "engine-login", loginHint},
}

const loginHint = "set " + userVariable + " and " + passwordVariable + " in the environment"

// fault says what has gone wrong, without secrets.
func (e *Engine) fault(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	where := "ClickHouse at " + e.client.address.host
	var refused *refusal
	var op *net.OpError
	f := framework.Faultf(framework.Internal, "engine-refused", "%s", e.redacted(err.Error())).WithWhere("%s", where)
	switch {
	case errors.As(err, &refused):
		if k, ok := known[refused.code()]; ok {
			f.Class, f.Code, f.Hint = k.class, k.code, k.hint
		}
	case errors.As(err, &op) && op.Op == "dial":
		f.Code, f.Summary = "engine-unreachable", notAnswering+": "+f.Summary
		f.Hint = "see whether it runs, and whether it listens on this port by HTTP (8123, not 9000)"
	case errors.Is(err, errText):
		f.Code, f.Hint = "engine-answer", "cast what is no number or text: toString(…)"
	default:
		f.Code, f.Summary, f.Hint = "engine-lost", "the connection was lost before all of the answer was here: "+f.Summary, "run it again"
	}
	return f
}

// redacted returns a text without the password.
func (e *Engine) redacted(text string) string {
	if secret := string(e.client.credentials.Password); secret != "" {
		return strings.ReplaceAll(text, secret, "***")
	}
	return text
}
