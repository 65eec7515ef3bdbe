package flags

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// ownFlags are the flags of fit that are not parameters.
var ownFlags = sync.OnceValue(func() *pflag.FlagSet {
	f, s := pflag.NewFlagSet("fit", pflag.ContinueOnError), &Values{}
	s.AddGlobal(f)
	s.AddReading(f)
	s.AddEngine(f)
	s.addFitting(f)
	s.AddWriting(f, "")
	s.AddRunning(f)
	f.Bool("help", false, "")
	return f
})

// Clashes reports whether a parameter has the name of another flag of fit, so
// that it has none of its own, and is given by --param alone.
func Clashes(p framework.Param) bool { return ownFlags().Lookup(Name(p)) != nil }

// Name is the name of a parameter's flag.
func Name(p framework.Param) string { return flagOf(p.Name) }

// Given says how a parameter is given.
func Given(p framework.Param) string {
	if Clashes(p) {
		return "--param " + p.Name + "=VALUE"
	}
	return Text(p.Name, "")
}

// addParams adds the flags of parameters. Algorithms whose parameters have the
// same name share its flag.
func (v *Values) addParams(f *pflag.FlagSet) {
	l := v.Library()
	for _, a := range l.Algorithms {
		for _, p := range a.Params {
			if f.Lookup(Name(p)) != nil || Clashes(p) {
				continue
			}
			usage := p.Doc
			if p.Default != "" {
				usage += fmt.Sprintf(" (default %s)", p.Default)
			}
			f.String(Name(p), "", fmt.Sprintf("%s [%s]", usage, strings.Join(l.Having(p.Name), ", ")))
			In(f, GroupParams, Name(p))
		}
	}
}

// params returns the parameters of the algorithm, from their flags and from --param.
// That of vary is left out where a configuration has it.
func (v *Values) params(flags *pflag.FlagSet, vary string) (map[string]settings.Given, error) {
	l := v.Library()
	alg, err := l.Find(v.Algorithm)
	if err != nil {
		return nil, err
	}
	all := map[string]settings.Given{}
	for _, other := range l.Algorithms {
		for _, p := range other.Params {
			f := flags.Lookup(Name(p))
			if f == nil || Clashes(p) || v.IsDefault(p.Name) {
				continue
			}
			origin := v.Origins[p.Name]
			if _, ours := alg.Param(p.Name); !ours && origin != byFlag {
				continue // configuration may speak of other algorithms
			}
			all[p.Name] = settings.Given{Value: f.Value.String(), Origin: origin}
		}
	}
	if err := v.listedParams(alg.Description, all); err != nil {
		return nil, err
	}
	if g, ok := all[vary]; ok && g.Origin != byFlag {
		delete(all, vary)
	}
	return all, nil
}

// SayParam names --param in a fault about a parameter that has no flag.
func (v *Values) SayParam(err error) error {
	f := framework.AsFault(err)
	alg, unknown := v.Library().Find(v.Algorithm)
	if f == nil || unknown != nil {
		return err
	}
	d := alg.Description
	if f.Code == "unknown-parameter" {
		if name := framework.Say(f.Where, nil); name != "" && v.Origins[name] != byFlag {
			f.Where = framework.SettingTo("param", name)
		}
		f.Hint = cmp.Or(f.Hint, "sqlcluster plugin describe "+d.Name+" lists its parameters")
	}
	if f.Code == "parameter-missing" && strings.Contains(f.Hint, framework.SettingTo(d.Path, "VALUE")) {
		f.Hint += "; sqlcluster path ... -a " + d.Name + " tries several"
	}
	return f.Render(func(setting, value string) string {
		if p, ok := d.Param(setting); ok && Clashes(p) {
			return framework.SettingTo("param", strings.TrimSuffix(setting+"="+value, "="))
		}
		return framework.SettingTo(setting, value)
	})
}

// listedParams adds the values of --param. Where a parameter has a value of its
// flag too, the one from the stronger place wins.
func (v *Values) listedParams(d framework.Description, all map[string]settings.Given) error {
	from := v.Origins["param"]
	listed := map[string]bool{}
	for _, text := range v.Listed {
		name, value, ok := strings.Cut(text, "=")
		name = Setting(strings.TrimSpace(name))
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
		if _, ours := d.Param(name); !ours && from != byFlag && len(v.Library().Having(name)) > 0 {
			continue // configuration may speak of other algorithms
		}
		all[name] = settings.Given{Value: strings.TrimSpace(value), Origin: from}
	}
	return nil
}
