package cli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

// flagText is a setting as the command line has it: -k 3, --nulls drop.
func flagText(setting, value string) string {
	text := "--" + strings.ReplaceAll(setting, "_", "-")
	switch {
	case len(setting) == 1:
		text = "-" + setting
	case value == "":
		return text
	case setting == "algorithm":
		text = "-a"
	}
	if value == "" {
		return text
	}
	return text + " " + shellWord(value)
}

// hints are what the command adds to a fault without a hint, by its code.
var hints = map[string]string{
	"unknown-algorithm": "sqlcluster plugin list shows the algorithms",
}

// ableAlgorithms names, by the code of a fault, built-in algorithms that do what
// its hint asks for.
var ableAlgorithms = map[string]string{
	"selected-twice":          ", such as kmeans or skfr",
	"set-needs-equal-weights": ", such as kmeans, skfr or pckm",
}

// flagPlace is the place of a fault that is a flag, with what follows it.
var flagPlace = regexp.MustCompile(`^(--?)([\pL\pN][\pL\pN-]*)(.*)$`)

// placed returns a fault whose place is where the value of a flag came from: the
// flag, if it was on the command line, or else a variable or a file.
func (a *app) placed(f *framework.Fault) *framework.Fault {
	m := flagPlace.FindStringSubmatch(f.Where)
	if m == nil {
		return f
	}
	name, rest := m[2], m[3]
	origin := a.origins[name]
	if origin == "default" && a.listed(name) {
		name, rest, origin = "param", " "+strings.ReplaceAll(name, "-", "_")+rest, a.origins["param"]
	}
	moved := *f
	switch {
	case origin == "", origin == "default":
		return f
	case origin == "flag":
		moved.Where = m[1] + name + rest
	case strings.HasPrefix(origin, "SQLCLUSTER_"):
		moved.Where = origin + rest
	case strings.HasPrefix(rest, ","):
		moved.Where = strings.ReplaceAll(name, "-", "_") + rest + ", in " + origin
	default:
		moved.Where = strings.ReplaceAll(name, "-", "_") + rest + " in " + origin
	}
	return &moved
}

// listed reports whether --param has a value for the parameter of a flag.
func (a *app) listed(flag string) bool {
	return slices.ContainsFunc(a.settings.params, func(text string) bool {
		name, _, _ := strings.Cut(text, "=")
		return strings.ReplaceAll(strings.TrimSpace(name), "_", "-") == flag
	})
}
