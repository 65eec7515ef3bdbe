package cli

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/result"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/links"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// neighbourhoodInit is the start that pairs make, whatever the algorithm.
const neighbourhoodInit = "seeding"

// readPairs reads --pairs, and checks them as a whole.
func (a *app) readPairs(ctx context.Context, db *store.DB, p *prepared) error {
	if a.settings.pairs == "" {
		return nil
	}
	if !p.description.Links && p.settings.Init != neighbourhoodInit {
		return framework.Faultf(framework.Usage, "pairs-not-taken", "algorithm %s takes no pairs", p.description.Name).At("pairs").
			WithHint("use -a %s; or --init %s, which only starts from them", strings.Join(linkedAlgorithms(), ", "), neighbourhoodInit)
	}
	pairs, err := db.ReadPairs(ctx, a.settings.pairs, p.table)
	if err != nil {
		return err
	}
	if pairs.Dropped > 0 {
		p.notes = append(p.notes, counted(pairs.Dropped, "pair was left out because a row of it was", "pairs were left out because a row of each was")+" left out")
	}
	p.problem.Links, p.pairsGiven = pairs.Links, len(pairs.Links)
	if pairs.Unlabelled > 0 {
		p.notes = append(p.notes, counted(pairs.Unlabelled, "suggested pair has", "suggested pairs have")+" no kind yet and therefore no effect")
	}
	name := func(i int32) string { return p.table.KeyName + " " + p.table.Keys.Text(int(i)) }
	if err := p.checkRepeated(name); err != nil {
		return err
	}
	if err := checkContradictions(p.problem.Links, p.table.Keys.Len(), name); err != nil {
		return err
	}
	h := sha256.New()
	for _, l := range p.problem.Links {
		_, _ = fmt.Fprintln(h, l.A, l.B, l.Kind(), l.Weight) // a hash never returns an error
	}
	p.fingerprint += fmt.Sprintf(" %x", h.Sum(nil)[:8])
	must, cannot, hard := countPairs(p.problem.Links, nil)
	p.notes = append(p.notes, fmt.Sprintf("pairs: %d must, %d cannot; %d of them hard", must, cannot, hard))
	if !p.description.Links {
		return nil
	}
	if err := p.completePairs(); err != nil {
		return err
	}
	if _, _, err := links.Check(p.problem.Links, p.table.Keys.Len(), p.problem.K, name); err != nil {
		return framework.AsFault(err).At("pairs")
	}
	return nil
}

// completePairs appends the pairs that follow from the given ones, if the user
// has asked the algorithm for them. It finds them here too, and then adds no
// more, so that their costs are known like those of any pair.
func (p *prepared) completePairs() error {
	is := func(name string, kind framework.ParamType, value any) bool {
		declared, ok := p.description.Param(name)
		return ok && declared.Type == kind && p.problem.Params[name] == value
	}
	if !is("closure", framework.BoolParam, true) {
		return nil
	}
	derived, err := links.Derived(p.problem.Links, p.table.Keys.Len(), is("duplicates", framework.ChoiceParam, "add"))
	if err != nil {
		return err
	}
	p.problem.Links = append(p.problem.Links, derived...)
	must, cannot, _ := countPairs(derived, nil)
	p.notes = append(p.notes, fmt.Sprintf("pairs that follow from them: %d must, %d cannot", must, cannot))
	return nil
}

// linkedAlgorithms names the built-in algorithms that take pairs.
func linkedAlgorithms() (names []string) {
	eachAlgorithm(func(_ string, d framework.Description) {
		if d.Links {
			names = append(names, d.Name)
		}
	})
	return names
}

// checkRepeated refuses pairs that are there more than once, unless the user has
// said what they count.
func (p *prepared) checkRepeated(name func(i int32) string) error {
	_, place := links.Merge(p.problem.Links, false)
	if said, ok := p.params["duplicates"]; ok && said.Origin != "default" || !p.description.Links {
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
			l := p.problem.Links[i]
			details = append(details, fmt.Sprintf("%s and %s: %s", name(l.A), name(l.B), l.Kind()))
		}
	}
	if count == 0 {
		return nil
	}
	if count > len(details) {
		details = append(details, fmt.Sprintf("and %d more", count-len(details)))
	}
	f := framework.Faultf(framework.Data, "repeated-pairs", "%s more than once", counted(count, "pair is given", "pairs are given")).At("pairs").
		WithHint("SELECT DISTINCT leaves out repetitions; --duplicates once or add says what they count")
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
		f.Details = append(f.Details, fmt.Sprintf("cannot: %s and %s; but must: %s", name(c.Cannot.A), name(c.Cannot.B), strings.Join(chain, " – ")))
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

// pairLine says how many pairs the clusters keep, of the given ones and of those
// that follow from them.
func pairLine(all []framework.Link, given int, labels []int32) string {
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
