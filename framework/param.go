package framework

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A ParamType is the type of a parameter's value.
type ParamType string

// The parameter types and the Go types of their values.
const (
	IntParam    ParamType = "integer" // int
	RealParam   ParamType = "real"    // float64
	ChoiceParam ParamType = "choice"  // string, one of Choices
	BoolParam   ParamType = "boolean" // bool
	TextParam   ParamType = "text"    // string
)

// A Param declares one parameter. Without Default and Required it is optional,
// and Params.Given tells whether it has a value.
type Param struct {
	Name     string // snake_case
	Type     ParamType
	Required bool     // must be given; it has no Default
	Default  string   // as text; empty: none
	Min, Max *float64 // inclusive bounds of a number; nil: none
	Choices  []string // of a ChoiceParam
	Doc      string   // one line

	// Center says which location of columns goes with a value, by the value's
	// text: {"l1": "median"}. See Description.CenterFor.
	Center map[string]string
}

// Params holds the values of an algorithm's parameters by name: of all but the
// optional ones that were not given.
type Params map[string]any

// Given reports whether the named parameter has a value.
func (p Params) Given(name string) bool { _, ok := p[name]; return ok }

// Int returns the value of an integer parameter; it panics if there is none.
func (p Params) Int(name string) int { return p[name].(int) }

// Real returns the value of a real parameter; it panics if there is none.
func (p Params) Real(name string) float64 { return p[name].(float64) }

// Text returns the value of a choice or text parameter; it panics if there is
// none.
func (p Params) Text(name string) string { return p[name].(string) }

// Bool returns the value of a boolean parameter; it panics if there is none.
func (p Params) Bool(name string) bool { return p[name].(bool) }

// Names returns the names in sorted order.
func (p Params) Names() []string {
	names := slices.AppendSeq(make([]string, 0, len(p)), maps.Keys(p))
	slices.Sort(names)
	return names
}

// Values says which values the parameter takes: "at least 1", "global, local".
// It is empty where the type says it all.
func (p Param) Values() string {
	switch {
	case p.Type == ChoiceParam:
		return strings.Join(p.Choices, ", ")
	case p.Type == BoolParam:
		return "true, false"
	case p.Min != nil && p.Max != nil:
		return fmt.Sprintf("between %g and %g", *p.Min, *p.Max)
	case p.Min != nil:
		return fmt.Sprintf("at least %g", *p.Min)
	case p.Max != nil:
		return fmt.Sprintf("at most %g", *p.Max)
	}
	return ""
}

// Parse returns the value that text stands for, or a Fault.
func (p Param) Parse(text string) (any, error) {
	bad := func(want string) error {
		return Faultf(Usage, "bad-parameter", "%s is %q; it must be %s", p.Name, text, want).At(p.Name)
	}
	switch p.Type {
	case IntParam:
		v, err := strconv.Atoi(text)
		if err != nil {
			return nil, bad("a whole number")
		}
		if !p.inRange(float64(v)) {
			return nil, bad(p.Values())
		}
		return v, nil
	case RealParam:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, bad("a number")
		}
		if !p.inRange(v) {
			return nil, bad(p.Values())
		}
		return v, nil
	case BoolParam:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return nil, bad("true or false")
		}
		return v, nil
	case TextParam:
		return text, nil
	}
	for _, c := range p.Choices {
		if c == text {
			return text, nil
		}
	}
	return nil, bad("one of " + p.Values())
}

func (p Param) inRange(v float64) bool {
	return (p.Min == nil || v >= *p.Min) && (p.Max == nil || v <= *p.Max)
}
