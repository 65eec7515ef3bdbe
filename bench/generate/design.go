package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
)

// A design is a table of numbers: images, or a mixture of k normal clusters, whose
// centers are drawn with the given spread in the first informative columns; all
// other columns are noise.
type design struct {
	name                 string
	n, p, k, informative int
	spread               float64
	images               []byte // n × p pixels
	fromLabels           bool   // the start is random labels instead of rows
}

var designs = []design{
	{name: "A", n: 200_000, p: 50, k: 20, informative: 50, spread: 0.8},
	{name: "B", n: 1_000_000, p: 20, k: 10, informative: 20, spread: 0.8},
	{name: "C", n: 20_000, p: 1000, k: 10, informative: 20, spread: 1},
	{name: "D", n: 60_000, p: 784, k: 10},
	{name: "E20", n: 400, p: 20, k: 10, informative: 20, spread: 1, fromLabels: true},
	{name: "E100", n: 400, p: 100, k: 10, informative: 20, spread: 1, fromLabels: true},
	{name: "E1000", n: 400, p: 1000, k: 10, informative: 20, spread: 1, fromLabels: true},
}

func names() []string {
	var all []string
	for _, d := range designs {
		all = append(all, d.name)
	}
	return all
}

// find returns a design by its name or its size: 20000000x20x10.
func find(name string) (design, error) {
	for _, d := range designs {
		if d.name == name {
			if d.name == "D" {
				d.images = standIn(d)
			}
			return d, nil
		}
	}
	d := design{name: name, spread: 0.8}
	if _, err := fmt.Sscanf(name, "%dx%dx%d", &d.n, &d.p, &d.k); err != nil || d.n < 1 || d.p < 1 || d.k < 1 || d.k > d.n {
		return d, fmt.Errorf("there is no design %q", name)
	}
	d.informative = d.p
	return d, nil
}

// rows returns a function that writes row i, to be called with 0, 1, … in order.
func (d design) rows() func(i int, row []float64) {
	if d.images != nil {
		return func(i int, row []float64) {
			for l := range row {
				row[l] = float64(d.images[i*d.p+l]) / 255
			}
		}
	}
	r := rand.New(rand.NewPCG(1, uint64(d.n*d.p)))
	centers := make([]float64, d.k*d.informative)
	for i := range centers {
		centers[i] = d.spread * r.NormFloat64()
	}
	return func(_ int, row []float64) {
		j := r.IntN(d.k)
		for l := range row {
			row[l] = r.NormFloat64()
			if l < d.informative {
				row[l] += centers[j*d.informative+l]
			}
		}
	}
}

// A start is the same for all programs.
type start struct {
	centers []float64 // k × p
	labels  []int32   // random; or, if centers are rows, the number of the row modulo k
}

func newStart(d design) start {
	r := rand.New(rand.NewPCG(2, 2))
	s := start{centers: make([]float64, d.k*d.p), labels: make([]int32, d.n)}
	row, next := make([]float64, d.p), d.rows()
	if d.fromLabels {
		sizes := make([]float64, d.k)
		for i := range s.labels {
			s.labels[i] = int32(r.IntN(d.k))
			sizes[s.labels[i]]++
		}
		for i, j := range s.labels {
			next(i, row)
			for l, v := range row {
				s.centers[int(j)*d.p+l] += v / sizes[j]
			}
		}
		return s
	}
	place := make(map[int]int, d.k)
	for len(place) < d.k {
		i := r.IntN(d.n)
		if _, taken := place[i]; !taken {
			place[i] = len(place)
		}
	}
	for i := range d.n {
		next(i, row)
		s.labels[i] = int32(i % d.k)
		if j, ok := place[i]; ok {
			copy(s.centers[j*d.p:], row)
		}
	}
	return s
}

// standIn makes images of the size and kind of MNIST, which cannot be part of this
// repository: strokes of one of 10 shapes, moved and thickened at random, in the
// middle of 28 × 28 pixels, most of which are 0.
func standIn(d design) []byte {
	const side, points = 28, 12
	r := rand.New(rand.NewPCG(4, uint64(d.n*d.p)))
	var shapes [10][points][2]float64
	for s := range shapes {
		x, y := 8+12*r.Float64(), 8+12*r.Float64()
		for t := range shapes[s] {
			x, y = min(max(x+5*r.NormFloat64(), 6), 22), min(max(y+5*r.NormFloat64(), 6), 22)
			shapes[s][t] = [2]float64{x, y}
		}
	}
	images := make([]byte, d.n*d.p)
	for i := range d.n {
		image := images[i*d.p : (i+1)*d.p]
		shape := &shapes[r.IntN(len(shapes))]
		dx, dy, slant, width := 1.2*r.NormFloat64(), 1.2*r.NormFloat64(), 0.15*r.NormFloat64(), 0.8+0.6*r.Float64()
		for t := range points - 1 {
			for u := range 8 {
				f := float64(u) / 8
				x := shape[t][0]*(1-f) + shape[t+1][0]*f + dx
				y := shape[t][1]*(1-f) + shape[t+1][1]*f + dy
				dot(image, side, x+slant*(y-14), y, width)
			}
		}
	}
	return images
}

// dot draws a round spot.
func dot(image []byte, side int, x, y, width float64) {
	for v := int(y - width); v <= int(y+width+1); v++ {
		for u := int(x - width); u <= int(x+width+1); u++ {
			if u < 0 || v < 0 || u >= side || v >= side {
				continue
			}
			far := (float64(u)-x)*(float64(u)-x) + (float64(v)-y)*(float64(v)-y)
			if light := 1 - far/(width+0.5)/(width+0.5); light > 0 {
				image[v*side+u] = max(image[v*side+u], byte(255*light))
			}
		}
	}
}

// fromMNIST reads images in the IDX format of http://yann.lecun.com/exdb/mnist/.
func fromMNIST(path string) (design, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return design{}, err
	}
	if len(text) < 16 || binary.BigEndian.Uint32(text) != 0x803 {
		return design{}, errors.New(path + " is no IDX file of images; unpack it first")
	}
	n, p := int(binary.BigEndian.Uint32(text[4:])), int(binary.BigEndian.Uint32(text[8:])*binary.BigEndian.Uint32(text[12:]))
	if len(text) < 16+n*p {
		return design{}, fmt.Errorf("%s has %d bytes for %d images of %d pixels", path, len(text), n, p)
	}
	return design{name: "D", n: n, p: p, k: 10, images: text[16 : 16+n*p]}, nil
}
