package job

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/links"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// neighbourhoodInit is the start that pairs make, whatever the algorithm.
const neighbourhoodInit = "seeding"

// readPairs reads --pairs, and checks them as a whole.
func (b *Job) readPairs(ctx context.Context, src Source) error {
	asPairs := b.labels != nil && b.Settings.LabelsAs == settings.LabelsPairs
	if b.Settings.Pairs == "" && !asPairs {
		return nil
	}
	if !b.Algorithm.Links && b.Settings.Init != neighbourhoodInit {
		takers := b.library.Names(func(d framework.Description) bool { return d.Links })
		return framework.Faultf(framework.Usage, "pairs-not-taken", "algorithm %s takes no pairs", b.Algorithm.Name).At("pairs").
			WithHint("use %s; or %s, which only starts from them", settings.Either("algorithm", takers),
				framework.SettingTo("init", neighbourhoodInit))
	}
	var pairs input.Pairs
	if b.Settings.Pairs != "" {
		var err error
		if pairs, err = src.ReadPairs(ctx, b.Settings.Pairs, b.Table); err != nil {
			return err
		}
		if len(pairs.Links)+pairs.Dropped+pairs.Unlabelled == 0 {
			b.note("%s has no rows, so it has no effect", framework.Setting("pairs"))
			if !asPairs {
				return nil
			}
		}
	}
	if asPairs {
		pairs.Links = append(pairs.Links, labelPairs(b.labels)...)
	}
	if pairs.Dropped > 0 {
		b.note("%s left out", input.Counted(pairs.Dropped, "pair was left out because a row of it was",
			"pairs were left out because a row of each was"))
	}
	b.Problem.Links, b.Given = pairs.Links, len(pairs.Links)
	if pairs.Unlabelled > 0 {
		b.note("%s no kind yet and therefore no effect", input.Counted(pairs.Unlabelled, "suggested pair has", "suggested pairs have"))
	}
	name := func(i int32) string { return b.Table.KeyName + " " + b.Table.Keys.Text(int(i)) }
	if err := b.checkRepeated(name); err != nil {
		return err
	}
	if err := checkContradictions(b.Problem.Links, b.Table.Keys.Len(), name); err != nil {
		return err
	}
	h := sha256.New()
	for _, l := range b.Problem.Links {
		_, _ = fmt.Fprintln(h, l.A, l.B, l.Kind(), l.Weight) // a hash never returns an error
	}
	b.fingerprint += fmt.Sprintf(" %x", h.Sum(nil)[:8])
	must, cannot, hard := countPairs(b.Problem.Links, nil)
	b.note("pairs: %d must, %d cannot; %d of them hard", must, cannot, hard)
	if !b.Algorithm.Links {
		return nil
	}
	if err := b.completePairs(); err != nil {
		return err
	}
	if _, _, err := links.Check(b.Problem.Links, b.Table.Keys.Len(), b.Problem.K, name); err != nil {
		return framework.AsFault(err).At("pairs")
	}
	return nil
}

// completePairs appends the pairs that follow from the given ones, if the user
// has asked the algorithm for them. It finds them here too, and then adds no
// more, so that their costs are known like those of any pair.
func (b *Job) completePairs() error {
	is := func(name string, kind framework.ParamType, value any) bool {
		declared, ok := b.Algorithm.Param(name)
		return ok && declared.Type == kind && b.Problem.Params[name] == value
	}
	if !is("closure", framework.BoolParam, true) {
		return nil
	}
	derived, err := links.Derived(b.Problem.Links, b.Table.Keys.Len(), is("duplicates", framework.ChoiceParam, "add"))
	if err != nil {
		return err
	}
	b.Problem.Links = append(b.Problem.Links, derived...)
	must, cannot, _ := countPairs(derived, nil)
	b.note("pairs that follow from them: %d must, %d cannot", must, cannot)
	return nil
}

// checkRepeated refuses pairs that are there more than once, unless the user has
// said what they count.
func (b *Job) checkRepeated(name func(i int32) string) error {
	_, place := links.Merge(b.Problem.Links, false)
	if said, ok := b.params["duplicates"]; ok && said.Origin != settings.ByDefault || !b.Algorithm.Links {
		return nil
	}
	first, count := make(map[int]bool, len(place)), 0
	var details []string
	for i, at := range place {
		if !first[at] {
			first[at] = true
			continue
		}
		if count++; count <= 10 {
			l := b.Problem.Links[i]
			details = append(details, fmt.Sprintf("%s and %s: %s", name(l.A), name(l.B), l.Kind()))
		}
	}
	if count == 0 {
		return nil
	}
	if count > len(details) {
		details = append(details, fmt.Sprintf("and %d more", count-len(details)))
	}
	f := framework.Faultf(framework.Data, "repeated-pairs", "%s more than once", input.Counted(count, "pair is given", "pairs are given")).
		At("pairs").
		WithHint("SELECT DISTINCT leaves out repetitions; %s or add says what they count", framework.SettingTo("duplicates", "once"))
	f.Details = details
	return f
}

// checkContradictions refuses pairs of rows that must be apart and, directly or
// by way of others, together.
func checkContradictions(all []framework.Link, n int, name func(i int32) string) error {
	const most = 5
	found := links.Contradictions(all, n, most+1)
	if len(found) == 0 {
		return nil
	}
	f := framework.Faultf(framework.Data, "contradicting-pairs", "pairs contradict each other").At("pairs").
		WithHint("leave out one pair of each chain")
	for i, c := range found {
		if i == most {
			f.Details = append(f.Details, "and more")
			break
		}
		chain := make([]string, len(c.Chain))
		for t, row := range c.Chain {
			chain[t] = name(row)
		}
		f.Details = append(f.Details, fmt.Sprintf("cannot: %s and %s; but must: %s", name(c.Cannot.A), name(c.Cannot.B),
			strings.Join(chain, " – ")))
	}
	return f
}

// countPairs counts the pairs, or those that labels break.
func countPairs(all []framework.Link, labels []int32) (must, cannot, hard int) {
	for _, l := range all {
		switch {
		case labels != nil && !l.Broken(labels):
			continue
		case l.Cannot:
			cannot++
		default:
			must++
		}
		if l.Hard() {
			hard++
		}
	}
	return must, cannot, hard
}

// violations returns the pairs that the clusters break; nil if there are no
// pairs. The first of them were given, the others follow. costs may be nil.
func violations(all []framework.Link, given int, labels []int32, costs []float64) []result.Violation {
	if len(all) == 0 {
		return nil
	}
	broken := []result.Violation{}
	for i, l := range all {
		if !l.Broken(labels) {
			continue
		}
		v := result.Violation{A: int(l.A), B: int(l.B), Kind: l.Kind(), Weight: l.Weight, Cost: math.NaN(), Derived: i >= given}
		if costs != nil {
			v.Cost = costs[i]
		}
		broken = append(broken, v)
	}
	return broken
}

// PairLine says how many pairs the clusters keep, of the given ones and of those
// that follow from them.
func (b *Job) PairLine(labels []int32) string {
	all, given := b.Problem.Links, b.Given
	line := func(what string, of []framework.Link) string {
		must, cannot, _ := countPairs(of, labels)
		return fmt.Sprintf("%s: %d kept, %d broken (%d must, %d cannot)", what, len(of)-must-cannot, must+cannot, must, cannot)
	}
	text := line("pairs", all[:given])
	if given < len(all) {
		text += "\n" + line("pairs that follow from them", all[given:])
	}
	return text
}
