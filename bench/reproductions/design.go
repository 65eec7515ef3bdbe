package main

import (
	"encoding/csv"
	"io"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// A sample is a data set that was made up, with its truth. A missing cell is NaN.
type sample struct {
	x           framework.Matrix
	classes     []int32
	informative int // the first features, which all classes share; 0 if each class has its own
}

// groups draws 10 groups of 40 rows, as Brodinová and others (2019) do. The mean of
// group j is m in informative feature j, and in feature j + 10 if there is one, and 0
// elsewhere; one m for all groups, from 3 to 6 or from −6 to −3. The informative
// features of a group have variance 1 and a common correlation of 0.1 to 0.9 before they
// are rotated at random. The other features are standard normal. With outliers, 4 rows
// of each group have independent informative features, with a variance of 3 to 10.
func groups(r *rand.Rand, p, informative int, outliers bool) sample {
	const k, size = 10, 40
	s := sample{framework.NewMatrix(k*size, p), make([]int32, k*size), informative}
	m := 3 + 3*r.Float64()
	if r.IntN(2) == 0 {
		m = -m
	}
	for j := range k {
		rho, loud := 0.1+0.8*r.Float64(), math.Sqrt(3+7*r.Float64())
		// What is equal in all features lies along one direction, which the rotation moves anywhere.
		axis := direction(r, informative)
		for i := range size {
			row := s.x.Row(j*size + i)
			s.classes[j*size+i] = int32(j)
			common := math.Sqrt(rho*float64(informative)) * r.NormFloat64()
			for l := range row {
				row[l] = r.NormFloat64()
				switch {
				case l >= informative:
					continue
				case outliers && i < size/10:
					row[l] *= loud
				default:
					row[l] = math.Sqrt(1-rho)*row[l] + common*axis[l]
				}
				if l%k == j {
					row[l] += m
				}
			}
		}
	}
	return s
}

// direction draws a point of the unit sphere.
func direction(r *rand.Rand, p int) []float64 {
	to, norm := make([]float64, p), 0.0
	for l := range to {
		to[l] = r.NormFloat64()
		norm += to[l] * to[l]
	}
	for l := range to {
		to[l] /= math.Sqrt(norm)
	}
	return to
}

// classes draws 250 rows of 5 classes, each with a random share and at least 10 rows.
// 10 features have a mean of 0 to 6 in a class and variance 1: the first ones, or others
// in each class if local. All else is normal with mean 0 and the given variance. The
// given part of the cells is missing.
func classes(r *rand.Rand, p int, local bool, noise, missing float64) sample {
	const n, k, informative = 250, 5, 10
	s := sample{framework.NewMatrix(n, p), make([]int32, n), informative}
	if local {
		s.informative = 0
	}
	share, sum := make([]float64, k), 0.0
	means := framework.NewMatrix(k, p)
	for j := range k {
		share[j] = r.ExpFloat64()
		sum += share[j]
		features := r.Perm(p)
		for l := range informative {
			at := l
			if local {
				at = features[l]
			}
			means.Row(j)[at] = 6 * (1 - r.Float64()) // 0 marks noise
		}
	}
	for i := range n {
		j := i % k // the first 50 rows are 10 of each class
		if i >= 10*k {
			u := r.Float64() * sum
			for j = 0; j < k-1 && u >= share[j]; j++ {
				u -= share[j]
			}
		}
		s.classes[i] = int32(j)
		for l, m := range means.Row(j) {
			v := r.NormFloat64()
			if m == 0 {
				v *= math.Sqrt(noise)
			}
			if v += m; r.Float64() < missing {
				v = math.NaN()
			}
			s.x.Row(i)[l] = v
		}
	}
	return s
}

// standardised returns the rows as a fit reads them, and the problem of k clusters.
func (s sample) standardised(k int) (*matrix.Data, framework.Problem, error) {
	b, err := matrix.BuilderOf(s.x, nil, matrix.Options{})
	if err != nil {
		return nil, framework.Problem{}, err
	}
	sources := make([]matrix.Source, s.x.Cols)
	for l := range sources {
		sources[l].Name = "x" + strconv.Itoa(l+1)
	}
	data, _, p, err := matrix.Prepare(b, sources, matrix.Scaling{Center: "mean", Scale: "sd"}, nil)
	p.K = k
	return data, p, err
}

// writeTo writes the rows with their class as CSV.
func (s sample) writeTo(to io.Writer) error {
	w := csv.NewWriter(to)
	line := []string{"id"}
	for l := range s.x.Cols {
		line = append(line, "x"+strconv.Itoa(l+1))
	}
	_ = w.Write(append(line, "class")) // Error tells
	for i, class := range s.classes {
		line = append(line[:0], strconv.Itoa(i+1))
		for _, v := range s.x.Row(i) {
			line = append(line, strconv.FormatFloat(v, 'g', -1, 64))
		}
		_ = w.Write(append(line, strconv.Itoa(int(class)+1)))
	}
	w.Flush()
	return w.Error()
}
