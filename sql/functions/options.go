package functions

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// bySQL is the origin of settings.
const bySQL = "sql"

// beside are the settings that are relations of their own. Their rows come as lists
// of structs.
var beside = []string{"pairs", "groups", "start", "constraints", "labels"}

// options are what one group is fitted with.
type options struct {
	settings settings.Settings
	keyed    bool   // the key is a column that settings.ID names
	onError  string // what becomes of a group that cannot be fitted: fail, record; "": see records
	trace    bool   // keep the trace
	seconds  int    // that a fit may take; 0: any number
	path     job.PathOptions
	tune     settings.TuneOptions
	score    model.ScoreOptions
	grid     string // of a path or a tuning
	points   int    // how many values it may have without a grid

	fit        string   // the query of what is scored
	fitColumns []string // of it

	text  string       // of all but the relations beside
	heaps []*duck.Heap // of these
}

func (o *options) drop() {
	for _, h := range o.heaps {
		h.Drop()
	}
}

// optionsOf returns the options in entry i of a vector, which are for a group.
func (g *gatherer) optionsOf(name string, given duck.Vector, i, rows int, number int64) (*options, error) {
	fields := given.Fields(rows)
	if fields == nil {
		if x, err := given.Any(i); err == nil && x == nil {
			fields = []duck.Named{}
		} else {
			return nil, framework.Faultf(framework.Usage, "bad-options", "the options are %s, and must be a struct", "of type "+given.Type()).
				WithHint("write them as {k: 3, algorithm: 'skfr'}")
		}
	}
	values := map[string]any{}
	var relations []duck.Named
	for _, f := range fields {
		option := strings.ToLower(f.Name)
		if slices.Contains(beside, option) || name == "score" && option == scoredRun {
			if !f.Null(i) && !isAbsent(f.Vector, i) {
				relations = append(relations, duck.Named{Name: option, Vector: f.Vector})
			}
			continue
		}
		x, err := f.Any(i)
		if err != nil {
			return nil, framework.Faultf(framework.Usage, "bad-options", "%v", err).At(option)
		}
		if x == nil && option == "key" {
			return nil, framework.Faultf(framework.Usage, "bad-options", "key is NULL; it must be the name of a column").At(option)
		}
		if x != nil {
			values[option] = x
		}
	}
	text, err := json.Marshal(values)
	if err != nil {
		text = []byte(fmt.Sprint(values)) // a number that is not finite: refused below
	}
	text = append(text, name...)
	if known := g.options[string(text)]; known != nil && relations == nil {
		return known, nil
	}
	o, err := g.f.parse(name, values)
	if err != nil {
		return nil, err
	}
	if o.seconds < 0 {
		return nil, framework.Faultf(framework.Usage, "bad-options", "max_seconds is %d; it must be at least 0, which is no limit", o.seconds).
			At("max_seconds")
	}
	g.host.settle(o)
	o.text = string(text)
	for _, r := range relations {
		if err := o.keepBeside(r, i); err != nil {
			return nil, err
		}
	}
	if relations != nil {
		text = fmt.Appendf(text, "%d", number)
	}
	g.options[string(text)] = o
	return o, nil
}

// isAbsent reports whether a list of structs is that of noRelation.
func isAbsent(v duck.Vector, i int) bool {
	entries, from, _, ok := v.Entries(i)
	if !ok {
		return false
	}
	fields := entries.Fields(from)
	return len(fields) > 1 && fields[1].Name == "spcname"
}

// keepBeside keeps the rows of a relation beside, and makes a setting of it.
func (o *options) keepBeside(r duck.Named, i int) error {
	entries, _, _, ok := r.Entries(i)
	if !ok || entries.Fields(0) == nil {
		return framework.Faultf(framework.Usage, "bad-options", "%s is %s, and must be a list of rows", framework.Setting(r.Name),
			"of type "+r.Type()).
			At(r.Name).WithHint("(SELECT list(t) FROM t) is that of a table t")
	}
	h := duck.NewHeap([]duck.Vector{r.Vector})
	o.heaps = append(o.heaps, h)
	if err := h.AddOne(0, []duck.Vector{r.Vector}, i); err != nil {
		return err
	}
	s := &o.settings
	for _, f := range entries.Fields(0) {
		if r.Name == scoredRun {
			o.fitColumns = append(o.fitColumns, f.Name)
		}
	}
	target := map[string]*string{scoredRun: &o.fit, "pairs": &s.Pairs, "groups": &s.Groups, "start": &s.Start,
		"constraints": &s.Constraints, "labels": &s.Labels}[r.Name]
	*target = "SELECT unnest(x) FROM (SELECT unnest(c0) AS x FROM " + h.Relation() + ")"
	s.Origins[r.Name], s.Passing = bySQL, true
	return nil
}

// parse makes settings of the values of options, which are of a function.
func (f *Functions) parse(function string, values map[string]any) (*options, error) {
	o := &options{settings: settings.Defaults(), trace: true, points: 20,
		tune: settings.DefaultTuneOptions()}
	s := &o.settings
	s.Origins, s.Params = map[string]string{}, map[string]settings.Given{}
	to := targets(function, o)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch v := values[name]; {
		case name == "params":
			given, ok := v.(map[string]any)
			if !ok {
				return nil, wrongType("params", v, "a struct such as {'sparsity': 5}")
			}
			for p, x := range given {
				if err := setParam(s, strings.ToLower(p), x); err != nil {
					return nil, err
				}
			}
		case name == "k" && function == "tune" && !isNumber(v):
			s.Ks = gridText(v)
			s.Origins[name] = bySQL
		case name == "grid" && to[name] != nil:
			o.grid = gridText(v)
			s.Origins[name] = bySQL
		case to[name] != nil:
			if err := set(name, to[name], v); err != nil {
				return nil, err
			}
			s.Origins[name] = bySQL
		case slices.Contains(f.library.Parameters(), name):
			if err := setParam(s, name, v); err != nil {
				return nil, err
			}
		default:
			return nil, f.unknownOption(name, to, s.Algorithm)
		}
	}
	o.keyed = s.ID != ""
	if err := keyOfTriples(s); err != nil {
		return nil, err
	}
	return o, input.OneOf("on_error", o.onError, []string{"fail", "record"})
}

// unknownOption is the fault of an option that there is not.
func (f *Functions) unknownOption(name string, targets map[string]any, algorithm string) error {
	known := append(slices.Sorted(maps.Keys(targets)), beside...)
	slices.Sort(known)
	fault := framework.Faultf(framework.Usage, "unknown-option", "there is no option %q", name).
		WithSimilar(framework.Closest(name, append(slices.Clone(known), f.library.Parameters()...))).
		WithHint("FROM cluster_params('%s') lists the parameters of an algorithm", algorithm)
	fault.Details = []string{"there are " + strings.Join(known, ", ") + ", and the parameters of the algorithm"}
	return fault
}

// keyOfTriples leaves the key of triples to the setting that names all of their columns.
func keyOfTriples(s *settings.Settings) error {
	l, err := input.LongOf(s.Long)
	for _, name := range []string{"repeated", "min_rows", "max_share"} {
		if l == nil && err == nil && s.Origins[name] == bySQL {
			return settings.Wrong(name, "%s is about relations of triples", framework.Setting(name)).
				WithHint("add %s, or leave out %s", framework.SettingTo("long", "[KEY, FEATURE, VALUE]"), framework.Setting(name))
		}
	}
	if l == nil || err != nil || s.ID == "" {
		return err
	}
	if !strings.EqualFold(l.Key, s.ID) {
		return otherKey(fmt.Sprintf("%q", s.ID), l)
	}
	s.ID = ""
	return nil
}

// otherKey is the fault of a call that has another key than the triples.
func otherKey(key string, l *input.Long) error {
	return framework.Faultf(framework.Usage, "bad-options", "the key is %s, and that of the triples is %q", key, l.Key).At("long").
		WithHint("give one column as the key and as the first of %s", framework.Setting("long"))
}

// isNumber reports whether an option is one number.
func isNumber(v any) bool {
	_, err := strconv.Atoi(shown(v))
	return err == nil
}

// gridText is the values of a grid as the command line has them: of a list, its entries.
func gridText(v any) string {
	list, ok := v.([]any)
	if !ok {
		return shown(v)
	}
	return strings.Join(input.NamesOf(list, shown), ",")
}

// setParam sets a parameter of the algorithm.
func setParam(s *settings.Settings, name string, v any) error {
	if v == nil {
		return nil
	}
	if _, twice := s.Params[name]; twice {
		return framework.Faultf(framework.Usage, "bad-options", "%s is given twice", framework.Setting(name)).At(name)
	}
	switch v.(type) {
	case []any, map[string]any:
		return wrongType(name, v, "a number, a text or a BOOLEAN")
	}
	s.Params[name] = settings.Given{Value: shown(v), Origin: bySQL}
	return nil
}

// targets are where the options of a function go, by their names.
func targets(function string, o *options) map[string]any {
	s := &o.settings
	all := map[string]any{
		"key": &s.ID, "features": &s.Features, "exclude": &s.Exclude, "weight": &s.Weight, "categorical": &s.Categorical,
		"ignore_text": &s.IgnoreText, "null_category": &s.NullCategory, "nulls": &s.Nulls, "order": &s.Order,
		"algorithm": &s.Algorithm, "k": &s.K, "norm": &s.Norm, "scale": &s.Scale, "center": &s.Center, "seed": &s.Seed, "restarts": &s.Restarts,
		"max_iter": &s.MaxIter, "tol": &s.Tol, "init": &s.Init, "init_space": &s.InitSpace, "empty": &s.Empty,
		"labels_as": &s.LabelsAs, "trim": &s.Trim, "batch": &s.Batch, "threads": &s.Threads, "driver": &s.Driver,
		"long": &s.Long, "repeated": &s.Repeated, "min_rows": &s.MinRows, "max_share": &s.MaxShare,
	}
	maps.Copy(all, map[string]map[string]any{
		"fit":  {"on_error": &o.onError, "trace": &o.trace, "max_seconds": &o.seconds, "center_rows": &s.CenterRows},
		"path": {"grid": &o.grid, "points": &o.points, "warm": &o.path.Warm},
		"tune": {"grid": &o.grid, "points": &o.points, "method": &o.tune.Method, "truth": &o.tune.Truth, "folds": &o.tune.Folds,
			"repeats": &o.tune.Repeats, "share": &o.tune.Share, "choose": &o.tune.Choose, "draws": &o.tune.Draws, "sample": &o.tune.Sample,
			"agreement": &o.tune.Agreement},
		"score": {"truth": &o.score.Truth, "sample": &o.score.Sample},
	}[function])
	return all
}

// set sets what a pointer points to, if the value has the right type.
func set(name string, to, v any) error {
	switch to := to.(type) {
	case *string:
		x, ok := v.(string)
		if !ok {
			return wrongType(name, v, "a text")
		}
		*to = x
	case *[]string:
		return setList(name, to, v)
	case *bool:
		x, ok := v.(bool)
		if !ok {
			return wrongType(name, v, "true or false")
		}
		*to = x
	case *float64:
		x, err := strconv.ParseFloat(numeral(v), 64)
		if err != nil || math.IsNaN(x) {
			return wrongType(name, v, "a number")
		}
		*to = x
	case *int:
		x, err := strconv.Atoi(whole(v))
		if err != nil {
			return wrongType(name, v, "a whole number")
		}
		*to = x
	case *uint64:
		x, err := strconv.ParseUint(whole(v), 10, 64)
		if err != nil {
			return wrongType(name, v, "a whole number from 0 to 18446744073709551615")
		}
		*to = x
	}
	return nil
}

// setList takes a list of texts, or one text as the command line has it.
func setList(name string, to *[]string, v any) error {
	if text, ok := v.(string); ok {
		*to = input.SplitColumns(text)
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		return wrongType(name, v, "a list of names")
	}
	for _, x := range list {
		text, ok := x.(string)
		if !ok {
			return wrongType(name, v, "a list of names")
		}
		*to = append(*to, text)
	}
	return nil
}

// numeral is the text of a value that is a number; "" of others.
func numeral(v any) string {
	switch v.(type) {
	case int64, uint64, float64, json.Number:
		return fmt.Sprint(v)
	}
	return ""
}

// whole is the digits of a number that is whole, whatever its type.
func whole(v any) string {
	text := numeral(v)
	if x, ok := v.(float64); ok && x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return strconv.FormatInt(int64(x), 10)
	}
	if before, after, ok := strings.Cut(text, "."); ok && strings.Trim(after, "0") == "" {
		return before
	}
	return text
}

// shown is a value of an option as text.
func shown(v any) string {
	switch x := v.(type) {
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case []any, map[string]any:
		if text, err := json.Marshal(x); err == nil {
			return string(text)
		}
	}
	return fmt.Sprint(v)
}

func wrongType(name string, v any, want string) error {
	text := shown(v)
	if s, ok := v.(string); ok {
		text = schema.Text(s)
	}
	return framework.Faultf(framework.Usage, "bad-options", "%s is %s; it must be %s", framework.Setting(name), text, want).At(name)
}
