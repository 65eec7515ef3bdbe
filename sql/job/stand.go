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
	p := &result.Progress{RunID: now.RunID, Params: now.Params, Fingerprint: e.fingerprint, Source: now.Source,
		Restart: at.Restart, Iteration: at.Iteration, Objective: math.NaN(), State: string(text)}
	if last := at.Round.Last; last != nil {
		p.Objective = *last
	}
	return p, nil
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
		return nil, e.notTheSame(p, now)
	}
	var s storedStand
	if err := json.Unmarshal([]byte(p.State), &s); err != nil || s.FormatVersion != standVersion || s.Stand.Model == nil {
		return nil, framework.Faultf(framework.Data, "run-damaged", "what the fit would go on from cannot be read").
			WithHint("leave out %s, with %s: the fit begins anew", framework.Setting("resume"), framework.Setting("replace"))
	}
	for _, m := range []*framework.Model{s.Stand.Model, s.Stand.By} {
		if m == nil {
			continue
		}
		if err := m.Fits(e.rows.Clusterer.Begin()); err != nil {
			return nil, framework.Faultf(framework.Data, "run-damaged", "what the fit would go on from does not fit its settings: %v", err)
		}
	}
	return &s.Stand, nil
}

// notTheSame is the fault of a fit of other rows, or with other settings.
func (e *Elsewhere) notTheSame(p *result.Progress, now result.Fit) error {
	f := framework.Faultf(framework.Data, "not-resumable", "the fit that was interrupted is another one").At("resume").
		WithHint("give the settings that it had, or leave out %s: %s makes the fit anew", framework.Setting("resume"),
			framework.SettingTo("replace", ""))
	var was, is map[string]settings.Given
	if json.Unmarshal([]byte(p.Params), &was) == nil && json.Unmarshal([]byte(now.Params), &is) == nil {
		f.Details = differences(was, is)
	}
	if p.Source != now.Source {
		f.Details = append(f.Details, "the relation was "+p.Source+", and is "+now.Source)
	} else if p.Fingerprint != e.fingerprint {
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
