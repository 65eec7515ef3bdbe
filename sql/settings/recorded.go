package settings

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/library"
)

// Record is what the fit table records: the parameters of the algorithm and every
// setting that can change a result, a parameter of the name of such a setting with
// "param." before it. Where a value stands (a file's path, say) matters less than
// what kind of place that is.
//
// params are all parameters of the algorithm, and also is what else decides the result.
func (s *Settings) Record(params map[string]Given, also map[string]any) (string, error) {
	values := map[string]any{"k": s.K, "scale": s.Scale, "center": s.Center, "seed": s.Seed, "restarts": s.Restarts, "max-iter": s.MaxIter,
		"tol": s.Tol, "init": s.Init, "init-space": s.InitSpace, "empty": s.Empty, "start": s.Start, "id": s.ID, "features": s.Features,
		"exclude": s.Exclude, "categorical": s.Categorical, "null-category": s.NullCategory, "groups": s.Groups, "pairs": s.Pairs,
		"weight": s.Weight, "nulls": s.Nulls, "order": s.Order, "algorithm": s.Algorithm}
	if s.Constraints != "" {
		values["constraints"] = s.Constraints
	}
	if s.Labels != "" {
		values["labels"], values["labels-as"] = s.Labels, s.LabelsAs
	}
	if s.IgnoreText {
		values["ignore-text"] = true
	}
	if s.Ks != "" {
		values["k"] = s.Ks
	}
	if s.Trim != 0 {
		values["trim"] = s.Trim
	}
	if s.Norm != "" && s.Norm != "none" {
		values["norm"] = s.Norm
	}
	if s.Batch != 0 {
		values["batch"] = s.Batch
	}
	s.recordLong(values)
	if s.CenterRows != "" && s.CenterRows != AutoCenters {
		values["center-rows"] = s.CenterRows
	}
	for _, r := range s.Beside() {
		if s.Passing && *r.Relation != "" {
			values[r.Setting] = Passing
		}
	}
	maps.Copy(values, also)
	all := map[string]Given{}
	for name, v := range values {
		all[name] = Given{v, s.Origin(name)}
	}
	for name, g := range params {
		if _, taken := all[name]; taken {
			name = "param." + name
		}
		all[name] = g
	}
	text, err := json.Marshal(all)
	return string(text), err
}

// recordedValues are the settings that a fit records, as JSON has them.
type recordedValues struct {
	K, Restarts, Batch                                                 int
	MaxIter                                                            int `json:"max-iter"`
	Seed                                                               uint64
	Tol, Trim                                                          float64
	Norm, Scale, Center, Init, Empty, Start, ID, Groups, Pairs, Weight string
	Nulls, Order, Algorithm, Constraints, Labels                       string
	LabelsAs                                                           string `json:"labels-as"`
	InitSpace                                                          string `json:"init-space"`
	CenterRows                                                         string `json:"center-rows"`
	NullCategory                                                       string `json:"null-category"`
	Features, Exclude, Categorical                                     []string
	IgnoreText                                                         bool `json:"ignore-text"`
	Long                                                               []string
	Repeated                                                           string
	MinRows                                                            int     `json:"min-rows"`
	MaxShare                                                           float64 `json:"max-share"`
}

// Recorded returns the settings that a fit has recorded: the text of the column params
// of NAME_fit. also has what else is recorded, of a fit that a tuning has chosen.
func Recorded(params, relation string, l library.Library) (s Settings, also map[string]any, err error) {
	var all map[string]Given
	if err := json.Unmarshal([]byte(params), &all); err != nil {
		return s, nil, err
	}
	s = Defaults()
	values := map[string]any{}
	for name, g := range all {
		values[name] = g.Value
	}
	text, err := json.Marshal(values)
	if err != nil {
		return s, nil, err
	}
	v := recordedValues{}
	if err := json.Unmarshal(text, &v); err != nil {
		return s, nil, err
	}
	s.Relation, s.K, s.Restarts, s.MaxIter, s.Seed, s.Tol, s.Trim = relation, v.K, v.Restarts, v.MaxIter, v.Seed, v.Tol, v.Trim
	s.Batch, s.Norm = v.Batch, v.Norm
	if v.CenterRows != "" {
		s.CenterRows = v.CenterRows
	}
	s.Scale, s.Center, s.Init, s.InitSpace, s.Empty, s.Start = v.Scale, v.Center, v.Init, v.InitSpace, v.Empty, v.Start
	s.ID, s.Groups, s.Pairs, s.Weight, s.Nulls, s.Order, s.Algorithm = v.ID, v.Groups, v.Pairs, v.Weight, v.Nulls, v.Order, v.Algorithm
	s.Constraints, s.NullCategory, s.IgnoreText = v.Constraints, v.NullCategory, v.IgnoreText
	s.Features, s.Exclude, s.Categorical = v.Features, v.Exclude, v.Categorical
	if s.Labels = v.Labels; v.LabelsAs != "" {
		s.LabelsAs = v.LabelsAs
	}
	if len(v.Long) > 0 {
		s.Long, s.Repeated, s.MinRows, s.MaxShare = v.Long, v.Repeated, v.MinRows, v.MaxShare
	}
	a, err := l.Find(s.Algorithm)
	if err != nil {
		return s, nil, err
	}
	s.Origins, s.Params, also = map[string]string{}, map[string]Given{}, map[string]any{}
	for name, g := range all {
		of, prefixed := strings.CutPrefix(name, "param.")
		if _, is := a.Param(of); is && (prefixed || !isSetting(name)) {
			if g.Origin != ByDefault {
				s.Params[of] = Given{fmt.Sprint(g.Value), g.Origin}
			}
			continue
		}
		if !isSetting(name) {
			also[name] = g.Value
		}
		if g.Origin != ByDefault {
			s.Origins[strings.ReplaceAll(name, "-", "_")] = g.Origin
		}
	}
	return s, also, nil
}

// isSetting reports whether a name is recorded as a setting of all fits.
func isSetting(name string) bool {
	text, err := json.Marshal(recordedValues{})
	var all map[string]any
	if err != nil || json.Unmarshal(text, &all) != nil {
		return false
	}
	for setting := range all {
		if strings.EqualFold(setting, name) {
			return true
		}
	}
	return false
}
