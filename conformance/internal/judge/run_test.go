package judge_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
)

// failsLate is a law that fails from size 20 on.
func failsLate() judge.Law[int] {
	return judge.Law[int]{Name: "test/late", Check: func(c *judge.Trial, _ int) {
		c.Given("size %d", c.Size)
		if c.Size == 3 {
			c.Skipf("three is left out")
		}
		if c.Size >= 20 {
			c.Failf("size %d is too large", c.Size)
		}
	}}
}

func TestCasesAtATimeShowWhatCasesInTurnShow(t *testing.T) {
	want := failsLate().Try(t.Context(), 0, judge.Options{Full: true})
	for range 20 {
		got := failsLate().Try(t.Context(), 0, judge.Options{Full: true, Together: 4})
		if got.Cases != want.Cases || got.Skipped != want.Skipped || got.Finding == nil ||
			got.Finding.Number != want.Finding.Number || got.Finding.Message != want.Finding.Message {
			t.Fatalf("cases at a time: %+v, %+v; in turn: %+v, %+v", got, got.Finding, want, want.Finding)
		}
	}
	holds := judge.Law[int]{Name: "test/holds", Check: func(c *judge.Trial, _ int) { c.Notef("held") }}
	for _, together := range []int{1, 4} {
		if r := holds.Try(t.Context(), 0, judge.Options{Together: together}); r.Cases != 40 || r.Finding != nil || r.Note != "held" {
			t.Errorf("%d at a time: %+v", together, r)
		}
	}
}

func TestACaseThatFailsBesideOthersOnlyIsReportedAsThat(t *testing.T) {
	var inside atomic.Int64
	meet := make(chan struct{})
	law := judge.Law[int]{Name: "test/meets", Check: func(c *judge.Trial, _ int) {
		if c.Index > 1 {
			return
		}
		if inside.Add(1) == 2 { // the first two cases meet here, once
			close(meet)
		}
		if inside.Load() <= 2 {
			<-meet
			c.Failf("another case is here")
		}
	}}
	r := law.Try(t.Context(), 0, judge.Options{Together: 2})
	if r.Finding == nil || !strings.Contains(r.Finding.Message, "beside another case") {
		t.Fatalf("%+v, %+v", r, r.Finding)
	}
}

func TestACaseThatAnotherHasSpoiledIsNotBlamed(t *testing.T) {
	var again atomic.Bool
	var once sync.Once
	ended := make(chan struct{})
	law := judge.Law[int]{Name: "test/spoils", Cases: 8, Check: func(c *judge.Trial, _ int) {
		switch {
		case c.Index == 0 && !again.Swap(true):
			<-ended
			c.Failf("the process has ended")
		case c.Index == 1:
			once.Do(func() { close(ended) })
			c.Failf("it ends the process")
		}
	}}
	r := law.Try(t.Context(), 0, judge.Options{Together: 2})
	if r.Finding == nil || r.Finding.Message != "it ends the process" {
		t.Fatalf("%+v, %+v", r, r.Finding)
	}
}
