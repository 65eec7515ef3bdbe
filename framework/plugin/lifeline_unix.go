//go:build unix

package plugin

import (
	"os"
	"strconv"
	"syscall"

	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// holdLifeline makes this process, a plugin, end as soon as its host does.
func holdLifeline() {
	number, err := strconv.Atoi(os.Getenv(wire.LifelineKey))
	if err != nil {
		return // started by another host than ours
	}
	_ = os.Unsetenv(wire.LifelineKey)
	syscall.CloseOnExec(number)
	lifeline := os.NewFile(uintptr(number), "lifeline")
	go func() {
		_, _ = lifeline.Read(make([]byte, 1))
		if syscall.Getpgrp() == os.Getpid() {
			_ = syscall.Kill(0, syscall.SIGKILL) // the whole group
		}
		os.Exit(1)
	}()
}
