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
	var d, e, f, g float64
	b = b[:len(a)]
	for len(a) >= 4 {
		s, t, u, v := a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
		d, e, f, g = d+float64(s*s), e+float64(t*t), f+float64(u*u), g+float64(v*v)
		a, b = a[4:], b[4:]
	}
	for i, v := range a {
		t := v - b[i]
		d += float64(t * t)
	}
	return (d + e) + (f + g)
}
