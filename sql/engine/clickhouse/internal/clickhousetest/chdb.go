package clickhousetest

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

//go:embed chdb/server.js
var script string

// PackagesVariable names the variable of the environment that has the directory that npm
// has installed chdb in (that of package.json).
const PackagesVariable = "SQLCLUSTER_TEST_CHDB"

// StartChDB starts a server of the SQL of chdb. One statement runs at a time, and none
// can be cancelled.
func StartChDB(tb testing.TB) *Server {
	tb.Helper()
	dir := tb.TempDir()
	program := filepath.Join(dir, "server.js")
	write(tb, program, script)
	port := freePorts(tb, 1)[0]
	s := &Server{tb: tb, Address: fmt.Sprintf("127.0.0.1:%d", port), log: filepath.Join(dir, "errors"), command: func() *exec.Cmd {
		c := exec.Command("node", program, fmt.Sprint(port), filepath.Join(dir, "data"))
		c.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(os.Getenv(PackagesVariable), "node_modules"))
		if log, err := os.Create(filepath.Join(dir, "errors")); err == nil {
			c.Stderr = log
		}
		return c
	}}
	s.start()
	s.wait()
	return s
}
