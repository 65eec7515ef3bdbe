package job

import (
	"context"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// expectant is a Host that is told of rows, and expects them until they are there.
type expectant struct {
	fit.Host
	told  chan expected
	ended chan expected
}

type expected struct {
	rows, columns int
	there         bool
}

func (h expectant) Expect(ctx context.Context, rows, columns int, path string) {
	e := expected{rows, columns, path != ""}
	h.told <- e
	<-ctx.Done()
	h.ended <- e
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

func TestTheProcessOfAnAlgorithmExpectsRowsUntilTheyAreReady(t *testing.T) {
	toCome, there := expected{20, 3, false}, expected{20, len(few().names), true}
	for name, c := range map[string]struct {
		batch   int
		storage matrix.Storage
		want    []expected
	}{
		"in a memory file": {0, matrix.Memory, []expected{toCome, there}},
		"in plain memory":  {0, matrix.Auto, []expected{toCome}},
		"batches":          {10, matrix.Memory, nil},
	} {
		s := settings.Defaults()
		s.K, s.Batch, s.Storage = 3, c.batch, c.storage
		j := must.Get(New(s, builtIn))(t)
		defer j.Close()
		host := expectant{told: make(chan expected, 9), ended: make(chan expected, 9)}
		start := j.Algorithm.Host
		j.Algorithm.Host = func(ctx context.Context) (_ fit.Host, err error) {
			host.Host, err = start(ctx)
			return host, err
		}
		j.Launch(t.Context())
		var got []expected
		hear := func() { got = append(got, <-host.told) }
		must.Do(t, j.Read(t.Context(), sized{few(), func() {
			if c.want != nil {
				hear()
			}
		}}, nil))
		for range c.want {
			if e := <-host.ended; !slices.Contains(c.want, e) {
				t.Errorf("%s: %v is expected", name, e)
			}
		}
		must.Get(j.Fit(t.Context(), nil))(t)
		for len(host.told) > 0 {
			hear()
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v is expected, want %v", name, got, c.want)
		}
	}
}
