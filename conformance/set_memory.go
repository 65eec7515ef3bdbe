package conformance

import (
	"fmt"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// The laws of what sets read and write.

func deterministic(c *trial, target SetTarget) {
	p := target.draw(c)
	for range 3 {
		if y := p.project(p.at); differ(y.Data, p.y.Data) >= 0 {
			c.failf("Px is %v once, and %v another time", rowsOf(p.y), rowsOf(y))
		}
	}
	dst := framework.NewMatrix(p.y.Rows, p.y.Cols)
	c.must(p.set.Project(dst, p.at))
	if differ(dst.Data, p.y.Data) >= 0 {
		c.failf("Px is %v in a dst of zeros, and %v in one full of NaN", rowsOf(dst), rowsOf(p.y))
	}
}

// projectTogether has several goroutines project points of their own, again and again.
func projectTogether(c *trial, target SetTarget) {
	p := target.draw(c)
	const workers, times = 8, 20
	type job struct {
		at   framework.Point
		want framework.Matrix
		off  float64
	}
	var jobs []job
	for range workers {
		at := p.with(p.at.X.Clone())
		c.fill(at.X)
		jobs = append(jobs, job{at, p.project(at), p.set.Violation(at.X)})
	}
	said := make(chan string, workers)
	for _, j := range jobs {
		go func() {
			said <- func() (wrong string) {
				defer func() {
					if r := recover(); r != nil {
						wrong = fmt.Sprint("a panic: ", r)
					}
				}()
				for range times {
					dst := junk(j.at.X.Rows, j.at.X.Cols)
					if err := p.set.Project(dst, j.at); err != nil {
						return err.Error()
					}
					if differ(dst.Data, j.want.Data) >= 0 {
						return fmt.Sprintf("the projection of %v is %v, and alone it is %v", rowsOf(j.at.X), rowsOf(dst), rowsOf(j.want))
					}
					if off := p.set.Violation(j.at.X); !sameBits(off, j.off) {
						return fmt.Sprintf("the violation of %v is %g, and alone it is %g", rowsOf(j.at.X), off, j.off)
					}
				}
				return ""
			}()
		}()
	}
	for range jobs {
		if wrong := <-said; wrong != "" {
			defer c.failf("while others project onto the set: %s", wrong) // when all have ended
		}
	}
}

func purity(c *trial, target SetTarget) {
	p := target.draw(c)
	x, rows, cols := p.at.X.Clone(), slices.Clone(p.at.RowMass), slices.Clone(p.at.ColMass)
	y := p.project(p.at)
	if differ(x.Data, p.at.X.Data) >= 0 || differ(rows, p.at.RowMass) >= 0 || differ(cols, p.at.ColMass) >= 0 {
		c.failf("Project has written to the point: X is %v, RowMass %v, ColMass %v", rowsOf(p.at.X), p.at.RowMass, p.at.ColMass)
	}
	before := y.Clone()
	p.set.Violation(y)
	if differ(before.Data, y.Data) >= 0 {
		c.failf("Violation has written to its argument: %v", rowsOf(y))
	}
}

func aliasing(c *trial, target SetTarget) {
	p := target.draw(c)
	x := p.at.X.Clone()
	c.must(p.set.Project(x, p.with(x)))
	if differ(x.Data, p.y.Data) >= 0 {
		c.failf("Px is %v in place, and %v in memory of its own", rowsOf(x), rowsOf(p.y))
	}
}
