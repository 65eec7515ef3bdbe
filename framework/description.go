package framework

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

// A Description is what an algorithm says of itself. Flags, help, completion
// and checks are made from it.
type Description struct {
	Name    string // lower case: "skfr"
	Version string
	Summary string // one line
	Paper   string // authors, year, link
	Params  []Param

	Missing bool // rows may have missing cells
	Empty   EmptyPolicy
	Scale   string // the recipe's default scaling: "sd", …
}

// An EmptyPolicy says what happens to a cluster that loses all its rows.
type EmptyPolicy string

// The policies. See package fit.
const (
	Reseed EmptyPolicy = "reseed" // it gets the row farthest from its center
	Origin EmptyPolicy = "origin" // its center goes to the origin, and may win rows back
	Fail   EmptyPolicy = "fail"   // the run ends with a Fault
)

// A ParamType is the type of a parameter's value.
type ParamType string

// The parameter types and the Go types of their values.
const (
	IntParam    ParamType = "integer" // int
	RealParam   ParamType = "real"    // float64
	ChoiceParam ParamType = "choice"  // string, one of Choices
	BoolParam   ParamType = "boolean" // bool
)

// A Param declares one parameter.
type Param struct {
	Name     string // snake_case; the flag has dashes instead
	Type     ParamType
	Default  string // as text; empty: the parameter is required
	Min, Max float64
	Choices  []string
	Doc      string // one line
}

// Params holds the values of an algorithm's parameters by name.
type Params map[string]any

// Int returns the value of an integer parameter; it panics if there is none.
func (p Params) Int(name string) int { return p[name].(int) }

// Real returns the value of a real parameter; it panics if there is none.
func (p Params) Real(name string) float64 { return p[name].(float64) }

// Text returns the value of a choice parameter; it panics if there is none.
func (p Params) Text(name string) string { return p[name].(string) }

// Bool returns the value of a boolean parameter; it panics if there is none.
func (p Params) Bool(name string) bool { return p[name].(bool) }

// Names returns the names in sorted order.
func (p Params) Names() []string {
	names := make([]string, 0, len(p))
	for name := range p {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Param returns the declaration of the named parameter.
func (d Description) Param(name string) (Param, bool) {
	for _, p := range d.Params {
		if p.Name == name {
			return p, true
		}
	}
	return Param{}, false
}

// Resolve parses given (name → text), checks it against the declarations and
// fills in the defaults. Unknown names, bad values and missing required
// parameters are Faults.
func (d Description) Resolve(given map[string]string) (Params, error) {
	for _, name := range sortedKeys(given) {
		if _, ok := d.Param(name); !ok {
			known := make([]string, len(d.Params))
			for i, p := range d.Params {
				known[i] = p.Name
			}
			f := Faultf(Data, "unknown-parameter", "algorithm %s has no parameter %q", d.Name, name)
			f.Similar = Closest(name, known)
			f.Hint = fmt.Sprintf("sqlcluster plugin describe %s lists its parameters", d.Name)
			return nil, f
		}
	}
	values := make(Params, len(d.Params))
	for _, p := range d.Params {
		text, ok := given[p.Name]
		if !ok {
			if text = p.Default; text == "" {
				return nil, Faultf(Usage, "parameter-missing", "algorithm %s needs %s: %s", d.Name, p.Flag(), p.Doc).
					WithHint("give %s VALUE, or --param %s=VALUE", p.Flag(), p.Name)
			}
		}
		v, err := p.Parse(text)
		if err != nil {
			return nil, err
		}
		values[p.Name] = v
	}
	return values, nil
}

// Flag returns the command-line flag of the parameter.
func (p Param) Flag() string { return "--" + strings.ReplaceAll(p.Name, "_", "-") }

// Parse returns the value that text stands for, or a Fault.
func (p Param) Parse(text string) (any, error) {
	bad := func(want string) error {
		return Faultf(Data, "bad-parameter", "%s is %q; it must be %s", p.Name, text, want).WithWhere("%s", p.Flag())
	}
	switch p.Type {
	case IntParam:
		v, err := strconv.Atoi(text)
		if err != nil {
			return nil, bad("a whole number")
		}
		if !p.inRange(float64(v)) {
			return nil, bad(p.rangeText())
		}
		return v, nil
	case RealParam:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, bad("a number")
		}
		if !p.inRange(v) {
			return nil, bad(p.rangeText())
		}
		return v, nil
	case BoolParam:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return nil, bad("true or false")
		}
		return v, nil
	default:
		for _, c := range p.Choices {
			if c == text {
				return text, nil
			}
		}
		return nil, bad("one of " + strings.Join(p.Choices, ", "))
	}
}

// inRange reports whether v is within Min..Max; equal bounds mean no bound.
func (p Param) inRange(v float64) bool {
	return p.Min == p.Max || (v >= p.Min && v <= p.Max)
}

func (p Param) rangeText() string {
	if math.IsInf(p.Max, 1) || p.Max >= math.MaxInt32 {
		return fmt.Sprintf("at least %g", p.Min)
	}
	return fmt.Sprintf("between %g and %g", p.Min, p.Max)
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// Closest returns the candidate that is fewest edits away from name (case
// ignored), or "" when none is near enough to be what was meant.
func Closest(name string, candidates []string) string {
	best, bestDistance := "", len(name)/3+2
	for _, c := range candidates {
		if d := edits(strings.ToLower(name), strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// edits returns the Levenshtein distance of two texts, in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
