package job

import (
	"encoding/json"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/distant"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// tuningVersion is the version of the text of what a tuning goes on from.
const tuningVersion = 1

// A storedTuning is that text. What it does not have is in the tables of the tuning.
type storedTuning struct {
	FormatVersion int          `json:"format_version"`
	Best          *storedPoint `json:"best,omitempty"` // of the fits to all rows that have ended
	Now           *storedPoint `json:"now,omitempty"`  // that has not
}

// A storedPoint is how far the fit of a point to all rows is.
type storedPoint struct {
	Point int       `json:"point"`
	Stand fit.Stand `json:"stand"`
}

// Begun returns the rows of the tables of a tuning whose fits are still to be made.
func (t *ElsewhereTuning) Begun() (*result.Tune, error) {
	r, err := t.Tuning.Begun()
	if err == nil {
		t.begun = r.Fit
	}
	return r, err
}

// SoFar returns what there is of a tuning between two points: the rows of its tables, and what it goes on from.
func (t *ElsewhereTuning) SoFar() (*result.Tune, *result.Progress, error) {
	r, err := t.Tables(nil, result.Incomplete)
	if err != nil {
		return nil, nil, err
	}
	if r.Draws == nil {
		r.Draws = []result.TuneDraw{}
	}
	p, err := t.stored(nil)
	return r, p, err
}

// Progress returns what a tuning is resumed from whose present fit to all rows stands there.
func (t *ElsewhereTuning) Progress(at fit.Stand) (*result.Progress, error) {
	return t.stored(&storedPoint{t.now, at})
}

func (t *ElsewhereTuning) stored(now *storedPoint) (*result.Progress, error) {
	s := storedTuning{FormatVersion: tuningVersion, Best: t.from.Best, Now: now}
	if t.best != nil {
		s.Best = &storedPoint{t.Judged[0].Best, fit.Ended(t.best.Result, t.Starts())}
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if now == nil {
		return t.there.progress(t.begun, fit.Stand{}, text), nil
	}
	p := t.there.progress(t.begun, now.Stand, text)
	p.Point = now.Point
	return p, nil
}

// Resume takes over what was kept of a tuning that has not ended: of the same settings and rows. Others are refused,
// with what differs. p is what it goes on from; nil: it is not known.
func (t *ElsewhereTuning) Resume(of *result.Fit, was *result.Tune, p *result.Progress) (err error) {
	if t.begun, err = t.fitWithoutModel("tune", result.Incomplete); err != nil {
		return err
	}
	if of.StopReason == result.Incomplete && of.RunID != t.begun.RunID && p != nil {
		return t.notTheSame("tuning", p.Params, p.Source, p.Fingerprint, t.begun)
	}
	if err := t.Tuning.Resume(of, was.Draws); err != nil {
		return err
	}
	if t.known = was; p == nil {
		return nil
	}
	if err := json.Unmarshal([]byte(p.State), &t.from); err != nil || t.from.FormatVersion != tuningVersion {
		return damaged("tuning")
	}
	return nil
}

// take takes over what was kept of a point that has ended. A point that has failed does so again, and says why.
func (t *ElsewhereTuning) take(i int) bool {
	at := slices.IndexFunc(t.known.Draws, func(d result.TuneDraw) bool { return d.Point == i && d.Iterations >= 0 })
	if at < 0 {
		return false
	}
	values := make([]tune.Value, len(t.Judged))
	for m, j := range t.Judged {
		row := slices.IndexFunc(t.known.Values, func(v result.TuneValue) bool { return v.Point == i && v.Method == j.Method })
		if row < 0 {
			return false
		}
		v := t.known.Values[row]
		values[m] = tune.Value{Point: i, Status: v.Status, Converged: v.Converged, Fits: v.Fits, Score: v.Score,
			Error: v.Error, Selected: v.Selected}
		if j.Method == string(tune.MethodDaviesBouldin) {
			values[m].Score = -v.Score
		}
	}
	for m, v := range values {
		t.judge(m, v)
	}
	t.draws = append(t.draws, t.known.Draws[at])
	return true
}

// stand returns what the fit of a point to all rows goes on from; nil: it begins. Where that of the best point was not
// kept, it is made once more: sums are exact, so that it has the same bits.
func (t *ElsewhereTuning) stand(point int, rows distant.Labelled) (*fit.Stand, error) {
	for _, s := range []*storedPoint{t.from.Now, t.from.Best} {
		if s != nil && s.Point == point {
			return &s.Stand, t.there.standing(&s.Stand, rows.Clusterer)
		}
	}
	return nil, nil
}
