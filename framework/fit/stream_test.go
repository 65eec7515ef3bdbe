package fit_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestAResultInPiecesHasTheBitsOfTheWholeInTheOrderOfTheRows(t *testing.T) {
	rows := line(noise(100_000)) // 25 blocks of 4096 rows, of which 8 are a piece
	for _, threads := range []int{1, 2, 3, 9} {
		s := settings()
		s.Threads = threads
		p := rows.problem(3)
		c := toy{Lloyd: means.NewLloyd(p, means.Squared)}
		want := must.Get(fit.Run(t.Context(), c, p, rows, halves(rows), s, nil))(t)
		var all fit.Prediction
		pieces := 0
		got := must.Get(fit.Stream(t.Context(), c, p, rows, halves(rows), s, nil, func(p *fit.Prediction, first int) error {
			must.Equal(t, len(all.Labels), first)
			pieces++
			all.Labels, all.Distance = append(all.Labels, p.Labels...), append(all.Distance, p.Distance...)
			all.Second, all.Margin = append(all.Second, p.Second...), append(all.Margin, p.Margin...)
			return nil
		}))(t)
		if !slices.Equal(all.Labels, want.Labels) || !slices.Equal(all.Distance, want.Distance) ||
			!slices.Equal(all.Second, want.Second) || !slices.Equal(all.Margin, want.Margin) || got.Inertia != want.Inertia {
			t.Errorf("%d threads: pieces differ from the whole", threads)
		}
		if pieces < 2 || pieces > 4 { // fewer wake whoever takes them less often, and more need less memory
			t.Errorf("%d threads: %d pieces of %d rows", threads, pieces, len(rows))
		}
		if got.Distance != nil || got.Second != nil || got.Margin != nil {
			t.Error("the result keeps what it has handed on")
		}
	}
}

func TestAnErrorOfWhoTakesPiecesEndsTheFit(t *testing.T) {
	rows := crowd(noise(3000))
	p := rows.problem(3)
	c := toy{Lloyd: means.NewLloyd(p, means.Squared)}
	full := errors.New("no room")
	if _, err := fit.Stream(t.Context(), c, p, rows, halves(rows), settings(), nil, func(*fit.Prediction,
		int) error {
		return full
	}); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}
