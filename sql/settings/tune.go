package settings

import (
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
)

// Ways to judge points, besides those of package tune, and to choose one.
const (
	CrossValidation = "cv"
	ChooseBest      = "best"
	ChooseOne       = "one-se"
)

// TuneOptions are those of a tuning alone.
type TuneOptions struct {
	Method    string // CrossValidation, or methods of package tune separated by commas, of which the first decides; "": see methods
	Draws     int    // data sets of each kind that methods draw
	Sample    int    // rows that methods without classes look at, at most; 0: all
	Truth     string // column of the relation with the known classes, for CrossValidation
	Agreement string // what compares clusters with classes: f, ari, nmi
	Folds     int
	Repeats   int
	Share     float64 // part of the pairs made of the classes that each fit is given
	Choose    string  // ChooseBest, ChooseOne; "": as suits the method
}

// DefaultTuneOptions are those of a tuning that says nothing.
func DefaultTuneOptions() TuneOptions {
	return TuneOptions{Draws: 40, Sample: 5000, Agreement: string(tune.ByF), Folds: 10, Repeats: 1, Share: 1}
}

// TuneMethods lists all methods.
func TuneMethods() []string {
	all := []string{CrossValidation}
	for _, m := range tune.Methods() {
		all = append(all, string(m))
	}
	return all
}

// Agreements lists what compares clusters with classes.
func Agreements() []string { return []string{string(tune.ByF), string(tune.ByARI), string(tune.ByNMI)} }

// ByClasses reports whether points are judged by known classes.
func (o TuneOptions) ByClasses() bool {
	return o.Method == CrossValidation || o.Method == "" && o.Truth != ""
}

// Check refuses what no data allow. s are the settings of the fits.
func (o TuneOptions) Check(s Settings) error {
	for name := range strings.SplitSeq(o.Method, ",") {
		if err := input.OneOf("method", strings.TrimSpace(name), TuneMethods()); err != nil {
			return err
		}
		if strings.TrimSpace(name) == CrossValidation && o.Method != CrossValidation {
			return Wrong("method", "%s needs classes, and goes together with no other method", framework.SettingTo("method", CrossValidation))
		}
	}
	if err := input.OneOf("choose", o.Choose, []string{ChooseBest, ChooseOne}); err != nil {
		return err
	}
	if err := input.OneOf("agreement", o.Agreement, Agreements()); err != nil {
		return err
	}
	switch {
	case o.ByClasses() && o.Truth == "":
		return framework.Faultf(framework.Usage, "truth-missing", "which column has the classes?").At("truth").
			WithHint("name it with %s; rows whose class is not known have NULL there", framework.SettingTo("truth", "COLUMN"))
	case !o.ByClasses() && o.Truth != "":
		return Wrong("truth", "%s uses no classes", framework.SettingTo("method", o.Method)).
			WithHint("leave out %s, or use %s", framework.Setting("truth"), framework.SettingTo("method", CrossValidation))
	case o.Draws < 2 || o.Draws > 10_000:
		return Wrong("draws", "%s is %d; it must be 2 to 10000", framework.Setting("draws"), o.Draws)
	case o.Sample < 0:
		return Wrong("sample", "%s is %d; it must be at least 0", framework.Setting("sample"), o.Sample)
	case o.Folds < 2:
		return Wrong("folds", "%s is %d; it must be at least 2", framework.Setting("folds"), o.Folds)
	case o.Repeats < 1 || o.Repeats > 1000:
		return Wrong("repeats", "%s is %d; it must be 1 to 1000", framework.Setting("repeats"), o.Repeats)
	case !(o.Share > 0 && o.Share <= 1):
		return Wrong("share", "%s is %g; it must be above 0 and at most 1", framework.Setting("share"), o.Share)
	case o.Share != 1 && s.Pairs != "":
		return Wrong("share", "%s takes a part of the pairs made of the classes, but %s gives the pairs", framework.Setting("share"),
			framework.Setting("pairs")).
			WithHint("leave out one of them")
	}
	return nil
}

// FixedPath reports whether a tuning without a grid tries numbers of clusters only:
// the algorithm has no parameter that selects features, or it is given.
func (s *Settings) FixedPath(l library.Library) bool {
	a, err := l.Find(s.Algorithm)
	if err != nil || s.Ks == "" {
		return false
	}
	_, given := s.Params[a.Path]
	return a.Path == "" || given
}
