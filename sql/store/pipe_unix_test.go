//go:build unix

package store

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sqlcluster/sqlcluster/sql/input"
)

func TestAPipeIsNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.csv")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	db := memory(t)
	_, err := db.Read(context.Background(), input.Spec{Relation: path})
	wantFault(t, err, "file-unreadable: "+path+" is a pipe or a device, not a file\nwhere: relation\nhint: write what comes out of it to a file first: a relation is read more than once")
	_, err = Open(context.Background(), path, ReadOnly)
	wantFault(t, err, "database-damaged: "+path+" is a pipe or a device, not a database\nwhere: db")
}
