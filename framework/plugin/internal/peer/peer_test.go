//go:build linux && !portable

package peer

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// dialVariable makes the program of the tests a process that connects to a socket, and
// ends when the other side closes the connection.
const dialVariable = "SQLCLUSTER_TEST_DIAL"

func TestMain(m *testing.M) {
	path := os.Getenv(dialVariable)
	if path == "" {
		os.Exit(m.Run())
	}
	conn, err := net.Dial("unix", path)
	if err != nil {
		os.Exit(1)
	}
	_, _ = conn.Read(make([]byte, 1))
}

func listen(t *testing.T) (l net.Listener, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "s")
	l = must.Get(net.Listen("unix", path))(t)
	t.Cleanup(func() { _ = l.Close() })
	return l, path
}

// accepted returns the end of a new connection that listens.
func accepted(t *testing.T, l net.Listener) net.Conn {
	t.Helper()
	conn := must.Get(l.Accept())(t)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// dialled returns both ends of a new connection of this process to itself.
func dialled(t *testing.T) (client, server net.Conn) {
	t.Helper()
	l, path := listen(t)
	client = must.Get(net.Dial("unix", path))(t)
	t.Cleanup(func() { _ = client.Close() })
	return client, accepted(t, l)
}

func TestTheSystemTellsBothSidesWhoseProcessIsAtTheOtherEnd(t *testing.T) {
	client, server := dialled(t)
	want := Process{ID: os.Getpid(), User: os.Getuid()}
	must.Equal(t, want, must.Get(Of(client))(t))
	must.Equal(t, want, must.Get(Of(server))(t))
}

func TestOnlyAUnixSocketHasAProcessAtItsOtherEnd(t *testing.T) {
	one, other := net.Pipe()
	defer func() { _, _ = one.Close(), other.Close() }()
	if _, err := Of(one); err == nil {
		t.Error("a pipe in memory has one")
	}
}

func TestCredentialsTakeOneConnectionOfTheProcessAndNoOther(t *testing.T) {
	l, path := listen(t)
	c := Credentials(os.Getpid)
	stranger := exec.Command(must.Get(os.Executable())(t))
	stranger.Env = []string{dialVariable + "=" + path}
	must.Do(t, stranger.Start())
	strange := accepted(t, l)
	if _, _, err := c.ServerHandshake(strange); err == nil {
		t.Error("another process of this user is answered")
	}
	_ = strange.Close()
	must.Do(t, stranger.Wait())

	client, server := dialled(t)
	for _, own := range []struct {
		side string
		take func() error
	}{
		{"server", func() error { _, _, err := c.ServerHandshake(server); return err }},
		{"client", func() error {
			_, _, err := Credentials(os.Getpid).ClientHandshake(context.Background(), "", client)
			return err
		}},
	} {
		if err := own.take(); err != nil {
			t.Errorf("%s: %v", own.side, err)
		}
	}
	if _, _, err := c.Clone().ServerHandshake(server); err == nil {
		t.Error("a second connection is taken")
	}
	if _, _, err := Credentials(os.Getppid).ClientHandshake(context.Background(), "", client); err == nil {
		t.Error("a host speaks to a process that it has not started")
	}
}
