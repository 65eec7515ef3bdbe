package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A given is a value with the place that it came from.
type given struct {
	Value  any    `json:"value"`
	Origin string `json:"origin"`
}

// ownFlags are the flags of fit that are not parameters.
var ownFlags = sync.OnceValue(func() *pflag.FlagSet {
	f, s := pflag.NewFlagSet("fit", pflag.ContinueOnError), &settings{}
	s.addGlobal(f)
	s.addReading(f)
	s.addFitting(f)
	s.addWriting(f, "")
	s.addRunning(f)
	f.Bool("help", false, "")
	return f
})

// clashes reports whether a parameter has the name of another flag of fit, so
// that it has none of its own, and is given by --param alone.
func clashes(p framework.Param) bool { return ownFlags().Lookup(flagName(p)) != nil }

func flagName(p framework.Param) string { return flagOfSetting(p.Name) }

// flagOf says how a parameter is given.
func flagOf(p framework.Param) string {
	if clashes(p) {
		return "--param " + p.Name + "=VALUE"
	}
	return flagText(p.Name, "")
}

// addParams adds the flags of parameters. Algorithms whose parameters have the
// same name share its flag.
func addParams(f *pflag.FlagSet) {
	eachAlgorithm(func(_ string, d framework.Description) {
		for _, p := range d.Params {
			if f.Lookup(flagName(p)) == nil && !clashes(p) {
				f.String(flagName(p), "", paramUsage(p))
				in(f, groupParams, flagName(p))
			}
		}
	})
}

// paramUsage is the help of a parameter's flag.
func paramUsage(p framework.Param) string {
	usage := p.Doc
	if p.Default != "" {
		usage += fmt.Sprintf(" (default %s)", p.Default)
	}
	return fmt.Sprintf("%s [%s]", usage, joined(having(p.Name)))
}

// algorithmParams resolves the parameters of the algorithm from its flags and
// from --param.
func (a *app) algorithmParams(flags *pflag.FlagSet, d framework.Description) (framework.Params, map[string]given, error) {
	texts, origins := map[string]string{}, map[string]string{}
	eachAlgorithm(func(_ string, other framework.Description) {
		for _, p := range other.Params {
			f := flags.Lookup(flagName(p))
			if f == nil || clashes(p) {
				continue
			}
			origin := a.origins[f.Name]
			if origin == "default" {
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
	if a.varied != "" {
		if err := placeholder(d, a.varied, a.variedBy, texts, origins); err != nil {
			return nil, nil, sayParam(err, d)
		}
	}
	values, err := d.Resolve(texts)
	if err != nil {
		return nil, nil, sayParam(a.ofOthers(err, d, texts), d)
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

// ofOthers adds to the fault of a parameter that an algorithm does not have the
// algorithms that have it.
func (a *app) ofOthers(err error, d framework.Description, texts map[string]string) error {
	f := framework.AsFault(err)
	if f == nil || f.Code != "unknown-parameter" {
		return err
	}
	f.Hint = "sqlcluster plugin describe " + d.Name + " lists its parameters"
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if _, ours := d.Param(name); ours {
			continue
		}
		if of := having(name); len(of) > 0 {
			f.Similar, f.Where = "", framework.SettingTo("param", name)
			if a.origins[flagOfSetting(name)] == "flag" {
				f.Where = framework.Setting(name)
			}
			f.Hint = "it is a parameter of " + joined(of) + ": use -a " + strings.Join(of, " or -a ")
		}
		return f // the first of them is the one that it is about
	}
	return f
}

// having returns the algorithms that have a parameter of that name.
func having(name string) (names []string) {
	eachAlgorithm(func(_ string, d framework.Description) {
		if _, ok := d.Param(name); ok {
			names = append(names, d.Name)
		}
	})
	return names
}

// placeholder gives the parameter that a command varies its smallest value, as
// long as no other is asked for.
func placeholder(d framework.Description, name, by string, texts, origins map[string]string) error {
	p, _ := d.Param(name)
	if origins[name] == "flag" {
		return framework.Faultf(framework.Usage, "bad-flag", "%s tries many values of %s, and does not take a single one", map[string]string{"path": "a path", "tune": "tune"}[by], name).
			At(p.Name).WithHint("--grid %s=%s,... gives the values", name, texts[name])
	}
	texts[name], origins[name] = number(*p.Min), by
	return nil
}

// sayParam names --param in a fault about a parameter that has no flag.
func sayParam(err error, d framework.Description) error {
	f := framework.AsFault(err)
	if f == nil {
		return err
	}
	if f.Code == "parameter-missing" && strings.Contains(f.Hint, framework.SettingTo(d.Path, "VALUE")) {
		f.Hint += "; sqlcluster path ... -a " + d.Name + " tries several"
	}
	return f.Render(func(setting, value string) string {
		if p, ok := d.Param(setting); ok && clashes(p) {
			return framework.SettingTo("param", strings.TrimSuffix(setting+"="+value, "="))
		}
		return framework.SettingTo(setting, value)
	})
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
			return framework.Faultf(framework.Usage, "bad-flag", "--param %q is not of the form name=value", text).At("param")
		}
		_, given := texts[name]
		if listed[name] || given && rank(origins[name]) == rank(from) {
			return framework.Faultf(framework.Usage, "bad-flag", "the parameter %s is given twice", name).At("param")
		}
		listed[name] = true
		if given && rank(origins[name]) > rank(from) {
			continue
		}
		if _, ours := d.Param(name); !ours && from != "flag" && len(having(name)) > 0 {
			continue // configuration may speak of other algorithms
		}
		texts[name], origins[name] = strings.TrimSpace(value), from
	}
	return nil
}

// paramsJSON is what the fit table records: the parameters of the algorithm and
// every flag that can change a result, a parameter of the name of such a flag
// with "param." before it. Where a value stands (a file's path, say)
// matters less than what kind of place that is.
func (a *app) paramsJSON(of map[string]given, more map[string]given) (string, error) {
	all := map[string]given{}
	maps.Copy(all, more)
	for name, g := range of {
		if _, taken := all[name]; taken {
			name = "param." + name
		}
		all[name] = g
	}
	text, err := json.Marshal(all)
	return string(text), err
}

// paramRows lists recorded parameters by name.
func paramRows(text string) ([][]any, error) {
	var all map[string]given
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // a seed has more digits than a float64
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("recorded parameters: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("recorded parameters: trailing text")
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
