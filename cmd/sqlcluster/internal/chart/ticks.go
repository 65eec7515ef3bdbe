package chart

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// ticks are round numbers: 1, 2 or 5 of some power of ten apart, which their labels
// show in full.
type ticks struct{ least float64 } // distance; 0: any

const (
	mostTicks   = 6
	mostCounted = 13 // of whole numbers, which are short: with these, the ends have ticks too
)

func (t ticks) Ticks(lo, hi float64) (all []plot.Tick) {
	step := t.step(hi - lo)
	if !(step > 0) {
		return nil
	}
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+1e-9*step && len(all) <= 2*mostTicks; i++ {
		v := i*step + 0 // no −0
		text := strconv.FormatFloat(v, 'f', digits, 64)
		if i != 0 && (math.Abs(v) >= 1e6 || digits > 4) {
			text = strconv.FormatFloat(v, 'g', 3, 64)
		}
		all = append(all, plot.Tick{Value: v, Label: minus(text)})
	}
	return all
}

// step is the distance of ticks on an axis of that length; 0 if it has none.
func (t ticks) step(length float64) (step float64) {
	if t.least == 1 && length < mostCounted {
		return 1
	}
	power := math.Floor(math.Log10(length / mostTicks))
	if !finite(power) {
		return 0
	}
	for _, round := range []float64{1, 2, 5, 10} {
		if step = max(t.least, round*math.Pow(10, power)); length/step <= mostTicks {
			break
		}
	}
	return step
}

// minus writes a number with the sign that is as wide as a plus.
func minus(text string) string { return strings.ReplaceAll(text, "-", "−") }

// labelled is ticks without those that have no label.
type labelled struct{ plot.Ticker }

func (t labelled) Ticks(lo, hi float64) []plot.Tick {
	var all []plot.Tick
	for _, tick := range t.Ticker.Ticks(lo, hi) {
		if !tick.IsMinor() {
			tick.Label = minus(tick.Label)
			all = append(all, tick)
		}
	}
	return all
}
