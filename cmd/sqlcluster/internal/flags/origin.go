package flags

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Said returns a fault with settings as this run of the command was given them,
// and with the built-in algorithms that its hint asks for.
func (v *Values) Said(f *framework.Fault) *framework.Fault {
	g := f.Render(Text)
	g.Where = framework.Say(f.Where, v.place)
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

// Text is a setting as the command line has it: -k 3, --nulls drop, RELATION.
func Text(setting, value string) string {
	text := "--" + flagOf(setting)
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

// flagOf is the name of the flag of a setting.
func flagOf(name string) string { return strings.ReplaceAll(name, "_", "-") }

// place is where the value of a setting came from: the flag, if it was on the
// command line, or else a variable or a file.
func (v *Values) place(setting, value string) string {
	origin := v.Origins[setting]
	if origin == byDefault && v.listed(setting) {
		setting, value, origin = "param", setting, v.Origins["param"]
	}
	switch {
	case origin == "", origin == byDefault, origin == byFlag:
		return Text(setting, value)
	case strings.HasPrefix(origin, "SQLCLUSTER_"):
		return strings.TrimSuffix(origin+" "+value, " ")
	}
	return strings.TrimSuffix(setting+" "+value, " ") + " in " + origin
}

// listed reports whether --param has a value for a parameter.
func (v *Values) listed(parameter string) bool {
	return slices.ContainsFunc(v.Listed, func(text string) bool {
		name, _, _ := strings.Cut(text, "=")
		return Setting(strings.TrimSpace(name)) == parameter
	})
}

// Shown returns a flag as it is written: -k, --restarts.
func Shown(f *pflag.Flag) string {
	if f.Name == f.Shorthand {
		return "-" + f.Name
	}
	return "--" + f.Name
}

// Wanted says which values a flag takes.
func Wanted(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int":
		return "a whole number"
	case "uint64":
		return "a whole number from 0 to 18446744073709551615"
	case "clusters":
		return "a whole number, several of them, or auto"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	case "duration":
		return "a time such as 90s or 10m"
	}
	return "a " + f.Value.Type()
}
