package cli

import (
	"bytes"
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// other is k-means under another name, with parameters that have the names of
// flags and of parameters of the built-in algorithms, but another meaning.
type other struct{ describe func(*framework.Description) }

func (o other) Describe() framework.Description {
	d := framework.Description{
		Name: "other", Version: "1", Summary: "for tests", Paper: "none", Missing: true, Empty: framework.Reseed, Scale: "sd",
		Params: []framework.Param{
			{Name: "loss", Type: framework.ChoiceParam, Default: "l1", Choices: []string{"l1", "heavy"}, Center: map[string]string{"heavy": "none"},
				Doc: "not a norm"},
			{Name: "gaps", Type: framework.ChoiceParam, Default: "refuse", Choices: []string{"refuse", "take"}, Doc: "missing cells"},
			{Name: "weight", Type: framework.RealParam, Min: new(0.5), Doc: "a flag has this name too"},
			{Name: "output", Type: framework.TextParam, Doc: "and this one, of all commands"},
			{Name: "depth", Type: framework.IntParam, Min: new(1.0), Max: new(9.0), Doc: "how deep"},
		},
		Predict: map[string]string{"gaps": "take"},
	}
	if o.describe != nil {
		o.describe(&d)
	}
	return d
}

func (other) New(p framework.Problem) (framework.Clusterer, error) {
	if p.Params.Text("gaps") == "refuse" && framework.HasMissing(p.Columns) {
		return nil, framework.Faultf(framework.Data, "gaps", "there are gaps")
	}
	p.Params = framework.Params{"loss": "l2", "missing": "observed"}
	return skfr.KMeans{}.New(p)
}

// with makes an algorithm the only built-in one for a test.
func with(t *testing.T, a framework.Algorithm) {
	t.Helper()
	before := builtIns
	t.Cleanup(func() { builtIns = before })
	builtIns = []registry.BuiltIn{{Name: "others", Algorithms: []framework.Algorithm{a}}}
}

// builtIns are what command has built in.
var builtIns = registry.BuiltIns()

// command runs the command in this process, for what starts no plugin.
func command(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	var out, errs bytes.Buffer
	code = newApp(&out, &errs, builtIns...).main(context.Background(), append([]string{}, args...)) // nil would be those of the test
	return out.String(), errs.String(), code
}

const tenRows = "SELECT i AS id, i * i AS a, i % 3 AS b FROM range(10) t(i)"

func TestTheLocationOfColumnsIsWhatTheAlgorithmSays(t *testing.T) {
	with(t, other{})
	for name, c := range map[string]struct {
		args []string
		want string // locations of a and b, as csv: the means are 28.5 and 0.9, the medians 20.5 and 1
	}{
		"of no value":              {nil, "28.5 0.9"},
		"of a value":               {[]string{"--loss", "heavy"}, "0 0"},
		"unless the user says so":  {[]string{"--loss", "heavy", "--center", "median"}, "20.5 1"},
		"unless the scale has one": {[]string{"--loss", "heavy", "--scale", "robust"}, "20.5 1"},
	} {
		t.Run(name, func(t *testing.T) {
			out, errs, code := command(t, append([]string{"check", tenRows, "--id", "id", "-k", "2", "-a", "other", "-o", "csv"}, c.args...)...)
			if code != 0 {
				t.Fatal(errs)
			}
			lines := strings.Split(out, "\n")
			if got := strings.Split(lines[1], ",")[2] + " " + strings.Split(lines[2], ",")[2]; got != c.want {
				t.Errorf("locations %s, want %s\n%s", got, c.want, out)
			}
		})
	}
}

func TestPredictTakesTheParametersThatTheAlgorithmSays(t *testing.T) {
	for name, c := range map[string]struct {
		describe func(*framework.Description)
		want     string // code of the error
	}{
		"missing cells by a parameter": {nil, ""},
		"no such parameter":            {func(d *framework.Description) { d.Predict = nil }, "gaps"},
		"no missing cells at all":      {func(d *framework.Description) { d.Predict, d.Missing = nil, false }, "null-cells"},
	} {
		t.Run(name, func(t *testing.T) {
			path := keyedRun(t, "{}")
			with(t, other{c.describe})
			out, errs, code := command(t, "predict", "run", "SELECT * FROM (VALUES (1, 8, NULL), (2, NULL, 1)) t(id, a, b)", "--id", "id", "--db",
				path, "-o", "csv")
			if c.want != "" {
				if code != 3 || !strings.HasPrefix(errs, "error["+c.want+"]") {
					t.Errorf("exit code %d: %s", code, errs)
				}
				return
			}
			// |8−9| and |8−0|, |1−0| and |1−9|
			if lines := strings.Split(out, "\n"); code != 0 || lines[1] != "1,1,1,0,7," || lines[2] != "2,0,1,1,7," {
				t.Errorf("exit code %d: %s%s", code, errs, out)
			}
		})
	}
}

// madeRuns are the databases that writeRun has made, by parameters and model.
var madeRuns = map[[2]string][]byte{}

// writeRun makes a database with a run that has recorded parameters, a model and
// nothing else. The second one of the same is a copy of the first.
func writeRun(t *testing.T, path, params, model string) {
	t.Helper()
	key := [2]string{params, model}
	if madeRuns[key] == nil {
		makeRun(t, path, params, model)
		made := must.Get(os.ReadFile(path))(t)
		madeRuns[key] = made
	}
	must.Do(t, os.WriteFile(path, madeRuns[key], 0o600))
}

func makeRun(t *testing.T, path, params, model string) {
	t.Helper()
	ctx := t.Context()
	db := must.Get(store.Open(ctx, path, store.ReadWrite))(t)
	defer func() { _ = db.Close() }()
	table := must.Get(db.Read(ctx, input.Spec{Relation: "SELECT 1 AS id, 2 AS a", ID: "id", Order: "key", Nulls: "keep"}))(t)
	defer func() { _ = table.Close() }()
	results := &result.Tables{Fit: result.Fit{RunID: "r", Version: "1", StopReason: "settled", Source: "q", ToolVersion: "t",
		Algorithm: "other", Params: params, Model: model, Objective: math.Inf(1)},
		Run: result.Run{Driver: "plugin", BlocksByWorker: "[]", StepCalls: "{}"},
		Assignments: result.Assignments{KeyName: "id", Keys: table.Keys, Labels: []int32{0}, Distance: []float64{0}, Second: []int32{1},
			Margin: []float64{1}}}
	must.Do(t, db.Write(ctx, "run", false, results))
}

func TestAParameterNamedLikeAFlagIsGivenByParamAlone(t *testing.T) {
	with(t, other{})
	check := []string{"check", tenRows, "--id", "id", "-k", "2", "-a", "other", "-o", "csv"}
	for name, c := range map[string]struct {
		args []string
		want string // message
	}{
		"by --param":           {[]string{"--param", "weight=2", "--param", "output=far"}, ""},
		"the flag is the flag": {[]string{"--weight", "a"}, ""},
		"a bad value": {[]string{"--param", "weight=0.1"},
			"error[bad-parameter]: weight is \"0.1\"; it must be at least 0.5\n  where: --param weight\n"},
		"its own flag": {[]string{"--depth", "10"}, "error[bad-parameter]: depth is \"10\"; it must be between 1 and 9\n  where: --depth\n"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs, code := command(t, append(check, c.args...)...)
			if errs != c.want || (code == 0) != (c.want == "") {
				t.Errorf("exit code %d: %s", code, errs)
			}
		})
	}
	with(t, other{func(d *framework.Description) { d.Params[2].Required = true }})
	want := "error[parameter-missing]: algorithm other needs --param weight: a flag has this name too\n  hint:  give --param weight=VALUE\n"
	if _, errs, code := command(t, check...); code != 2 || errs != want {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

func TestDescribeShowsBoundsAndHowEachParameterIsGiven(t *testing.T) {
	with(t, other{func(d *framework.Description) { d.Params[4].Required = true }})
	out, errs, _ := command(t, "plugin", "describe", "other", "-o", "csv")
	want := `parameter,flag,type,default,values,meaning
loss,--loss,choice,l1,"l1, heavy",not a norm
gaps,--gaps,choice,refuse,"refuse, take",missing cells
weight,--param weight=VALUE,real,,at least 0.5,a flag has this name too
output,--param output=VALUE,text,,,"and this one, of all commands"
depth,--depth,integer,required,between 1 and 9,how deep
`
	if out != want {
		t.Errorf("%s%s", errs, out)
	}
	if out, _, _ := command(t, "plugin", "describe", "other"); !strings.Contains(out, "center: mean, none for loss=heavy\n") {
		t.Error(out)
	}
}

func TestNoCommandRunsWithAWrongDescription(t *testing.T) {
	with(t, other{func(d *framework.Description) { d.Params[0].Name = "seed" }})
	_, errs, code := command(t, "version")
	if want := `error[internal]: the description of an algorithm is wrong: algorithm "other", parameter "seed": the name is that of a ` +
		`setting of sqlcluster` + "\n"; code != 1 || errs != want {
		t.Errorf("exit code %d: %s", code, errs)
	}
}
