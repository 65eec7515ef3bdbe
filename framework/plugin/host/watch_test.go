package host

import (
	"testing"
	"time"
)

// stuckAfter returns how long a step that begins at a time before the first beat
// lasts until the host ends it, by the clock of the beats.
func stuckAfter(o Options, before time.Duration) time.Duration {
	interval, patience := pace(o.withDefaults())
	var w stepWatch
	for at := time.Duration(0); ; at += interval {
		if w.add(8, 7); w.beats >= patience { // the eighth step has begun, and seven have ended
			return before + at
		}
	}
}

func TestStep_is_ended_when_its_time_is_over_and_not_much_later(t *testing.T) {
	for _, o := range []Options{
		{StepTimeout: time.Millisecond}, {StepTimeout: 100 * time.Millisecond}, {StepTimeout: 3 * time.Second},
		{StepTimeout: 3001 * time.Millisecond}, {StepTimeout: 11999 * time.Millisecond}, {StepTimeout: 12500 * time.Millisecond}, {},
		{StepTimeout: time.Second, CallTimeout: 20 * time.Millisecond}, {StepTimeout: time.Hour, CallTimeout: time.Millisecond},
	} {
		limit := o.withDefaults().StepTimeout
		interval, _ := pace(o.withDefaults())
		atMost := limit + max(limit/5, 10*time.Millisecond)
		if limit == 3*time.Second {
			atMost = 3500 * time.Millisecond
		}
		if shortest, longest := stuckAfter(o, 0), stuckAfter(o, interval); shortest < limit || longest > atMost {
			t.Errorf("%+v: a step is ended after %v to %v, and not %v to %v", o, shortest, longest, limit, atMost)
		}
	}
}

func TestBeats_count_only_while_one_step_lasts(t *testing.T) {
	var w stepWatch
	for i, beat := range []struct {
		begun, ended uint64
		beats        int
	}{
		{0, 0, 0}, {1, 0, 1}, {1, 0, 2}, {1, 1, 0}, {1, 1, 0}, {2, 1, 1}, {2, 1, 2},
		{3, 2, 1}, // another step has begun since the last beat
		{3, 2, 2}, {9, 8, 1}, {9, 9, 0},
	} {
		if w.add(beat.begun, beat.ended); w.beats != beat.beats {
			t.Errorf("beat %d: %d beats, want %d", i, w.beats, beat.beats)
		}
	}
}
