package cli

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A given is a value with the place that it came from.
type given struct {
	Value  any    `json:"value"`
	Origin string `json:"origin"`
}

// algorithmParams resolves the parameters of the algorithm from its flags and
// from --param.
func (a *app) algorithmParams(flags *pflag.FlagSet, d framework.Description) (framework.Params, map[string]given, error) {
	texts, origins := map[string]string{}, map[string]string{}
	eachAlgorithm(func(_ string, other framework.Description) {
		for _, p := range other.Params {
			name := strings.TrimPrefix(p.Flag(), "--")
			f := flags.Lookup(name)
			origin := a.origins[name]
			if f == nil || origin == "default" {
				continue
			}
			if _, ours := d.Param(p.Name); !ours && origin != "flag" {
				continue // configuration may speak of other algorithms
			}
			texts[p.Name], origins[p.Name] = f.Value.String(), origin
		}
	})
	if err := a.listedParams(d, texts, origins); err != nil {
		return nil, nil, err
	}
	values, err := d.Resolve(texts)
	if err != nil {
		return nil, nil, err
	}
	all := map[string]given{}
	for name, v := range values {
		origin := origins[name]
		if origin == "" {
			origin = "default"
		}
		all[name] = given{v, origin}
	}
	return values, all, nil
}

// listedParams adds the values of --param. Where a parameter has a value of its
// flag too, the one from the stronger place wins.
func (a *app) listedParams(d framework.Description, texts, origins map[string]string) error {
	from := a.origins["param"]
	listed := map[string]bool{}
	for _, text := range a.settings.params {
		name, value, ok := strings.Cut(text, "=")
		name = strings.ReplaceAll(strings.TrimSpace(name), "-", "_")
		if !ok || name == "" {
			return framework.Faultf(framework.Usage, "bad-flag", "--param %q is not of the form name=value", text).WithWhere("--param")
		}
		_, given := texts[name]
		if listed[name] || given && rank(origins[name]) == rank(from) {
			return framework.Faultf(framework.Usage, "bad-flag", "the parameter %s is given twice", name).WithWhere("--param")
		}
		listed[name] = true
		if given && rank(origins[name]) > rank(from) {
			continue
		}
		if _, ours := d.Param(name); !ours && from != "flag" && anyHas(name) {
			continue // configuration may speak of other algorithms
		}
		texts[name], origins[name] = strings.TrimSpace(value), from
	}
	return nil
}

// anyHas reports whether any algorithm has the named parameter.
func anyHas(name string) bool {
	has := false
	eachAlgorithm(func(_ string, d framework.Description) {
		_, ok := d.Param(name)
		has = has || ok
	})
	return has
}

// paramsJSON is what the fit table records: the parameters of the algorithm and
// every flag that can change a result. Where a value stands (a file's path, say)
// matters less than what kind of place that is.
func (a *app) paramsJSON(of map[string]given, more map[string]given) (string, error) {
	all := map[string]given{}
	for name, g := range of {
		all[name] = g
	}
	for name, g := range more {
		all[name] = g
	}
	text, err := json.Marshal(all)
	return string(text), err
}

// paramRows lists recorded parameters by name.
func paramRows(text string) ([][]any, error) {
	var all map[string]given
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, fmt.Errorf("recorded parameters: %w", err)
	}
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	sort.Strings(names)
	var rows [][]any
	for _, name := range names {
		rows = append(rows, []any{name, paramText(all[name].Value), all[name].Origin})
	}
	return rows, nil
}

// paramText writes a recorded value as its flag takes it.
func paramText(v any) any {
	if v == nil || v == "" {
		return nil
	}
	return configText(v)
}
