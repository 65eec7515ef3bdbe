package report

import (
	"context"
	"fmt"
	"strconv"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/chart"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// violation is a pair that the clusters break.
type violation struct {
	cells []string
}

// pairCounts are numbers of pairs by kind.
type pairCounts struct{ must, cannot int }

func (p *pairCounts) add(kind string, n int) {
	if kind == "must" {
		p.must += n
	} else if kind == "cannot" {
		p.cannot += n
	}
}

func (r *run) readViolation(c cells) {
	r.brokenAll++
	if !c.yes("derived") {
		r.brokenGiven.add(c.text("kind"), 1)
	}
	if len(r.broken) < mostListed {
		row := []string{fmt.Sprint(c.value("a")), fmt.Sprint(c.value("b")), c.text("kind"), number(c.number("weight"), 4),
			number(c.number("cost"), 4)}
		if !finite(c.number("weight")) {
			row[3] = "hard"
		}
		r.broken = append(r.broken, violation{row})
	}
}

// countPairs counts the pairs that a run was given; nil if there are none, or if their
// relation cannot be read now.
func countPairs(ctx context.Context, db *store.DB, relation string) *pairCounts {
	if relation == "" {
		return nil
	}
	found, err := db.Resolve(ctx, relation, framework.Setting("pairs"))
	if err != nil {
		return nil
	}
	defer db.Release(found)
	rows, err := db.Rows(ctx, "SELECT lower(CAST(kind AS VARCHAR)), count(*) FROM "+found.From+" GROUP BY 1 ORDER BY 1")
	if err != nil {
		return nil
	}
	var p pairCounts
	for _, row := range rows {
		kind, _ := row[0].(string)
		n, _ := row[1].(int64)
		p.add(kind, int(n))
	}
	return &p
}

// constraintSection lists limits of centers, and pairs.
func (r *run) constraintSection() Section {
	s := Section{Title: "Constraints"}
	if len(r.limits) > 0 {
		t := Table{Title: "Limits that all centers keep", Head: []string{"kind", "feature", "cluster", "from", "to", "value", "coefficient"}}
		for _, l := range r.limits[:min(mostListed, len(r.limits))] {
			row := []string{l.Kind, "all", "all"}
			if l.Feature != nil {
				row[1] = *l.Feature
			}
			if l.Cluster != nil {
				row[2] = strconv.Itoa(*l.Cluster)
			}
			for _, v := range []*float64{l.Lo, l.Hi, l.Value, l.Coef} {
				text := ""
				if v != nil {
					text = number(*v, 6)
				}
				row = append(row, text)
			}
			t.Rows = append(t.Rows, row)
		}
		t.Left = shownOf(len(t.Rows), len(r.limits), "limits are")
		s.Tables = append(s.Tables, t)
	}
	r.addLimits(&s)
	if r.setting("pairs") == "" || r.fit.Model == "" {
		return s
	}
	bars := &chart.Bars{Unit: "pairs"}
	add := func(name string, n int, tone chart.Tone) {
		bars.Names, bars.Values, bars.Tones = append(bars.Names, name), append(bars.Values, float64(n)), append(bars.Tones, tone)
		bars.Texts = append(bars.Texts, strconv.Itoa(n))
	}
	broken := r.brokenGiven
	if r.pairs != nil {
		add("must, kept", max(0, r.pairs.must-broken.must), chart.Plain)
	} else {
		s.Words = append(s.Words, "The pairs that were given cannot be read now, so that only the broken ones are shown.")
	}
	add("must, broken", broken.must, chart.Cluster(1))
	if r.pairs != nil {
		add("cannot, kept", max(0, r.pairs.cannot-broken.cannot), chart.Plain)
	}
	add("cannot, broken", broken.cannot, chart.Cluster(1))
	s.Figures = append(s.Figures, Figure{Chart: chart.Chart{Name: "pairs", Title: "Pairs kept and broken", Picture: bars,
		Note: "A must pair is kept if its rows are in one cluster, a cannot pair if they are in two."}})
	if len(r.broken) > 0 {
		t := Table{Title: "Broken pairs", Head: []string{"a", "b", "kind", "weight", "cost"}, Left: shownOf(len(r.broken), r.brokenAll,
			"broken pairs are")}
		for _, v := range r.broken {
			t.Rows = append(t.Rows, v.cells)
		}
		s.Tables = append(s.Tables, t)
	}
	return s
}
