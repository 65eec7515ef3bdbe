package job

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// standVersion is the version of the text of a stand.
const standVersion = 1

// storedStand is the text of a stand.
type storedStand struct {
	FormatVersion int       `json:"format_version"`
	Stand         fit.Stand `json:"stand"`
}

// Progress returns what a fit that stands there is resumed from.
func (e *Elsewhere) Progress(at fit.Stand) (*result.Progress, error) {
	now, err := e.fitWithoutModel(result.Unfinished, "")
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(storedStand{standVersion, at})
	if err != nil {
		return nil, err
	}
	return e.progress(now, at, text), nil
}

// progress is what a fit that stands there is resumed from, by a text.
func (e *Elsewhere) progress(of result.Fit, at fit.Stand, text []byte) *result.Progress {
	p := &result.Progress{RunID: of.RunID, Params: of.Params, Fingerprint: e.fingerprint, Source: of.Source, Point: -1,
		Restart: at.Restart, Iteration: at.Iteration, Objective: math.NaN(), State: string(text)}
	if last := at.Round.Last; last != nil {
		p.Objective = *last
	}
	return p
}

// Begun returns the tables of a run whose fit has not ended.
func (e *Elsewhere) Begun() (*result.Tables, error) {
	row, err := e.fitWithoutModel(result.Unfinished, "")
	row.Converged = false
	return &result.Tables{Fit: row, Run: e.run(0), Assignments: e.assigned()}, err
}

// Resume returns where a fit of the same rows with the same settings stood. Others are
// refused, with what differs.
func (e *Elsewhere) Resume(p *result.Progress) (*fit.Stand, error) {
	now, err := e.fitWithoutModel(result.Unfinished, "")
	if err != nil {
		return nil, err
	}
	if p.RunID != now.RunID || p.Fingerprint != e.fingerprint {
		return nil, e.notTheSame("fit", p.Params, p.Source, p.Fingerprint, now)
	}
	var s storedStand
	if err := json.Unmarshal([]byte(p.State), &s); err != nil || s.FormatVersion != standVersion {
		return nil, damaged("fit")
	}
	return &s.Stand, e.standing(&s.Stand, e.rows.Clusterer)
}

// damaged is the fault of a text that a fit or a tuning cannot go on from.
func damaged(what string) error {
	return framework.Faultf(framework.Data, "run-damaged", "what the %s would go on from cannot be read", what).
		WithHint("leave out %s, with %s: the %s begins anew", framework.Setting("resume"), framework.Setting("replace"), what)
}

// standing refuses what a fit of a clusterer cannot go on from.
func (e *Elsewhere) standing(s *fit.Stand, c framework.Clusterer) error {
	models := []*framework.Model{s.Model, s.By}
	if s.Best != nil {
		models = append(models, s.Best.Model)
	}
	if under := s.Restart < e.Starts(); under && s.Model == nil || !under && (s.Best == nil || s.Best.Model == nil) {
		return damaged("fit")
	}
	for _, m := range models {
		if m == nil {
			continue
		}
		if err := m.Fits(c.Begin()); err != nil {
			return framework.Faultf(framework.Data, "run-damaged", "what the fit would go on from does not fit its settings: %v", err)
		}
	}
	return nil
}

// notTheSame is the fault of a fit or a tuning of other rows, or with other settings. What is not known of it is "".
func (b *Job) notTheSame(what, params, source, fingerprint string, now result.Fit) error {
	f := framework.Faultf(framework.Data, "not-resumable", "the %s that was interrupted is another one", what).At("resume").
		WithHint("give the settings that it had, or leave out %s: %s makes the %s anew", framework.Setting("resume"),
			framework.SettingTo("replace", ""), what)
	var was, is map[string]settings.Given
	if json.Unmarshal([]byte(params), &was) == nil && json.Unmarshal([]byte(now.Params), &is) == nil {
		f.Details = differences(was, is)
	}
	switch {
	case source != now.Source:
		f.Details = append(f.Details, "the relation was "+source+", and is "+now.Source)
	case fingerprint != "" && fingerprint != b.fingerprint, fingerprint == "" && params == now.Params:
		f.Details = append(f.Details, "the rows have changed")
	}
	return f
}

// differences says which recorded settings have other values than those of the job, for the
// fault of a fit that cannot be resumed.
func differences(recorded, now map[string]settings.Given) []string {
	var all []string
	names := maps.Clone(recorded)
	maps.Copy(names, now)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		was, is := fmt.Sprint(recorded[name].Value), fmt.Sprint(now[name].Value)
		if was != is {
			all = append(all, fmt.Sprintf("%s was %s, and is %s", strings.TrimPrefix(name, "param."), was, is))
		}
	}
	return all
}
