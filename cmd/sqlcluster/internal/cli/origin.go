package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

// said returns a fault with settings as this run of the command was given them,
// and with the built-in algorithms that its hint asks for.
func (a *app) said(f *framework.Fault) *framework.Fault {
	g := f.Render(flagText)
	g.Where = framework.Say(f.Where, a.place)
	g.Hint = cmp.Or(g.Hint, hints[f.Code]) + ableAlgorithms[f.Code]
	return g
}

// hints are what the command adds to a fault without a hint, by its code.
var hints = map[string]string{"unknown-algorithm": "sqlcluster plugin list shows the algorithms"}

// ableAlgorithms names, by the code of a fault, built-in algorithms that do what
// its hint asks for.
var ableAlgorithms = map[string]string{
	"selected-twice":          ", such as kmeans or skfr",
	"set-needs-equal-weights": ", such as kmeans, skfr or pckm",
}

// flagText is a setting as the command line has it: -k 3, --nulls drop, RELATION.
func flagText(setting, value string) string {
	text := "--" + flagOfSetting(setting)
	switch {
	case setting == "relation" || setting == "run":
		text = strings.ToUpper(setting)
	case len(setting) == 1:
		text = "-" + setting
	case setting == "algorithm" && value != "":
		text = "-a"
	}
	if value == "" {
		return text
	}
	return text + " " + framework.ShellWord(value)
}

func flagOfSetting(name string) string { return strings.ReplaceAll(name, "_", "-") }

// place is where the value of a setting came from: the flag, if it was on the
// command line, or else a variable or a file.
func (a *app) place(setting, value string) string {
	origin := a.origins[flagOfSetting(setting)]
	if origin == "default" && a.listed(setting) {
		setting, value, origin = "param", setting, a.origins["param"]
	}
	switch {
	case origin == "", origin == "default", origin == "flag":
		return flagText(setting, value)
	case strings.HasPrefix(origin, "SQLCLUSTER_"):
		return strings.TrimSuffix(origin+" "+value, " ")
	}
	return strings.TrimSuffix(setting+" "+value, " ") + " in " + origin
}

// listed reports whether --param has a value for a parameter.
func (a *app) listed(parameter string) bool {
	return slices.ContainsFunc(a.settings.params, func(text string) bool {
		name, _, _ := strings.Cut(text, "=")
		return configName(strings.TrimSpace(name)) == parameter
	})
}
