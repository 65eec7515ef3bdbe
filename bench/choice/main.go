// Command choice compares methods that choose the number of clusters.
package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

const draws = 39

type verdict struct {
	k map[string]int
	p map[string]float64
}

func study(rows clustertest.Rows) verdict {
	rows.Standardise()
	p := rows.Problem(2)
	data := matrix.FromMatrix(rows.X, nil, 0)
	s := tune.Study{Draws: draws, Threads: 2, Seed: 1, Methods: tune.Methods()}
	for k := 1; k <= 10; k++ {
		s.Candidates = append(s.Candidates, tune.Candidate{K: k, Params: framework.Params{}})
	}
	params, err := skfr.KMeans{}.Describe().Resolve(nil)
	check(err)
	for i := range s.Candidates {
		s.Candidates[i].Params = params
	}
	sweep := s.Sweep()
	for b := range draws {
		sweep.Draws = append(sweep.Draws, tune.Draw{Kind: tune.Normal, Number: b})
	}
	sweep.Settings = fit.Settings{Init: "kmeans++", InitSpace: fit.Fitted, Restarts: 10, MaxIter: 300, Empty: framework.Reseed, Threads: 2}
	var trials []tune.Trial
	check(sweep.Run(context.Background(), tune.Here(skfr.KMeans{}, nil), p, data, func(t tune.Trial) error { trials = append(trials, t); return nil }))
	all, err := s.Judge(context.Background(), data, sweep, trials)
	check(err)
	v := verdict{k: map[string]int{}, p: map[string]float64{}}
	for _, j := range all {
		v.k[string(j.Method)+"/best"] = kOf(s, j.Best)
		v.k[string(j.Method)+"/1se"] = kOf(s, j.OneSE)
		if j.Method == tune.MethodGap {
			v.p["permuted"] = j.P
		}
		if j.Method == tune.MethodGapAxes { // first SE maximum and so on
			best := 0
			for i, x := range j.Values {
				if i+1 == len(j.Values) || j.Values[i+1].Score < x.Score {
					best = i
					break
				}
			}
			for i, x := range j.Values {
				if x.Score >= j.Values[best].Score-j.Values[best].Error {
					v.k["gap-axes/first"] = kOf(s, i)
					break
				}
			}
			for i, x := range j.Values {
				if x.Score >= j.Values[j.Best].Score-j.Values[j.Best].Error {
					v.k["gap-axes/globalSE"] = kOf(s, i)
					break
				}
			}
		}
	}
	// log(W1/Wk), of rows and draws
	w := map[tune.Kind]map[int][]float64{}
	for _, t := range trials {
		kind := sweep.Draws[t.Draw].Kind
		if w[kind] == nil {
			w[kind] = map[int][]float64{}
		}
		if w[kind][t.Draw] == nil {
			w[kind][t.Draw] = make([]float64, 10)
		}
		w[kind][t.Draw][t.Candidate] = t.Objective
	}
	ratio := func(o []float64) []float64 {
		r := make([]float64, 10)
		for i := range r {
			r[i] = math.Log(o[0] / o[i])
		}
		return r
	}
	step := func(o []float64) []float64 { // how much one more cluster gives
		r := make([]float64, 10)
		for i := 1; i < 10; i++ {
			r[i] = math.Log(o[i-1] / o[i])
		}
		return r
	}
	for _, kind := range []tune.Kind{tune.Uniform, tune.Normal, tune.Permuted} {
		for name, f := range map[string]func([]float64) []float64{"ratio": ratio, "step": step} {
			own := f(w[tune.Rows][0])
			var drawn [][]float64
			for d := range sweep.Draws {
				if o := w[kind][d]; o != nil {
					drawn = append(drawn, f(o))
				}
			}
			p, k := rank(own, drawn)
			v.p[name+"/"+string(kind)] = p
			v.k[name+"/"+string(kind)] = k
		}
	}
	return v
}

// rank standardises by mean and sd of the draws, and ranks the maximum.
func rank(own []float64, drawn [][]float64) (float64, int) {
	n := float64(len(drawn))
	score := func(of []float64, skip int) (float64, int) {
		most, at := math.Inf(-1), 0
		for i := 1; i < len(of); i++ {
			var m, s, c float64
			for b, d := range drawn {
				if b != skip {
					m += d[i]
					c++
				}
			}
			m /= c
			for b, d := range drawn {
				if b != skip {
					s += (d[i] - m) * (d[i] - m)
				}
			}
			s = math.Sqrt(s / (c - 1))
			if z := (of[i] - m) / s; z > most {
				most, at = z, i+1
			}
		}
		return most, at
	}
	t, k := score(own, -1)
	larger := 0.0
	for b, d := range drawn {
		if o, _ := score(d, b); o >= t {
			larger++
		}
	}
	return (1 + larger) / (1 + n), k
}

func kOf(s tune.Study, i int) int {
	if i < 0 {
		return 0
	}
	return s.Candidates[i].K
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	count := 10
	if len(os.Args) > 1 {
		count, _ = strconv.Atoi(os.Args[1])
	}
	right, power := map[string]int{}, map[string]int{}
	n := 0
	for i := range count {
		m := clustertest.Mixture{K: 2 + i%7, P: []int{2, 4, 8, 15, 20}[i/2%5], N: []int{200, 400, 800}[i%3], Seed: uint64(i + 1)}
		rows, _ := m.Rows()
		v := study(rows)
		n++
		for name, k := range v.k {
			if k == m.K {
				right[name]++
			}
		}
		for name, p := range v.p {
			if p <= 0.05 {
				power[name]++
			}
		}
		fmt.Println(m, v.k, v.p)
	}
	fmt.Println("right of", n, right)
	fmt.Println("power", power)
	for _, uniform := range []bool{false, true} {
		for _, correlated := range []bool{false, true} {
			found, none := map[string]int{}, map[string]int{}
			for i := range count {
				b := clustertest.Blob{P: []int{2, 4, 8, 15, 20}[i%5], N: []int{200, 400, 800}[i%3], Uniform: uniform, Correlated: correlated, Seed: uint64(i + 1)}
				v := study(b.Rows())
				for name, p := range v.p {
					if p <= 0.05 {
						found[name]++
					}
				}
				for name, k := range v.k {
					if k <= 1 {
						none[name]++
					}
				}
			}
			fmt.Println("uniform", uniform, "correlated", correlated, "of", count, "structure found", found, "\n   k<=1:", none)
		}
	}
}
