package job

import (
	"context"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// expectant is a Host that is told of rows.
type expectant struct {
	fit.Host
	told chan [2]int
	done chan struct{} // closed when nothing is expected any more
}

func (h expectant) Expect(ctx context.Context, rows, columns int) {
	h.told <- [2]int{rows, columns}
	<-ctx.Done()
	close(h.done)
}

// sized is a Source that says what is to come, and waits until someone has heard it.
type sized struct {
	Source
	heard func()
}

func (s sized) Read(ctx context.Context, spec input.Spec) (*input.Table, error) {
	spec.Expect(20, 3)
	s.heard()
	return s.Source.Read(ctx, spec)
}

func TestTheProcessOfAnAlgorithmExpectsRowsWhileTheyAreRead(t *testing.T) {
	for batch, hears := range map[int]bool{0: true, 10: false} {
		s := settings.Defaults()
		s.K, s.Batch = 3, batch
		j := must.Get(New(s, builtIn))(t)
		defer j.Close()
		host := expectant{told: make(chan [2]int, 1), done: make(chan struct{})}
		start := j.Algorithm.Host
		j.Algorithm.Host = func(ctx context.Context) (_ fit.Host, err error) {
			host.Host, err = start(ctx)
			return host, err
		}
		j.Launch(t.Context())
		must.Do(t, j.Read(t.Context(), sized{few(), func() {
			if hears {
				must.Equal(t, [2]int{20, 3}, <-host.told)
			}
		}}, nil))
		if hears {
			<-host.done
		} else if len(host.told) > 0 {
			t.Errorf("with batches, %v is expected", <-host.told)
		}
		must.Get(j.Fit(t.Context(), nil))(t)
	}
}
