package settings

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
)

// A Grid is the values of a parameter that are tried.
type Grid struct {
	Parameter framework.Param
	Values    []float64 // nil: those that the algorithm proposes
	Text      string    // as given
	Most      int       // how many values the algorithm may propose
}

// NewGrid reads A,B,..., FROM:TO or FROM:TO:NUMBER as values of the parameter of the algorithm
// that selects features, or of another one with NAME= before them. An empty text is
// a grid that the algorithm proposes.
func NewGrid(l library.Library, algorithm, text string, most int) (Grid, error) {
	g := Grid{Text: text, Most: most}
	a, err := l.Find(algorithm)
	if err != nil {
		return g, err
	}
	name, values, named := strings.Cut(text, "=")
	if name = strings.ReplaceAll(strings.TrimSpace(name), "-", "_"); !named {
		name, values = a.Path, text
	} else if name == "" {
		return g, Wrong("grid", "%s %q has no name before the =", framework.Setting("grid"), text)
	}
	if name == "" {
		others := l.Names(func(d framework.Description) bool { return d.Path != "" })
		return g, framework.Faultf(framework.Usage, "no-path", "algorithm %s has no parameter that selects features", a.Name).
			At("algorithm").WithHint("use %s; or %s to vary another parameter", Either("algorithm", others),
			framework.SettingTo("grid", "NAME=A,B,..."))
	}
	if g.Parameter, err = varied(a.Description, name); err != nil {
		return g, err
	}
	if most < 1 || most > MostValues {
		return g, Wrong("points", "%s is %d; it must be 1 to %d", framework.Setting("points"), most, MostValues)
	}
	if text == "" {
		return g, nil
	}
	if g.Values, err = parseGrid(values); err != nil {
		return g, err
	}
	return g, RefusedValues(g.Values, func(v float64) error {
		_, err := g.Parameter.Parse(Number(v))
		return err
	})
}

// varied returns a numeric parameter.
func varied(d framework.Description, name string) (framework.Param, error) {
	p, ok := d.Param(name)
	if ok && p.Min != nil && (p.Type == framework.IntParam || p.Type == framework.RealParam) {
		return p, nil
	}
	var known []string
	for _, p := range d.Params {
		if p.Min != nil {
			known = append(known, p.Name)
		}
	}
	f := framework.Faultf(framework.Usage, "no-path", "algorithm %s has no numeric parameter %q to vary", d.Name, name).At("grid")
	f.Similar = framework.Closest(name, known)
	return p, f
}

// parseGrid reads A,B,..., FROM:TO (whole numbers) or FROM:TO:NUMBER.
func parseGrid(text string) ([]float64, error) {
	bad := func(why string) error {
		return Wrong("grid", "%s %q: %s", framework.Setting("grid"), text, why).
			WithHint("give values, as in 1,2,4, FROM:TO, as in 2:12, or FROM:TO:NUMBER, as in 0:0.5:20")
	}
	read := func(parts []string) ([]float64, error) {
		values := make([]float64, len(parts))
		for i, part := range parts {
			v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, bad(fmt.Sprintf("%q is not a number", strings.TrimSpace(part)))
			}
			values[i] = v
		}
		return values, nil
	}
	if !strings.Contains(text, ":") {
		if n := strings.Count(text, ",") + 1; n > MostValues {
			return nil, Wrong("grid", "%s has %d values; at most %d are allowed", framework.Setting("grid"), n, MostValues)
		}
		return read(strings.Split(text, ","))
	}
	ends, err := read(strings.Split(text, ":"))
	if err != nil {
		return nil, err
	}
	if len(ends) == 2 && ends[0] == math.Trunc(ends[0]) && ends[1] == math.Trunc(ends[1]) && ends[0] < ends[1] { // whole numbers
		ends = append(ends, min(ends[1]-ends[0]+1, MostValues+1))
	}
	if len(ends) != 3 || ends[2] < 2 || ends[2] > MostValues || ends[2] != math.Trunc(ends[2]) {
		return nil, bad("it must be FROM:TO with whole numbers, or FROM:TO:NUMBER with a NUMBER of values from 2 to 1000")
	}
	if math.IsInf(ends[1]-ends[0], 0) {
		return nil, bad("FROM and TO are too far apart")
	}
	grid := make([]float64, int(ends[2]))
	for i := range grid {
		grid[i] = ends[0] + (ends[1]-ends[0])*float64(i)/float64(len(grid)-1)
	}
	return grid, nil
}

// Number writes a value as a parameter's text.
func Number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// shownFaults bounds the values that a fault lists.
const shownFaults = 12

// RefusedValues returns the fault of the values that are refused, if there are
// any: of one it is the fault itself.
func RefusedValues(grid []float64, check func(v float64) error) error {
	var first *framework.Fault
	var all []string
	for _, v := range grid {
		err := check(v)
		if err == nil {
			continue
		}
		f := framework.AsFault(err)
		if f == nil || f.Class == framework.Plugin {
			return err
		}
		if first == nil {
			first = f
		}
		if !slices.Contains(all, f.Summary) {
			all = append(all, f.Summary)
		}
	}
	if first == nil {
		return nil
	}
	if len(all) > 1 {
		first.Details = append(input.FirstOf(all[1:], shownFaults), first.Details...)
	}
	return first.At("grid")
}

// Either writes a setting with each of some values, for a hint.
func Either(setting string, values []string) string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = framework.SettingTo(setting, v)
	}
	return strings.Join(all, " or ")
}
