// Package profile writes how a process spends its time.
package profile

import (
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
	"runtime/trace"
)

// Start begins to write a CPU profile and an execution trace of this process to
// files of these names (empty: none), until stop is called. There can be one
// profile at a time.
func Start(cpuFile, traceFile string) (stop func() error, err error) {
	var stops []func() error
	stop = func() error {
		var all []error
		for _, s := range stops {
			all = append(all, s())
		}
		return errors.Join(all...)
	}
	begin := func(path string, start func(*os.File) error, end func()) error {
		if path == "" {
			return nil
		}
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		if err := start(f); err != nil {
			_ = f.Close()
			return fmt.Errorf("%s: %w", path, err)
		}
		stops = append(stops, func() error { end(); return f.Close() })
		return nil
	}
	err = begin(cpuFile, func(f *os.File) error { return pprof.StartCPUProfile(f) }, pprof.StopCPUProfile)
	if err == nil {
		err = begin(traceFile, func(f *os.File) error { return trace.Start(f) }, trace.Stop)
	}
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	return stop, nil
}
