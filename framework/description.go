package framework

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Description is what an algorithm says about itself. Flags, help, completion and
// checks are made from it.
type Description struct {
	Name    string // lower case: "skfr"
	Version string
	Summary string // one line
	Paper   string // authors, year, link; "": none
	Params  []Param

	Links bool // rows may be linked: its Clusterer is a Linker
	Trims bool // the farthest rows may be left out: the objective is the sum of the distances of the rows to their centers

	// Labels says that labels can be restricted to Problem.Labels: for the centers and
	// feature weights of a model, the objective is a sum over rows of their weight times what their
	// labels cost them (Coster, or else Distances), but for what does not depend on labels.
	Labels bool

	Missing     bool // rows may have missing cells
	Sparse      bool // blocks may be sparse; see also Dense
	Categorical bool // categorical columns become features by default
	Groups      bool // Problem.Groups matters: features are selected by group
	Constraints bool // centers can be restricted to Problem.Centers

	// Dense names the values of parameters with which blocks must not be sparse although
	// Sparse is set: {"loss": "l1"}.
	Dense map[string]string

	// ObjectiveTerms names the terms of a minimised objective beside the sum of the
	// distances of the rows to their centers, each in a few words: "−n log of each
	// feature weight". A term may depend on the feature weights, and on what is fixed
	// for the problem, but not on labels or centers. The weights must be chosen with
	// the terms: projecting the weights alone does not make the objective worse. The
	// costs of broken links are not among the terms; see Linker.LinkCosts.
	ObjectiveTerms []string

	// Path names the parameter that decides how much is selected; "" if there is
	// none. It must be a number with a smallest value, and the algorithm's
	// clusterers must be Pathers.
	Path string

	// Looser says which values of Path allow more: any result that is allowed with
	// one value is also allowed with a looser one, and its objective is no worse
	// there. So the best objective is never worse with a looser value. "": not known.
	Looser Direction

	// Defaults of settings that are not the algorithm's own.
	Empty  EmptyPolicy
	Scale  string // how columns are scaled: "sd", "sd_n", "robust", "none", "raw"
	Center string // what is subtracted from columns that are scaled: "mean" (as ""), "median", "none"

	// Norm is "l2" if the algorithm is one for rows of length 1: each is divided by its
	// Euclidean length first. Users then can choose no other norm, and neither another
	// Scale, which must be "raw". "": rows are as they are, unless a user asks for a norm.
	Norm string

	// Predict holds parameters that have another value, as text, when a stored model
	// labels new rows: {"missing": "observed"} if new rows may have missing cells
	// even though the fit refused them. With these, New must accept a Problem that
	// has only P, K, Columns, Groups and Params; if Missing is true, all columns may
	// have missing cells. Only Distances is called.
	Predict map[string]string
}

// A Direction says which values of a parameter are looser.
type Direction string

// The directions.
const (
	Up   Direction = "up"   // a larger value is looser: a number of features, or a bound
	Down Direction = "down" // a smaller value is looser: a penalty
)

// An EmptyPolicy says what happens to a cluster that loses all its rows.
type EmptyPolicy string

// The policies. See package fit.
const (
	Reseed EmptyPolicy = "reseed" // it gets the row farthest from its center
	Origin EmptyPolicy = "origin" // its center goes to the origin, where it may win rows again
	Fail   EmptyPolicy = "fail"   // the run ends with a Fault
)

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
// fills in the defaults. An optional parameter that was not given gets no value.
// Unknown names, bad values and missing required parameters are Faults.
func (d Description) Resolve(given map[string]string) (Params, error) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, ok := d.Param(name); !ok {
			known := make([]string, len(d.Params))
			for i, p := range d.Params {
				known[i] = p.Name
			}
			f := Faultf(Usage, "unknown-parameter", "algorithm %s has no parameter %q", d.Name, name)
			f.Similar = Closest(name, known)
			return nil, f
		}
	}
	values := make(Params, len(d.Params))
	for _, p := range d.Params {
		text, ok := given[p.Name]
		if !ok {
			if text = p.Default; p.Required {
				return nil, Faultf(Usage, "parameter-missing", "algorithm %s needs %s: %s", d.Name, Setting(p.Name), p.Doc).
					WithHint("give %s", SettingTo(p.Name, "VALUE"))
			}
			if text == "" {
				continue
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

// CenterFor returns which location of columns goes with resolved parameters if the
// user chooses none: that of the first parameter whose value has one, else d.Center.
// It is "mean", "median", "none", or "" for the mean.
func (d Description) CenterFor(values Params) string {
	for _, p := range d.Params {
		if center := p.Center[fmt.Sprint(values[p.Name])]; center != "" {
			return center
		}
	}
	return d.Center
}

// TakesSparse reports whether blocks may be sparse with these resolved parameters.
func (d Description) TakesSparse(values Params) bool {
	for name, dense := range d.Dense {
		if fmt.Sprint(values[name]) == dense {
			return false
		}
	}
	return d.Sparse
}

// Closest returns the candidate that is fewest edits away from name, ignoring case,
// if it is near enough to be what was meant: at least half of its letters must be
// right, or name must be part of it. Otherwise it returns the only candidate that
// begins with name, or "". It never returns name itself.
func Closest(name string, candidates []string) string {
	best, bestDistance := "", len(name)/3+2
	begun, beginnings := "", 0
	lower := strings.ToLower(name)
	for _, c := range candidates {
		if c == name {
			continue
		}
		other := strings.ToLower(c)
		if d := edits(lower, other); d < bestDistance && (2*d <= max(len(name), len(c)) || strings.Contains(other, lower)) {
			best, bestDistance = c, d
		}
		if len(name) > 2 && strings.HasPrefix(other, lower) {
			begun = c
			beginnings++
		}
	}
	if best == "" && beginnings == 1 {
		return begun
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
