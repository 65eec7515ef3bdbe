// Package report makes a page of one or several runs that people look at: what the
// clusters are in plain words, and pictures of all that the result tables hold.
//
// [Read] reads the tables of a run, and its rows where it can. What is read and shown
// is bounded, however many clusters and features a run has. [Page] writes the page:
// one file without scripts, which loads nothing. The same tables give the same bytes.
package report

import (
	"context"
	"fmt"
	"math"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/chart"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// Limits of what is shown.
const (
	mostClusters = 20
	mostFeatures = 20
	mostTraits   = 4 // of a cluster, in words
	mostTop      = 8 // the same where there are more than manyFeatures
	manyFeatures = 50
	mostListed   = 20
	mostLines    = 8 // of a picture
)

// A Report is a run as people are shown it.
type Report struct {
	Name     string
	Headline string // algorithm and sizes
	Words    []string
	Sections []Section
	NoRows   string // why no rows are shown; "": they are, or there are none

	run *run
}

// A Section has pictures and tables of one topic.
type Section struct {
	Title   string
	Words   []string
	Figures []Figure
	Tables  []Table
}

// A Figure is a picture, and what it does not show.
type Figure struct {
	chart.Chart
	Left string
}

// A Table has cells as text.
type Table struct {
	Title  string
	Head   []string
	Rows   [][]string
	Left   string
	Values bool // cells after the first are numbers
	Folded bool // shown when asked for
}

// Options say how rows are read.
type Options struct {
	Library library.Library
	Sample  int            // rows that are shown; 0: the relation is not read
	Threads int            // changes no result
	Reading func(rows int) // called now and then with the rows read so far; may be nil

	Measuring func(done, of int) // called now and then while silhouettes are measured; may be nil

	// There draws rows that stay in an engine, which has the name that is recorded of it; nil: they are read.
	There func(ctx context.Context, engine string, m *model.Model, o model.ScoreOptions) (*model.Drawn, error)
}

// Read makes the report of a run.
func Read(ctx context.Context, db *store.DB, name string, o Options) (*Report, error) {
	r, err := readRun(ctx, db, name, o)
	if err != nil {
		return nil, err
	}
	if err := r.readRows(ctx, db, o); err != nil {
		return nil, err
	}
	r.profile.finish(r.standard(), r.deviations())
	group, err := db.ChosenGroup(ctx, name)
	if err != nil {
		return nil, err
	}
	if group != "" {
		name += ": " + group
	}
	p := &Report{Name: name, Headline: r.headline(), NoRows: r.noRows, run: r}
	p.Words = r.words()
	for _, s := range []Section{r.choiceSection(), r.pathSection(), r.clusterSection(), r.featureSection(), r.rowSection(),
		r.stabilitySection(),
		r.constraintSection(), r.fitSection(), r.reproduceSection()} {
		if len(s.Figures)+len(s.Tables)+len(s.Words) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	return p, nil
}

// Charts are all pictures of a report.
func (p *Report) Charts() []Figure {
	var all []Figure
	for _, s := range p.Sections {
		all = append(all, s.Figures...)
	}
	return all
}

// ChartNames lists the pictures that reports may have.
func ChartNames() []string {
	names := []string{"sizes", "profile", "features", "rows", "silhouette", "starts", "path", "explained", "selected", "agreement", "jaccard",
		"frequencies", "pairs", choicePrefix + "cv"}
	for _, m := range tune.Methods() {
		names = append(names, choicePrefix+string(m))
	}
	return names
}

// choicePrefix begins the names of pictures of a tuning, before that of the method.
const choicePrefix = "choice-"

// shownOf says how many of something are shown, if not all.
func shownOf(shown, of int, what string) string {
	if shown >= of {
		return ""
	}
	return fmt.Sprintf("%d of %d %s shown.", shown, of, what)
}

// number writes a number with some digits, and a dash for one that is not known.
func number(v float64, digits int) string {
	if !finite(v) {
		return "–"
	}
	return render.Number(v, digits)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
