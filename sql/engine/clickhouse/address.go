package clickhouse

import (
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
)

// An address is where a server is, and how it is spoken to:
//
//	clickhouse://host:port/database?cluster=…&secure=1&patience=10m&setting=value
type address struct {
	secure   bool
	patience time.Duration // with a server that has answered before, and does not now; negative: not given
	host     string        // with the port
	database string
	cluster  string
	user     string
	settings map[string]string // for each statement
}

// CheckAddress refuses what Open would without asking a server.
func CheckAddress(text string) error {
	_, err := parseAddress(text)
	return err
}

// parseAddress reads the address of a server. It says nothing of what was given as a password.
func parseAddress(text string) (address, error) {
	wrong := func(why string) (address, error) {
		return address{}, framework.Faultf(framework.Usage, "engine-address", "the address of the engine is wrong: %s", why).
			At("engine").WithHint("write clickhouse://HOST:PORT/DATABASE, such as clickhouse://127.0.0.1:8123/default")
	}
	u, err := url.Parse(text)
	if err != nil { // which has the text in it
		return wrong("it cannot be read as a URL")
	}
	a := address{settings: map[string]string{}, patience: -1, host: u.Host, database: strings.TrimPrefix(u.Path, "/")}
	switch u.Scheme {
	case "clickhouse":
	case "clickhouses":
		a.secure = true
	default:
		return wrong("it does not begin with clickhouse:// or clickhouses://")
	}
	if _, given := u.User.Password(); given {
		return address{}, framework.Faultf(framework.Usage, "engine-password", "a password in an address can be seen by others").
			At("engine").WithHint("leave it out, and set %s and %s in the environment", userVariable, passwordVariable)
	}
	a.user = u.User.Username()
	query, err := url.ParseQuery(u.RawQuery)
	switch {
	case err != nil:
		return wrong("what is after ? cannot be read")
	case u.Hostname() == "":
		return wrong("it names no host")
	case strings.Contains(a.database, "/"):
		return wrong("there is more than a database after the host")
	case u.Fragment != "":
		return wrong("it has a #")
	}
	for name, values := range query {
		if len(values) != 1 {
			return wrong(name + " is given twice")
		}
		if err := a.set(name, values[0]); err != nil {
			return address{}, err
		}
	}
	if u.Port() == "" {
		port := "8123"
		if a.secure {
			port = "8443"
		}
		a.host = net.JoinHostPort(u.Hostname(), port)
	}
	if a.database == "" {
		a.database = "default"
	}
	return a, nil
}

// set sets what is after the ? of an address.
func (a *address) set(name, value string) error {
	switch {
	case name == "cluster":
		a.cluster = value
	case name == "patience":
		wait, err := time.ParseDuration(value)
		if err != nil || wait < 0 {
			return framework.Faultf(framework.Usage, "engine-address", "the patience of the address is no time").At("engine").
				WithHint("write patience=10m, or patience=30s")
		}
		a.patience = wait
	case name == "secure":
		a.secure = a.secure || value == "1" || value == "true"
	case slices.Contains([]string{"password", "user"}, name):
		return framework.Faultf(framework.Usage, "engine-password", "an address can be seen by others, and says no %s", name).
			At("engine").WithHint("set %s and %s in the environment", userVariable, passwordVariable)
	case reserved(name):
		return framework.Faultf(framework.Usage, "engine-setting", "%s is set by the program", name).
			At("engine").WithHint("leave it out of the address")
	default:
		a.settings[name] = value
	}
	return nil
}

// base returns the URL that statements are posted to, without parameters.
func (a address) base() string {
	scheme := "http"
	if a.secure {
		scheme = "https"
	}
	return scheme + "://" + a.host + "/"
}
