package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestCrash_in_mid_fit_is_a_fault_with_the_last_words(t *testing.T) {
	for trouble, want := range map[string]string{
		"background panic": "panic: in the background",
		"exit":             "crashed during fit (exit status 3)\nthe licence has expired",
		"kill":             "crashed during fit (signal: killed)",
	} {
		t.Run(trouble, func(t *testing.T) {
			p := launch(t, "plugin", Options{})
			f := wantFault(t, fitting(t, p, trouble), "plugin-crashed")
			all := f.Summary + "\n" + strings.Join(f.Details, "\n")
			if !strings.Contains(all, want) || strings.Contains(all, "goroutine") || !strings.HasPrefix(all, "plugin toy ") {
				t.Errorf("it says %q; want %q and no stack", all, want)
			}
			_, err := p.Describe(t.Context()) // later calls say the same
			wantFault(t, err, "plugin-crashed")
		})
	}
}

func TestPanic_of_the_algorithm_is_a_fault_and_the_plugin_lives(t *testing.T) {
	p := launch(t, "plugin", Options{})
	f := wantFault(t, fitting(t, p, "panic"), "plugin-panic")
	if !strings.Contains(f.Summary, "the toy is broken") || len(f.Details) > 0 {
		t.Errorf("fault %+v", f)
	}
	if err := fitting(t, p, "none"); err != nil {
		t.Errorf("the next fit: %v", err)
	}
}

// freeze stops a process, and returns when it has stopped.
func freeze(t *testing.T, pid int) {
	t.Helper()
	must.Do(t, syscall.Kill(pid, syscall.SIGSTOP))
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil { // no Linux
			return
		}
		if after := stat[bytes.LastIndexByte(stat, ')')+1:]; bytes.HasPrefix(after, []byte(" T")) {
			return
		}
		runtime.Gosched()
	}
}

func TestSilence_is_a_hung_plugin(t *testing.T) {
	o := Options{CallTimeout: 250 * time.Millisecond}
	t.Run("in mid-fit", func(t *testing.T) {
		wantFault(t, fitting(t, launch(t, "plugin", o), "freeze"), "plugin-hung")
	})
	t.Run("in a step", func(t *testing.T) {
		p := launch(t, "plugin", o)
		freeze(t, p.PID())
		_, err := p.Describe(t.Context())
		wantFault(t, err, "plugin-hung")
	})
}

func TestStep_that_takes_too_long_is_a_hung_plugin(t *testing.T) {
	p := launch(t, "plugin", Options{StepTimeout: 300 * time.Millisecond})
	s, _, _, _ := open(t, p, "toy", framework.Params{"trouble": "deaf"})
	m := s.Begin()
	m.Round = 2 // makes trouble
	_, err := s.Update(t.Context(), m, framework.NewStats(s.Plan().Stats), nil, nil)
	wantFault(t, err, "plugin-hung")
}

func TestStep_of_a_fit_that_takes_too_long_is_a_hung_plugin(t *testing.T) {
	err := fitting(t, launch(t, "plugin", Options{StepTimeout: 500e6, CallTimeout: time.Second}), "deaf")
	wantFault(t, err, "plugin-hung")
	if f := framework.AsFault(err); f == nil || !strings.Contains(f.Error(), "took longer than 500ms for a step of a fit") {
		t.Error(err)
	}
}

func TestFlood_of_output_does_not_block_a_fit(t *testing.T) {
	must.Do(t, fitting(t, launch(t, "plugin", Options{}), "flood"))
}

func TestClose_ends_a_frozen_plugin(t *testing.T) {
	p := launch(t, "plugin", Options{})
	freeze(t, p.PID())
	if err := p.Close(); err != nil || !p.Ended() {
		t.Errorf("ended: %v, error %v", p.Ended(), err)
	}
	_, err := p.Describe(t.Context())
	if codeOf(err) != "plugin-closed" {
		t.Errorf("a call after Close: %v", err)
	}
}

func TestDeadline_of_the_caller_is_never_a_hung_plugin(t *testing.T) {
	p := launch(t, "plugin", Options{})
	s, _, _, _ := open(t, p, "toy", framework.Params{"trouble": "wait"})
	for range 20 { // the process may notice it a moment before the caller does
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err := s.Fit(ctx, fit.Start{}, settings(), nil)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	}
}

// onWrite is called when something is written.
type onWrite func()

func (w onWrite) Write(text []byte) (int, error) {
	w()
	return len(text), nil
}

// A deaf algorithm never returns: that its fit does shows that nobody waits for it.
func TestCancelled_fit_returns_whatever_the_algorithm_does(t *testing.T) {
	for trouble, stops := range map[string]bool{"wait": true, "deaf": false} {
		t.Run(trouble, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p := launch(t, "plugin", Options{Stderr: onWrite(cancel)}) // not before the algorithm is at it: a fit may end between two steps
			s, _, _, _ := open(t, p, "toy", framework.Params{"trouble": trouble})
			_, err := s.Fit(ctx, fit.Start{}, settings(), nil)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			// Closing the session waits for its calls to stop.
			if err := s.Close(); (err == nil) != stops {
				t.Errorf("close: %v", err)
			}
		})
	}
}

func TestPlugin_ends_when_its_lifeline_does(t *testing.T) {
	p := launch(t, "plugin", Options{})
	if p.Ended() || !p.Orphan(patience) || !p.Ended() {
		t.Fatal("the plugin outlives its host")
	}
	_, err := p.Describe(t.Context())
	wantFault(t, err, "plugin-crashed")
}
