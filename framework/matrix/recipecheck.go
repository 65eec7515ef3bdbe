package matrix

import (
	"errors"
	"fmt"
	"slices"
)

// Check returns an error if Learn cannot have made the recipe, so that it cannot
// be applied. Names must differ, the features of a column must be neighbours and
// of one kind, locations finite, scales positive, and every group must exist.
// Problem.CheckGroups checks the order of groups.
func (r Recipe) Check() error {
	if len(r.Features) == 0 {
		return errors.New("matrix: a recipe without features")
	}
	if err := r.Scaling.check(); err != nil {
		return err
	}
	if r.Scaling.Norm != "" && r.HasCategories() {
		return errors.New("matrix: rows with categories have no length")
	}
	if err := checkNames(r.Features); err != nil {
		return errors.New(err.Error()) // its hints are those of a fit
	}
	for _, f := range r.Features {
		if err := f.check(); err != nil {
			return err
		}
		if r.Groups == nil && f.Group != 0 || r.Groups != nil && (f.Group < 0 || f.Group >= len(r.Groups)) {
			return fmt.Errorf("matrix: feature %q is in group %d of %d", f.Name, f.Group, len(r.Groups))
		}
	}
	return r.checkSources()
}

// check refuses what ParseScale does not return. Nothing is as good as unknown:
// Apply does not need it.
func (s Scaling) check() error {
	if !slices.Contains([]string{"", "mean", "median", "none"}, s.Center) ||
		!slices.Contains([]string{"", "sd", "sd_n", "mad", "none"}, s.Scale) {
		return fmt.Errorf("matrix: columns centered by %q and scaled by %q", s.Center, s.Scale)
	}
	if s.Norm != "" && s.Norm != L2 {
		return fmt.Errorf("matrix: rows divided by the norm %q", s.Norm)
	}
	return nil
}

func (f Feature) check() error {
	switch {
	case f.Name == "":
		return errors.New("matrix: a feature without a name")
	case !finite(f.Location, f.Scale, f.Share):
		return fmt.Errorf("matrix: feature %q has the location %g, the scale %g and the share %g", f.Name, f.Location, f.Scale, f.Share)
	case f.Scale < smallestScale:
		return fmt.Errorf("matrix: feature %q has the scale %g", f.Name, f.Scale)
	case f.Missing < 0:
		return fmt.Errorf("matrix: feature %q is missing in %d rows", f.Name, f.Missing)
	case f.IsCategory() && f.Name != f.Source+"="+f.Category:
		return fmt.Errorf("matrix: category %q of column %q is called %q", f.Category, f.Source, f.Name)
	case !f.IsCategory() && (f.Category != "" || f.Null || f.Share != 0):
		return fmt.Errorf("matrix: feature %q has a category and no column of categories", f.Name)
	}
	return nil
}

// checkSources refuses columns whose features are apart, of two kinds, or stand
// for NULL twice.
func (r Recipe) checkSources() error {
	seen := make(map[string]bool, len(r.Features))
	for l, f := range r.Features {
		name := f.Column()
		if l == 0 || r.Features[l-1].Column() != name {
			if seen[name] {
				return fmt.Errorf("matrix: the features of column %q are not next to each other", name)
			}
			seen[name] = true
			continue
		}
		if !f.IsCategory() || !r.Features[l-1].IsCategory() {
			return fmt.Errorf("matrix: column %q is of numbers and of categories", name)
		}
		if r.Features[l-1].Null {
			return fmt.Errorf("matrix: NULL is not the last category of column %q", name)
		}
	}
	return nil
}
