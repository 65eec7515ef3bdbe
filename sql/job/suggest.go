package job

import (
	"context"
	"fmt"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/suggest"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// mostSuggestions is how many pairs may be asked for.
const mostSuggestions = 100_000

// Paired stands for the algorithms that take pairs: rows are read and scaled as for
// these before pairs are suggested.
var Paired = framework.Description{Name: "pairs suggest", Links: true, Sparse: true, Scale: "sd"}

// NewQuestions returns a job whose rows are to be asked about with Ask.
func NewQuestions(s settings.Settings, method string, count int) (*Job, error) {
	if s.K == 0 && s.Origin("k") == settings.ByDefault {
		return nil, NoK()
	}
	if s.K < 2 {
		return nil, framework.Faultf(framework.Usage, "bad-setting", "k is %d; it must be at least 2, or there is nothing to ask", s.K).At("k")
	}
	if count < 1 || count > mostSuggestions {
		return nil, settings.Wrong("count", "%s is %d; it must be 1 to %d", framework.Setting("count"), count, mostSuggestions)
	}
	if err := suggest.CheckMethod(method); err != nil {
		return nil, err
	}
	b := &Job{Settings: s, Algorithm: library.Algorithm{Description: Paired}}
	b.Settings.Complete(Paired, nil)
	b.Problem.K, b.Problem.Seed = s.K, s.Seed
	return b, nil
}

// Ask returns pairs of rows for which it is most useful to know whether they belong
// together, at most count of them.
func (b *Job) Ask(ctx context.Context, method string, count int) ([]result.Suggestion, error) {
	pairs, err := suggest.Pairs(ctx, b.Data, suggest.Options{K: b.Problem.K, Count: count, Method: method, Seed: b.Problem.Seed,
		Threads: b.Settings.Threads, Links: b.Problem.Links})
	if err != nil {
		return nil, err
	}
	all := make([]result.Suggestion, len(pairs))
	for i, pair := range pairs {
		all[i] = result.Suggestion{A: pair.A, B: pair.B, Weight: 1, Why: why(pair)}
	}
	switch {
	case len(all) == 0:
		b.note("there is nothing more to ask")
	case len(all) < count:
		b.note("only %s left to ask about", input.Counted(len(all), "pair", "pairs"))
	}
	return all, nil
}

// why says in words why a pair is suggested.
func why(p suggest.Pair) string {
	row := map[suggest.Reason]string{
		suggest.Open:     "a has pairs, but may still belong to several neighbourhoods",
		suggest.Farthest: "a is the farthest from all rows asked about",
		suggest.Random:   "a was drawn at random",
	}[p.Reason]
	is, where := "belongs to", "neighbourhood"
	if !p.Known {
		is, where = "is", "row asked about"
	}
	if p.Rank == 0 {
		return fmt.Sprintf("%s; b %s the nearest %s", row, is, where)
	}
	return fmt.Sprintf("%s; b %s the next nearest %s, number %d", row, is, where, p.Rank+1)
}
