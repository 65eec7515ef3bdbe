//go:build unix

package plugin

import (
	"os"
	"strconv"
	"syscall"
)

// lifelineFile is the number of the plugin's end of the lifeline: the first
// after the standard files.
const lifelineFile = 3

// tie gives the process that is to be started a pipe of which the host keeps
// the other end. Nothing is ever written to it; it closes when the host ends.
func (r *runner) tie() (pluginEnd *os.File, err error) {
	pluginEnd, r.lifeline, err = os.Pipe()
	if err != nil {
		return nil, err
	}
	r.cmd.ExtraFiles = []*os.File{pluginEnd}
	r.cmd.Env = append(r.cmd.Env, lifelineKey+"="+strconv.Itoa(lifelineFile))
	return pluginEnd, nil
}

// holdLifeline makes this process, a plugin, end as soon as its host does.
func holdLifeline() {
	number, err := strconv.Atoi(os.Getenv(lifelineKey))
	if err != nil {
		return // started by another host than ours
	}
	_ = os.Unsetenv(lifelineKey)
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
