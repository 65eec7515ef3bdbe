package skm_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skm"
)

// Runs of testdata/reference: 37 of sparcl with Lloyd's k-means inside, of which
// one follows a path that only its approximate weights lead to; and for each of
// them, and of the 37 with Hartigan and Wong's, the exact weights of its labels.
const (
	referenceRuns = 37
	weightSteps   = 74
)

// astray is the run that follows sparcl's approximate weights; see
// TestSparclsBisectionLeadsItAstray.
const astray = "brod_p20/skm_w1.2"

// A reference is one run of sparcl, see testdata/reference/README.md.
type reference struct {
	dir        string
	k          int
	Name       string  `json:"id"`
	Bound      float64 `json:"wbound"`
	Iterations int     `json:"lloyd_inner_iterations"`
	rows       clustertest.Rows
	start      []int32
}

// params returns the parameters as text. A bound above √p bounds nothing in
// sparcl, and is refused here: √p is the same.
func (r reference) params() map[string]string {
	bound := min(r.Bound, math.Sqrt(float64(r.rows.X.Cols)))
	return map[string]string{"l1_bound": strconv.FormatFloat(bound, 'g', -1, 64), "weight_updates": "6"} // sparcl's maxiter
}

func references(t *testing.T) map[string]reference {
	t.Helper()
	paths := must.Get(filepath.Glob(filepath.Join(unpacked, "*/params.json")))(t)
	all := map[string]reference{}
	for _, path := range paths {
		text := must.Get(os.ReadFile(path))(t)
		var c struct {
			Case string      `json:"case"`
			K    int         `json:"k"`
			Runs []reference `json:"runs"`
		}
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		dir := filepath.Dir(path)
		rows := clustertest.ReadTable(t, filepath.Join(dir, "X.csv")).Rows(t)
		rows.Standardise()
		start := clustertest.ReadTable(t, filepath.Join(dir, "init.csv")).Labels(t, "label", 0)
		for _, r := range c.Runs {
			r.dir, r.k, r.rows, r.start = filepath.Join(dir, r.Name), c.K, rows, start
			all[c.Case+"/"+r.Name] = r
		}
	}
	return all
}

func (r reference) table(t *testing.T, file string) clustertest.Table {
	t.Helper()
	return clustertest.ReadTable(t, filepath.Join(r.dir, file))
}

// compare asks for values equal to a part of 1e-9, weights to 1e-9.
func compare(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= 1e-9*(1+math.Abs(w))) {
			t.Errorf("%s %d: %v, want %v", what, i, got[i], w)
		}
	}
}

func TestEveryRunOfSparclWithLloydIsReproduced(t *testing.T) {
	ran := 0
	for name, r := range references(t) {
		ran++
		if name == astray {
			continue
		}
		t.Run(name, func(t *testing.T) {
			res := r.rows.Fit(t, skm.SKM{}, r.rows.Problem(r.k), r.params(), fit.Start{Labels: r.start}, nil)
			want := r.table(t, "lloyd_weights.csv")
			if !clustertest.SamePartition(res.Labels, r.table(t, "lloyd_labels.csv").Labels(t, "label", 0)) {
				t.Error("another partition")
			}
			compare(t, "weight", res.Model.FeatureWeights, want.Column(t, "ws_exact_for_labels"))
			compare(t, "gain", res.Model.Gain, want.Column(t, "bcss"))
			var criterion float64
			for l, b := range want.Column(t, "bcss") {
				criterion += want.Column(t, "ws_exact_for_labels")[l] * b
			}
			compare(t, "criterion", []float64{res.Objective}, []float64{criterion})
			// sparcl's weights are inexact, and so its criterion: to a part of 1e-3.
			updates := criteria(res)
			sparcl := r.table(t, "lloyd_criterion.csv").Column(t, "criterion")
			if name == "iris/skm_w1.2" {
				// ‖w‖₂ = 1 and ‖w‖₁ = 1.2 leave two positive weights no choice: ours
				// are at rest, where sparcl's still tremble.
				r.Iterations--
				sparcl = sparcl[:2]
			}
			if len(updates) != r.Iterations || len(sparcl) != r.Iterations {
				t.Fatalf("%d updates of the weights, want %d: %v, want %v", len(updates), r.Iterations, updates, sparcl)
			}
			for i, c := range sparcl {
				if math.Abs(updates[i]-c) > 1e-3*c {
					t.Errorf("criterion after update %d: %v, want about %v", i+1, updates[i], c)
				}
			}
		})
	}
	if ran != referenceRuns {
		t.Errorf("%d runs were compared, want %d", ran, referenceRuns)
	}
}

// criteria returns the objective after each update of the weights: that of the
// iterations in which no row moved.
func criteria(res clustertest.Fitted) (all []float64) {
	for _, it := range res.Trace {
		if it.Moved == 0 {
			all = append(all, it.Objective)
		}
	}
	return all
}

func TestTheWeightsOfEveryReferencePartitionAreExact(t *testing.T) {
	ran := 0
	for name, r := range references(t) {
		for _, inner := range []string{"", "lloyd_"} {
			ran++
			t.Run(name+"/"+inner, func(t *testing.T) {
				labels := r.table(t, inner+"labels.csv").Labels(t, "label", 0)
				res := r.rows.Fit(t, skm.SKM{}, r.rows.Problem(r.k), r.params(), fit.Start{Labels: labels}, func(s *fit.Settings) { s.MaxIter = 0 })
				want := r.table(t, inner+"weights.csv")
				compare(t, "weight", res.Model.FeatureWeights, want.Column(t, "ws_exact_for_labels"))
				compare(t, "gain", res.Model.Gain, want.Column(t, "bcss"))
				for i, j := range res.Labels {
					if j != labels[i] {
						t.Fatalf("row %d got another label", i)
					}
				}
			})
		}
	}
	if ran != weightSteps {
		t.Errorf("%d partitions were compared, want %d", ran, weightSteps)
	}
}

// bisected finds Δ as sparcl does: by at most 15 halvings, which also end when
// the interval is below 1e-4, of [0, largest − 1e-5].
type bisected struct{ bound float64 }

func (bisected) Properties() framework.Properties   { return framework.Properties{Maximize: true} }
func (bisected) Violation(framework.Matrix) float64 { return 0 }
func (bisected) Penalty(framework.Matrix) float64   { return 0 }
func (s bisected) Project(dst framework.Matrix, at framework.Point) error {
	threshold := func(delta float64) (l1 float64) {
		var squares float64
		for l, b := range at.X.Data {
			dst.Data[l] = max(0, b-delta)
			squares += dst.Data[l] * dst.Data[l]
		}
		for l := range dst.Data {
			dst.Data[l] /= math.Sqrt(squares)
			l1 += dst.Data[l]
		}
		return l1
	}
	if threshold(0) <= s.bound {
		return nil
	}
	low, high := 0.0, -1e-5
	for _, b := range at.X.Data {
		high = max(high, b-1e-5)
	}
	for i := 0; i < 15 && high-low > 1e-4; i++ {
		if middle := (low + high) / 2; threshold(middle) < s.bound {
			high = middle
		} else {
			low = middle
		}
	}
	threshold((low + high) / 2)
	return nil
}

func TestSparclsBisectionLeadsItAstray(t *testing.T) {
	r, there := references(t)[astray]
	if !there {
		t.Fatal("the run is not there")
	}
	p := r.rows.Problem(r.k)
	theirs := r.rows.Run(t, means.NewWeighted(p, means.Weighting{Set: bisected{r.Bound}, Tol: 1e-4, Updates: 6}), p,
		fit.Start{Labels: r.start}, nil)
	if !clustertest.SamePartition(theirs.Labels, r.table(t, "lloyd_labels.csv").Labels(t, "label", 0)) {
		t.Error("with the bisection of sparcl, the partition is another one than that of sparcl")
	}
	compare(t, "weight by bisection", theirs.Model.FeatureWeights, r.table(t, "lloyd_weights.csv").Column(t, "ws"))
	compare(t, "criterion by bisection", criteria(theirs), r.table(t, "lloyd_criterion.csv").Column(t, "criterion"))

	ours := r.rows.Fit(t, skm.SKM{}, p, r.params(), fit.Start{Labels: r.start}, nil)
	if clustertest.SamePartition(ours.Labels, theirs.Labels) {
		t.Error("both lead to the same partition")
	}
	// Of each partition on our way, the weights are feasible, and the criterion
	// is the bound of duality: min over Δ of Δs + ‖(b − Δ)₊‖₂.
	var l1 float64
	for _, w := range ours.Model.FeatureWeights {
		l1 += w
	}
	if math.Abs(l1-r.Bound) > 1e-12 {
		t.Errorf("the weights add up to %v, want %v", l1, r.Bound)
	}
	low, high := 0.0, 1e6
	dual := func(delta float64) float64 {
		var squares float64
		for _, b := range ours.Model.Gain {
			squares += math.Pow(max(0, b-delta), 2)
		}
		return delta*r.Bound + math.Sqrt(squares)
	}
	for range 300 {
		if a, b := low+(high-low)/3, high-(high-low)/3; dual(a) <= dual(b) {
			high = b
		} else {
			low = a
		}
	}
	compare(t, "criterion", []float64{ours.Objective}, []float64{dual(low)})
}
