//go:build unix

package source

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

func TestAPipeIsNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.csv")
	must.Do(t, syscall.Mkfifo(path, 0o600))
	db := memory(t)
	_, err := db.Read(t.Context(), input.Spec{Relation: path})
	sqltest.WantFault(t, err, "file-unreadable: "+path+" is a pipe or a device, not a file\nwhere: relation\nhint: "+
		"write what comes out of it to a file first: a relation is read more than once")
	_, err = duck.Open(t.Context(), path, duck.ReadOnly, duck.Options{})
	sqltest.WantFault(t, err, "database-damaged: "+path+" is a pipe or a device, not a database\nwhere: db")
}
