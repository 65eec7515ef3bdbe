//go:build engines

package clickhouse_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse/internal/clickhousetest"
)

// certified makes a certificate that signs itself, and its key, for an address or a name.
func certified(t *testing.T, of string, until time.Time) (certificate, key string) {
	t.Helper()
	private := must.Get(rsa.GenerateKey(rand.Reader, 2048))(t)
	c := x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "the test"}, NotBefore: time.Now().Add(-48 * time.Hour),
		NotAfter: until, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	if ip := net.ParseIP(of); ip != nil {
		c.IPAddresses = []net.IP{ip}
	} else {
		c.DNSNames = []string{of}
	}
	dir := t.TempDir()
	file := func(name, kind string, bytes []byte) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600))
		return path
	}
	return file("certificate", "CERTIFICATE", must.Get(x509.CreateCertificate(rand.Reader, &c, &c, &private.PublicKey, private))(t)),
		file("key", "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(private))
}

func TestSecretsAreSentToAServerThatIsTrustedOnly(t *testing.T) {
	t.Parallel()
	certificate, key := certified(t, "127.0.0.1", time.Now().Add(time.Hour))
	other, _ := certified(t, "127.0.0.1", time.Now().Add(time.Hour))
	s, secure := clickhousetest.StartSecure(t, certificate, key)
	s.Do("CREATE TABLE points ENGINE = Log AS SELECT number AS id, cityHash64(number) % 100 AS a FROM numbers(100)")
	p := clickhousetest.NewProxy(t, secure)
	p.Hear()
	dir := t.TempDir()
	trusting := func(file string) []string { return []string{"SSL_CERT_FILE=" + file, "SSL_CERT_DIR=/nonexistent"} }
	fit := func(file, scheme, more string) outcome {
		return started(t, dir, trusting(file), "fit", "points", "--id", "id", "-k", "3", "--restarts", "1",
			"--db", "runs.duckdb", "--into", "r", "--replace",
			"--engine", scheme+"://"+p.Address+"/default"+more).outcome()
	}
	for _, file := range []string{other, "/nonexistent"} {
		fit(file, "clickhouses", "").says(t, 1, "error[engine-certificate]", "SSL_CERT_FILE", "nothing was sent")
	}
	if n := s.Do("SELECT count() FROM system.tables WHERE name = 'r_assignments'"); n != "0" {
		t.Error("a fit over a connection that is not trusted")
	}
	for _, how := range [][2]string{{"clickhouses", ""}, {"clickhouse", "?secure=true"}, {"clickhouse", "?secure=1&max_threads=1"}} {
		if o := fit(certificate, how[0], how[1]); o.code != 0 {
			t.Errorf("%v: %s", how, o.errs)
		}
	}
	if n := s.Do("SELECT count() FROM r_assignments"); n != "100" {
		t.Errorf("%s assignments", n)
	}
	wire := p.Heard()
	for _, secret := range []string{clickhousetest.Password, "X-ClickHouse", "x-clickhouse", "query_id", "points"} {
		if strings.Contains(wire, secret) {
			t.Errorf("%q was sent as it is", secret)
		}
	}
	if len(wire) < 1000 {
		t.Errorf("only %d bytes were heard", len(wire))
	}
	nowhere(t, s, dir, clickhousetest.Password)
}

// nowhere fails the test if a secret is in a file of the directory of a command, or in what a
// server has noted.
func nowhere(t *testing.T, s *clickhousetest.Server, dir, secret string) {
	t.Helper()
	must.Do(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.Contains(string(must.Get(os.ReadFile(path))(t)), secret) {
			t.Errorf("it is in %s", path)
		}
		return err
	}))
	s.Until("SELECT count() > 10 FROM system.query_log WHERE query_id LIKE 'sqlcluster-%'", "1", 20*time.Second)
	if log := s.Do("SELECT * FROM system.query_log FORMAT JSONEachRow"); strings.Contains(log, secret) {
		t.Error("it is in the log of statements")
	}
	if log := s.Log(); strings.Contains(log, secret) {
		t.Error("it is in the log of the server")
	}
}

func TestSecretsOfAPlainConnectionAreNotKept(t *testing.T) {
	t.Parallel()
	s := clickhousetest.Start(t, 1)[0]
	s.Do("CREATE TABLE points ENGINE = Log AS SELECT number AS id, cityHash64(number) % 100 AS a FROM numbers(100)")
	dir := t.TempDir()
	credentials := filepath.Join(t.TempDir(), "credentials")
	must.Do(t, os.WriteFile(credentials, []byte("user="+clickhousetest.User+"\npassword="+clickhousetest.Password+"\n"), 0o600))
	fit := []string{"fit", "points", "--id", "id", "-k", "3", "--restarts", "1", "--db", "runs.duckdb", "--into", "r", "--engine", s.URL("")}
	if o := started(t, dir, as("", ""), append(fit, "--engine-credentials", credentials)...).outcome(); o.code != 0 {
		t.Fatal(o.errs)
	}
	for _, args := range [][]string{{"show", "r", "params"}, {"show", "r", "fit"}, {"runs"}} {
		if o := started(t, dir, nil, append(args, "--db", "runs.duckdb")...).outcome(); o.code != 0 {
			t.Error(o.errs)
		}
	}
	nowhere(t, s, dir, clickhousetest.Password)
}

func TestCertificatesThatAreNotOfTheServerAreSaidSo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of    string
		until time.Time
		says  string
	}{
		"another name": {"elsewhere.example", time.Now().Add(time.Hour), "127.0.0.1"},
		"expired":      {"127.0.0.1", time.Now().Add(-time.Hour), "expired"},
	} {
		certificate, key := certified(t, c.of, c.until)
		_, secure := clickhousetest.StartSecure(t, certificate, key)
		o := started(t, t.TempDir(), []string{"SSL_CERT_FILE=" + certificate}, "fit", "points", "--id", "id", "-k", "3", "--engine",
			"clickhouses://"+secure+"/default").outcome()
		t.Log(name)
		o.says(t, 1, "error[engine-certificate]", c.says, "nothing was sent")
	}
}

func TestPortsWithAndWithoutTLSAreNotTakenForEachOther(t *testing.T) {
	t.Parallel()
	certificate, key := certified(t, "127.0.0.1", time.Now().Add(time.Hour))
	s, secure := clickhousetest.StartSecure(t, certificate, key)
	fit := func(engine string) outcome {
		return started(t, t.TempDir(), []string{"SSL_CERT_FILE=" + certificate},
			"fit", "points", "--id", "id", "-k", "3", "--engine", engine).outcome()
	}
	fit("clickhouses://"+s.Address+"/default").says(t, 1, "error[engine-tls]", "does not speak TLS")
	fit("clickhouse://"+secure+"/default").says(t, 1, "error[engine-not-clickhouse]", "clickhouses://")
	fit("clickhouses://"+s.Native+"/default").says(t, 1, "error[engine-")
}
