package job

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// heldWithin returns a Fault if limits of clusters leave no room for rows whose classes are
// certain: which limits, and which classes.
func (b *Job) heldWithin(ctx context.Context, known *constraint.Known) error {
	if known.Within == nil || b.vary.by == "tune" { // then it is said of each number of clusters
		return nil
	}
	f := framework.Faultf(framework.Data, "infeasible-labels", "limits of clusters contradict classes that are certain").At("labels").
		WithHint("make the limits looser, or give doubtful classes a weight")
	if f.Details = b.contradictions(); f.Details != nil {
		return f
	}
	if err := known.Feasible(ctx); err != nil {
		if _, undecided := errors.AsType[framework.Undecided](err); !undecided && framework.AsFault(err).Code != "undecided-labels" {
			return err
		}
	}
	return nil
}

// contradictions says which limits rows of certain classes break alone, however all others
// are labelled.
func (b *Job) contradictions() (all []string) {
	set := b.declaredLabels()
	if set == nil {
		return nil
	}
	held, counts, certain := slices.Clone(b.labels.Class), make([]int, b.Problem.K), 0
	for i, c := range held {
		if c < 0 || !math.IsInf(b.labels.Weight[i], 1) {
			held[i] = -1
			continue
		}
		counts[c]++
		certain++
	}
	for _, l := range set.Limits(held, nil) {
		row, cluster := set.Rows[l.Row], fmt.Sprintf("cluster %d", l.Cluster)
		if row.Name != "" {
			cluster = fmt.Sprintf("%s %q, %s", row.Kind, row.Name, cluster)
		}
		if l.Cluster >= 0 && l.Cluster < len(b.labels.Names) {
			cluster += fmt.Sprintf(" (class %q)", b.labels.Names[l.Cluster])
		}
		say := func(format string, args ...any) { all = append(all, cluster+": "+fmt.Sprintf(format, args...)) }
		switch above := l.Amount > l.Hi; row.Kind {
		case "size", "share":
			if above {
				say("%s, and it may have %g", input.Counted(counts[l.Cluster], "row is certain", "rows are certain"), l.Hi)
			}
			if others := certain - counts[l.Cluster]; float64(b.Problem.N-others) < l.Lo {
				say("it must have %g of %s, and %d %s certain to be in others", l.Lo, input.Plural(b.Problem.N, "row"), others,
					input.Agreed(others, "is", "are"))
			}
		case "unique_per":
			if above {
				say("%s %q in %s, and it may have %g",
					input.Counted(int(l.Amount), "row that is certain has", "rows that are certain have"), l.Value, *row.Feature, l.Hi)
			}
		case "capacity":
			below := func(v float64) bool { return v < 0 }
			if above && !slices.ContainsFunc(set.Table.Column(*row.Feature).Numbers, below) {
				say("rows that are certain have %g of %s, and it may have %g", l.Amount, *row.Feature, l.Hi)
			}
		}
	}
	return all
}
