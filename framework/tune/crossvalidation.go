package tune

import (
	"context"
	"math"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
)

// A LinkedFitter makes the fit of a point with links of rows.
type LinkedFitter func(ctx context.Context, point int, links []framework.Link, threads int) (*fit.Result, []framework.Feature, error)

// A CrossValidation judges points, such as the values of a parameter, by rows whose
// classes are known. See the package comment.
type CrossValidation struct {
	Points  int
	By      By      // what compares labels with classes; "": ByF
	Classes []int32 // of each row: 0 and up; −1: not known
	Folds   int     // see CheckFolds
	Repeats int     // how often rows are dealt to folds, ≥ 1
	Seed    uint64
	Threads int
	Cells   int // rows × features: few of them are fitted side by side

	// Links are the links that fits are made with; those of a held-out row are
	// left out. nil: they are made of the classes of the rows that are not held
	// out, a part of all pairs: Share, above 0 and at most 1.
	Links []framework.Link
	Share float64

	// Unlinked says that the method takes no links. Then no fit knows a class,
	// and one for each value is enough.
	Unlinked bool

	Fit LinkedFitter
}

// A FoldFit is the fit of one value in which one fold was held out.
type FoldFit struct {
	Point, Repeat, Fold int
	Links               int // that it was made with
	Outcome
	Score float64 // of the rows held out; NaN if Err is not nil
}

// An Outcome is what is kept of a fit.
type Outcome struct {
	Err        error // a Fault about the data; nil: it has been made
	Stop       string
	Converged  bool
	Iterations int
	Selected   int // features, in any cluster
}

// Status says in a word how a fit ended: why it stopped, or the code of its
// Fault.
func (o Outcome) Status() string {
	if o.Err != nil {
		return framework.AsFault(o.Err).Code
	}
	return o.Stop
}

// AllLinks returns the links of all rows, none of them held out: those that a
// last fit with the chosen value is made with.
func (c *CrossValidation) AllLinks() ([]framework.Link, error) {
	if c.Links != nil || c.Unlinked {
		return c.Links, nil
	}
	return pairsOfClasses(c.Classes, nil, 0, c.Share, framework.Rand(c.Seed, "pairs"))
}

// Trivial returns the score of one cluster for all rows, which a choice must beat.
func (c *CrossValidation) Trivial() float64 {
	labels := make([]int32, len(c.Classes))
	var fits []FoldFit
	for r := range c.Repeats {
		fold := Deal(c.Classes, c.Folds, c.Seed, r)
		for held := range c.Folds {
			fits = append(fits, FoldFit{Score: c.By.heldOut(c.Classes, labels, fold, held)})
		}
	}
	mean, _ := meanAndError(fits, c.Folds)
	return mean
}

// linksWithout returns the links of a fit in which a fold is held out. They do
// not depend on the classes of its rows.
func (c *CrossValidation) linksWithout(fold []int32, repeat, held int) ([]framework.Link, error) {
	var links []framework.Link
	var err error
	switch {
	case c.Unlinked:
		return nil, nil
	case c.Links != nil:
		links = without(c.Links, fold, held)
	default:
		links, err = pairsOfClasses(c.Classes, fold, held, c.Share, framework.Rand(c.Seed, "pairs", uint64(repeat), uint64(held)))
	}
	if err == nil && len(links) == 0 {
		err = framework.Faultf(framework.Data, "fold-without-pairs", "no pair is left when fold %d is held out", held).
			At("pairs").WithHint("give more pairs, or ask for more folds: fewer rows are held out then")
	}
	return links, err
}

// Run makes the fits and returns what became of each value, and of each fit, by
// value, repetition and fold. report, if not nil, is called after each fit, from
// one goroutine at a time.
//
// A Fault about the data is the end of a fit only; any other error ends the run.
// After an error, the values and fits that have ended are returned with it. The
// result does not depend on Threads.
func (c *CrossValidation) Run(ctx context.Context, report func(ended, of, point int)) ([]Value, []FoldFit, error) {
	if err := CheckFolds(c.Classes, c.Folds); err != nil {
		return nil, nil, err
	}
	fold, err := c.deal()
	if err != nil {
		return nil, nil, err
	}
	jobs := c.Points * c.Repeats * c.Folds
	if c.Unlinked {
		jobs = c.Points
	}
	workers, threads := fit.SideBySide(c.Threads, c.Cells)
	done := make([][]FoldFit, jobs)
	var mu sync.Mutex
	ended := 0
	err = parallel.For(ctx, workers, jobs, func(_, i int) error {
		fits, err := c.job(ctx, i, fold, threads)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		ended++
		done[i] = fits
		if report != nil {
			report(ended, jobs, fits[0].Point)
		}
		return nil
	})
	values, fits := c.gather(done)
	return values, fits, err
}

// gather puts the fits that have ended into the order of the values, and sums
// them up.
func (c *CrossValidation) gather(done [][]FoldFit) (values []Value, all []FoldFit) {
	perValue := len(done) / c.Points
	for point := range c.Points {
		from := len(all)
		for _, fits := range done[point*perValue : (point+1)*perValue] {
			all = append(all, fits...)
		}
		if from < len(all) {
			values = append(values, c.judge(point, all[from:]))
		}
	}
	return values, all
}

// deal deals the rows once for each repetition, and refuses links that no fit
// could be made with, before the first is made.
func (c *CrossValidation) deal() ([][]int32, error) {
	if _, err := c.AllLinks(); err != nil {
		return nil, err
	}
	fold := make([][]int32, c.Repeats)
	for r := range fold {
		fold[r] = Deal(c.Classes, c.Folds, c.Seed, r)
		for held := 0; held < c.Folds && c.Links != nil; held++ {
			if _, err := c.linksWithout(fold[r], r, held); err != nil {
				return nil, err
			}
		}
	}
	return fold, nil
}

// job makes the fit of a number, and scores it on each fold that it knows
// nothing of.
func (c *CrossValidation) job(ctx context.Context, i int, fold [][]int32, threads int) ([]FoldFit, error) {
	if c.Unlinked {
		labels, outcome, err := c.one(ctx, i, nil, threads)
		if err != nil {
			return nil, err
		}
		var all []FoldFit
		for r := range fold {
			for held := range c.Folds {
				all = append(all, c.scored(FoldFit{Point: i, Repeat: r, Fold: held, Outcome: outcome}, labels, fold[r]))
			}
		}
		return all, nil
	}
	f := FoldFit{Point: i / (c.Repeats * c.Folds), Repeat: i / c.Folds % c.Repeats, Fold: i % c.Folds}
	links, err := c.linksWithout(fold[f.Repeat], f.Repeat, f.Fold)
	if err != nil {
		return nil, err
	}
	f.Links = len(links)
	var labels []int32
	if labels, f.Outcome, err = c.one(ctx, f.Point, links, threads); err != nil {
		return nil, err
	}
	return []FoldFit{c.scored(f, labels, fold[f.Repeat])}, nil
}

// one makes one fit.
func (c *CrossValidation) one(ctx context.Context, point int, links []framework.Link, threads int) ([]int32, Outcome, error) {
	r, features, err := c.Fit(ctx, point, links, threads)
	if err != nil {
		if f := framework.AsFault(err); f == nil || f.Class != framework.Data {
			return nil, Outcome{}, err
		}
		return nil, Outcome{Err: err}, nil
	}
	return r.Labels, Outcome{Stop: r.Stop, Converged: r.Converged, Iterations: r.Iterations, Selected: Selected(features)}, nil
}

// scored fills in the score of a fit.
func (c *CrossValidation) scored(f FoldFit, labels, fold []int32) FoldFit {
	f.Score = math.NaN()
	if f.Err == nil {
		f.Score = c.By.heldOut(c.Classes, labels, fold, f.Fold)
	}
	return f
}

// judge sums the fits of a value up.
func (c *CrossValidation) judge(point int, fits []FoldFit) Value {
	v := Value{Point: point, Fits: len(fits), Score: math.NaN(), Error: math.NaN(), Selected: math.NaN()}
	ended, converged := true, true
	selected := 0
	for _, f := range fits {
		switch {
		case f.Err != nil && ended:
			v.Status, v.Err, ended = f.Status(), f.Err, false
		case f.Err == nil && !f.Converged && ended && converged:
			v.Status, converged = f.Status(), false
		}
		selected += f.Selected
	}
	v.Converged = ended && converged
	switch {
	case !ended:
		return v
	case len(fits) < c.Repeats*c.Folds:
		v.Status, v.Converged = Incomplete, false
		return v
	case converged:
		v.Status = fits[0].Status()
	}
	v.Selected = float64(selected) / float64(len(fits))
	v.Score, v.Error = meanAndError(fits, c.Folds)
	return v
}

// meanAndError returns the mean score, and its standard error over folds:
//
//	√( mean over repetitions of (variance over folds) / folds )
//
// Repetitions deal the same rows anew. They make the mean steadier, but they are
// no new rows, so the error is not divided by their number.
func meanAndError(fits []FoldFit, folds int) (mean, err float64) {
	for _, f := range fits {
		mean += f.Score
	}
	mean /= float64(len(fits))
	variance := 0.0
	for from := 0; from < len(fits); from += folds {
		of, within := fits[from:from+folds], 0.0
		for _, f := range of {
			within += f.Score
		}
		within /= float64(folds)
		for _, f := range of {
			variance += float64((f.Score - within) * (f.Score - within))
		}
	}
	variance /= float64(len(fits) / folds * (folds - 1))
	return mean, math.Sqrt(variance / float64(folds))
}
