//go:build campaign && linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// TestNoFitRunsAProgramThatWasPutInThePlaceOfTheAddedOne exchanges the program of an added
// plugin all the time. The other one leaves a mark.
func TestNoFitRunsAProgramThatWasPutInThePlaceOfTheAddedOne(t *testing.T) {
	dir := t.TempDir()
	path := added(t, dir, "third", "right")
	mark, other, away := filepath.Join(dir, "mark"), filepath.Join(dir, "other"), filepath.Join(dir, "away")
	must.Do(t, os.WriteFile(other, []byte(fmt.Sprintf("#!/bin/sh\ntouch '%s'\n", mark)), 0o755))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_, _ = os.Rename(path, away), os.Rename(other, path)
			_, _ = os.Rename(path, other), os.Rename(away, path)
		}
	}()
	ran := 0
	for range 200 {
		o := sqlcluster(t, dir, "fit", squares, "--id", "id", "-k", "2", "-a", "third")
		switch {
		case o.code == 0:
			ran++
		case !strings.Contains(o.stderr, "error[plugin-changed]") && !strings.Contains(o.stderr, "error[plugin-missing]"):
			t.Errorf("exit code %d: %s", o.code, o.stderr)
		}
	}
	close(stop)
	<-stopped
	if _, err := os.Stat(mark); err == nil {
		t.Error("the other program was run")
	}
	t.Logf("%d of 200 fits found the program that was added", ran)
}
