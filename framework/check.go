package framework

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

// reserved are the settings of the driver and of the recipe. No parameter may have
// one of these names: they mean the same for every algorithm.
var reserved = []string{
	"algorithm", "k", "seed", "start", "init", "init_space", "restarts", "max_iter", "tol", "empty", "trim", "batch", "threads",
	"norm", "scale", "center", "center_rows", "constraints", "param", "long", "repeated",
}

var (
	algorithmName = regexp.MustCompile(`^[a-z][a-z0-9]*([-_][a-z0-9]+)*$`)
	paramName     = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

	scales  = []string{"sd", "sd_n", "robust", "none", "raw"}
	centers = []string{"", "mean", "median", "none"}
)

// Check returns everything that is wrong with a description, or nil. It is for the
// author of an algorithm: a program that serves one, or has one built in, does not
// start if its description is wrong.
func (d Description) Check() error {
	c := checker{place: fmt.Sprintf("algorithm %q: ", d.Name)}
	if !algorithmName.MatchString(d.Name) {
		c.add("the name must be a word in lower case")
	}
	if strings.Contains(d.Summary, "\n") {
		c.add("the summary must be one line")
	}
	if !slices.Contains([]EmptyPolicy{Reseed, Origin, Fail}, d.Empty) {
		c.add("Empty is %q; it must be reseed, origin or fail", d.Empty)
	}
	if !slices.Contains(scales, d.Scale) {
		c.add("Scale is %q; it must be one of %s", d.Scale, strings.Join(scales, ", "))
	}
	c.center(d.Center)
	switch {
	case d.Norm != "" && d.Norm != "l2":
		c.add("Norm is %q; it must be l2 or empty", d.Norm)
	case d.Norm != "" && (d.Scale != "raw" || d.Categorical):
		c.add("Norm is %s, with which Scale must be raw, and columns of categories have no length", d.Norm)
	}
	for _, term := range d.ObjectiveTerms {
		if strings.TrimSpace(term) == "" || strings.ContainsAny(term, "\r\n") {
			c.add("ObjectiveTerms has %q; a term is named in one line", term)
		}
	}
	if d.Trims && len(d.ObjectiveTerms) > 0 {
		c.add("Trims needs an objective of distances alone, without ObjectiveTerms")
	}
	seen := map[string]bool{}
	for _, p := range d.Params {
		c.place = fmt.Sprintf("algorithm %q, parameter %q: ", d.Name, p.Name)
		if seen[p.Name] {
			c.add("there are two of this name")
		}
		seen[p.Name] = true
		c.param(p)
	}
	if d.Path != "" {
		c.place = fmt.Sprintf("algorithm %q, Path: ", d.Name)
		if p, ok := d.Param(d.Path); !ok || p.Type != IntParam && p.Type != RealParam || p.Min == nil {
			c.add("%q must be a parameter that is a number with a smallest value", d.Path)
		}
	}
	switch {
	case d.Looser != "" && d.Looser != Up && d.Looser != Down:
		c.add("Looser is %q; it must be up, down or empty", d.Looser)
	case d.Looser != "" && d.Path == "":
		c.add("Looser is %q, but Path names no parameter", d.Looser)
	}
	c.values(d, "Predict", d.Predict)
	c.values(d, "Dense", d.Dense)
	return errors.Join(c.wrong...)
}

// values checks values of parameters, which a field of the description has.
func (c *checker) values(d Description, field string, values map[string]string) {
	c.place = fmt.Sprintf("algorithm %q, %s: ", d.Name, field)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		p, ok := d.Param(name)
		if !ok {
			c.add("there is no parameter %q", name)
		} else if _, err := p.Parse(values[name]); err != nil {
			c.add("%v", err)
		}
	}
}

// A checker gathers what is wrong.
type checker struct {
	place string
	wrong []error
}

func (c *checker) add(format string, args ...any) {
	c.wrong = append(c.wrong, errors.New(c.place+fmt.Sprintf(format, args...)))
}

func (c *checker) center(center string) {
	if !slices.Contains(centers, center) {
		c.add("Center is %q; it must be mean, median or none", center)
	}
}

func (c *checker) param(p Param) {
	if !paramName.MatchString(p.Name) {
		c.add("the name must be words in lower case, with _ between them")
	}
	if slices.Contains(reserved, p.Name) {
		c.add("the name is that of a setting of sqlcluster")
	}
	if strings.Contains(p.Doc, "\n") {
		c.add("Doc must be one line")
	}
	switch p.Type {
	case ChoiceParam:
		c.choices(p.Choices)
	case IntParam, RealParam, BoolParam, TextParam:
		if p.Choices != nil {
			c.add("only a choice has Choices")
		}
	default:
		c.add("there is no type %q", p.Type)
		return
	}
	c.bounds(p)
	if p.Required && p.Default != "" {
		c.add("a required parameter has no default")
	}
	if p.Default != "" {
		if _, err := p.Parse(p.Default); err != nil {
			c.add("default: %v", err)
		}
	}
	for _, value := range slices.Sorted(maps.Keys(p.Center)) {
		c.center(p.Center[value])
		if p.Type != ChoiceParam && p.Type != BoolParam {
			c.add("only a choice or a boolean has Center")
		} else if v, err := p.Parse(value); err != nil {
			c.add("Center: %v", err)
		} else if fmt.Sprint(v) != value {
			c.add("Center: %q must be written %v", value, v)
		}
	}
}

func (c *checker) choices(all []string) {
	if len(all) == 0 {
		c.add("a choice needs Choices")
	}
	for i, choice := range all {
		if choice == "" || slices.Contains(all[:i], choice) {
			c.add("the choice %q is empty or there twice", choice)
		}
	}
}

func (c *checker) bounds(p Param) {
	for _, bound := range []*float64{p.Min, p.Max} {
		switch {
		case bound == nil:
		case p.Type != IntParam && p.Type != RealParam:
			c.add("only a number has Min and Max")
			return
		case math.IsNaN(*bound) || math.IsInf(*bound, 0):
			c.add("the bound %v is not a finite number; nil stands for none", *bound)
			return
		}
	}
	if p.Min != nil && p.Max != nil && *p.Min > *p.Max {
		c.add("Min is above Max, so no value is allowed")
	}
}
