package clickhouse

import (
	"os"
	"runtime"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

// The variables of the environment that have the credentials, or name a file with them.
const (
	userVariable     = "SQLCLUSTER_ENGINE_USER"
	passwordVariable = "SQLCLUSTER_ENGINE_PASSWORD"
	fileVariable     = "SQLCLUSTER_ENGINE_CREDENTIALS"
)

// Credentials are who asks. The zero value is the user "default" without a password.
type Credentials struct {
	User     string
	Password Secret
}

// A Secret is a text that is not printed.
type Secret string

// String returns a text that stands for the secret.
func (Secret) String() string { return "***" }

// GoString does as String does.
func (Secret) GoString() string { return "***" }

// MarshalText does as String does.
func (Secret) MarshalText() ([]byte, error) { return []byte("***"), nil }

// FromEnvironment returns the credentials that the environment has, or the file that it
// names: SQLCLUSTER_ENGINE_USER, SQLCLUSTER_ENGINE_PASSWORD, SQLCLUSTER_ENGINE_CREDENTIALS.
func FromEnvironment() (Credentials, error) {
	var c Credentials
	if path := os.Getenv(fileVariable); path != "" {
		var err error
		if c, err = FromFile(path); err != nil {
			return Credentials{}, err
		}
	}
	if user, ok := os.LookupEnv(userVariable); ok {
		c.User = user
	}
	if password, ok := os.LookupEnv(passwordVariable); ok {
		c.Password = Secret(password)
	}
	return c, nil
}

// FromFile reads credentials from a file with a line user=NAME and a line password=WORD,
// which others must not be able to read.
func FromFile(path string) (Credentials, error) {
	wrong := func(why string) *framework.Fault {
		return framework.Faultf(framework.Usage, "engine-credentials", "the file of credentials %s %s", path, why)
	}
	info, err := os.Stat(path)
	if err != nil {
		return Credentials{}, wrong("cannot be read").WithCause(err).
			WithHint("%s, or the variable %s, names it", framework.Setting("engine_credentials"), fileVariable)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return Credentials{}, wrong("can be read by others").WithHint("chmod 600 %s", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Credentials{}, wrong("cannot be read").WithCause(err)
	}
	var c Credentials
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "=")
		switch strings.TrimSpace(name) {
		case "user":
			c.User = strings.TrimSpace(value)
		case "password":
			c.Password = Secret(value)
		case "":
		default: // it may be the password
			return Credentials{}, wrong("has a line that is none").WithHint("write user=NAME and password=WORD, one a line")
		}
	}
	return c, nil
}
