package sets

import (
	"fmt"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
)

// The laws of what sets read and write.

func deterministic(c *judge.Trial, target Target) {
	p := target.draw(c)
	for range 3 {
		if y := p.project(p.at); judge.Differ(y.Data, p.y.Data) >= 0 {
			c.Failf("Px is %v once, and %v another time", judge.RowsOf(p.y), judge.RowsOf(y))
		}
	}
	dst := framework.NewMatrix(p.y.Rows, p.y.Cols)
	c.Must(p.set.Project(dst, p.at))
	if judge.Differ(dst.Data, p.y.Data) >= 0 {
		c.Failf("Px is %v in a dst of zeros, and %v in one full of NaN", judge.RowsOf(dst), judge.RowsOf(p.y))
	}
}

// projectTogether has several goroutines project points of their own, again and again.
func projectTogether(c *judge.Trial, target Target) {
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
		cases.Fill(c, at.X)
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
					dst := cases.Junk(j.at.X.Rows, j.at.X.Cols)
					if err := p.set.Project(dst, j.at); err != nil {
						return err.Error()
					}
					if judge.Differ(dst.Data, j.want.Data) >= 0 {
						return fmt.Sprintf("the projection of %v is %v, and alone it is %v", judge.RowsOf(j.at.X), judge.RowsOf(dst), judge.RowsOf(j.want))
					}
					if off := p.set.Violation(j.at.X); !judge.SameBits(off, j.off) {
						return fmt.Sprintf("the violation of %v is %g, and alone it is %g", judge.RowsOf(j.at.X), off, j.off)
					}
				}
				return ""
			}()
		}()
	}
	for range jobs {
		if wrong := <-said; wrong != "" {
			defer c.Failf("while others project onto the set: %s", wrong) // when all have ended
		}
	}
}

func purity(c *judge.Trial, target Target) {
	p := target.draw(c)
	x, rows, cols := p.at.X.Clone(), slices.Clone(p.at.RowMass), slices.Clone(p.at.ColMass)
	y := p.project(p.at)
	if judge.Differ(x.Data, p.at.X.Data) >= 0 || judge.Differ(rows, p.at.RowMass) >= 0 || judge.Differ(cols, p.at.ColMass) >= 0 {
		c.Failf("Project has written to the point: X is %v, RowMass %v, ColMass %v", judge.RowsOf(p.at.X), p.at.RowMass, p.at.ColMass)
	}
	before := y.Clone()
	p.set.Violation(y)
	if judge.Differ(before.Data, y.Data) >= 0 {
		c.Failf("Violation has written to its argument: %v", judge.RowsOf(y))
	}
}

func aliasing(c *judge.Trial, target Target) {
	p := target.draw(c)
	x := p.at.X.Clone()
	c.Must(p.set.Project(x, p.with(x)))
	if judge.Differ(x.Data, p.y.Data) >= 0 {
		c.Failf("Px is %v in place, and %v in memory of its own", judge.RowsOf(x), judge.RowsOf(p.y))
	}
}
