package means

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// A Loss is what distances sum over features. Its zero value is Squared.
type Loss int

// The losses, with the numbers that they have in package kernel.
const (
	Squared  = Loss(kernel.Squared)  // (x − c)²: the best centers are means
	Absolute = Loss(kernel.Absolute) // |x − c|: the best centers are medians
)

// losses has all that differs between losses, but for the distances themselves,
// which package kernel computes.
var losses = [...]struct {
	name     string // the value of the parameter "loss"
	doc      string // what help says after it
	location string // the best center of a column: what the setting "center" calls it

	// center writes to at the best centers and what they gain, and returns the
	// objective of the centers theta. nil: the best centers are means.
	center func(ctx context.Context, at *framework.Point, theta framework.Matrix, rows framework.Rows, labels []int32) (float64, error)
}{
	Squared:  {name: "l2", doc: "sums squares and has means as centers", location: "mean"},
	Absolute: {name: "l1", doc: "sums absolute values, has medians, and is robust to outliers", location: "median", center: toMedians},
}

// LossParam returns the parameter "loss" of an algorithm whose users choose one.
func LossParam() framework.Param {
	p := framework.Param{Name: "loss", Type: framework.ChoiceParam, Default: Squared.String(), Center: map[string]string{}}
	for i, l := range losses {
		p.Choices = append(p.Choices, l.name)
		if i > 0 {
			p.Doc += "; "
			p.Center[l.name] = l.location
		}
		p.Doc += l.name + " " + l.doc
	}
	return p
}

// LossOf returns the value of LossParam.
func LossOf(p framework.Params) Loss {
	for i, l := range losses {
		if l.name == p.Text("loss") {
			return Loss(i)
		}
	}
	return -1
}

// String returns the loss's value of LossParam.
func (l Loss) String() string { return losses[l].name }

// Center names the best center of a column: "mean" or "median".
func (l Loss) Center() string { return losses[l].location }

// Squares reports whether distances are squares of distances.
func (l Loss) Squares() bool { return l == Squared }

// between returns an upper bound of the distance, the root of it if it is a square,
// between two centers, with weights of features (nil: all 1).
func (l Loss) between(a, b, weights []float64) float64 {
	var d float64
	switch {
	case weights == nil && l.Squares():
		d = squaresBetween(a, b)
	default:
		for i, v := range a {
			t, w := v-b[i], 1.0
			if weights != nil {
				w = weights[i]
			}
			if l.Squares() {
				t *= t
			}
			d += float64(w * math.Abs(t))
		}
	}
	if d == 0 && slices.Equal(a, b) {
		return 0
	}
	d += 1e-300 // squares that underflow
	if l.Squares() {
		d = math.Sqrt(d)
	}
	return d * (1 + float64(float64(len(a)+8)*0x1p-52))
}

// squaresBetween returns the sum of squared differences, by four chains, of which none
// waits for another.
func squaresBetween(a, b []float64) float64 {
	var d [4]float64
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		for l := range d {
			t := x[l] - y[l]
			d[l] += float64(t * t)
		}
	}
	for ; i < len(a); i++ {
		t := a[i] - b[i]
		d[0] += float64(t * t)
	}
	return (d[0] + d[1]) + (d[2] + d[3])
}
