package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/job"
)

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

// paramsOf returns the parameters of the algorithm, from their flags and from
// --param. That of vary is left out where a configuration has it.
func (a *app) paramsOf(flags *pflag.FlagSet, vary string) (map[string]job.Given, error) {
	alg, err := a.library().Find(a.settings.Algorithm)
	if err != nil {
		return nil, err
	}
	all := map[string]job.Given{}
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
			if _, ours := alg.Param(p.Name); !ours && origin != "flag" {
				continue // configuration may speak of other algorithms
			}
			all[p.Name] = job.Given{Value: f.Value.String(), Origin: origin}
		}
	})
	if err := a.listedParams(alg.Description, all); err != nil {
		return nil, err
	}
	if g, ok := all[vary]; ok && g.Origin != "flag" {
		delete(all, vary)
	}
	return all, nil
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

// sayParam names --param in a fault about a parameter that has no flag.
func (a *app) sayParam(err error) error {
	f := framework.AsFault(err)
	alg, unknown := a.library().Find(a.settings.Algorithm)
	if f == nil || unknown != nil {
		return err
	}
	d := alg.Description
	if f.Code == "unknown-parameter" {
		if name := framework.Say(f.Where, nil); name != "" && a.origins[strings.ReplaceAll(name, "_", "-")] != "flag" {
			f.Where = framework.SettingTo("param", name)
		}
		f.Hint = cmp.Or(f.Hint, "sqlcluster plugin describe "+d.Name+" lists its parameters")
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
func (a *app) listedParams(d framework.Description, all map[string]job.Given) error {
	from := a.origins["param"]
	listed := map[string]bool{}
	for _, text := range a.settings.params {
		name, value, ok := strings.Cut(text, "=")
		name = strings.ReplaceAll(strings.TrimSpace(name), "-", "_")
		if !ok || name == "" {
			return framework.Faultf(framework.Usage, "bad-flag", "--param %q is not of the form name=value", text).At("param")
		}
		before, given := all[name]
		if listed[name] || given && rank(before.Origin) == rank(from) {
			return framework.Faultf(framework.Usage, "bad-flag", "the parameter %s is given twice", name).At("param")
		}
		listed[name] = true
		if given && rank(before.Origin) > rank(from) {
			continue
		}
		if _, ours := d.Param(name); !ours && from != "flag" && len(having(name)) > 0 {
			continue // configuration may speak of other algorithms
		}
		all[name] = job.Given{Value: strings.TrimSpace(value), Origin: from}
	}
	return nil
}

// paramRows lists recorded parameters by name.
func paramRows(text string) ([][]any, error) {
	var all map[string]job.Given
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
