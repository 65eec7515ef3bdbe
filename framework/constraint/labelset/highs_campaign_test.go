//go:build campaign

package labelset_test

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// TestCampaignCostsAreThoseOfALinearProgram compares 500 projections with the optima that
// HiGHS has found, which are stored: testdata/README.md says how. SQLCLUSTER_TEST_HIGHS, the Python
// that has scipy, finds them anew and stores them.
func TestCampaignCostsAreThoseOfALinearProgram(t *testing.T) {
	const cases = 500
	if python := os.Getenv("SQLCLUSTER_TEST_HIGHS"); python != "" {
		askHighs(t, python, cases)
	}
	stored := must.Get(csv.NewReader(bytes.NewReader(must.Get(os.ReadFile("testdata/highs.csv"))(t))).ReadAll())(t)
	must.Equal(t, cases+1, len(stored))
	feasible := 0
	for i, row := range stored[1:] {
		c := drawHighs(uint64(i))
		set := declared(t, c.table(), c.lines()...)
		labels := make([]int32, c.n)
		point, err := set.Project(t.Context(), labels, c.at)
		if row[4] == "infeasible" {
			must.Fault(t, err, "infeasible-labels")
			continue
		}
		must.Do(t, err)
		feasible++
		want := must.Get(strconv.ParseFloat(row[4], 64))(t)
		if diff := math.Abs(point.Cost - want); diff > 1e-9*math.Abs(want) || c.whole && diff != 0 || set.Violation(labels) != 0 {
			t.Errorf("case %d, %s: %v, and HiGHS finds %v", i, row[3], point.Cost, want)
		}
	}
	t.Logf("%d of %d cases have labels", feasible, cases)
}

// TestCampaignNineRowsAreLabelledAsWellAsCanBe is TestFlowsAreTheLowestLabelsOfLeastCost, and the same for few rows, with nine.
func TestCampaignNineRowsAreLabelledAsWellAsCanBe(t *testing.T) {
	for name, kinds := range map[string][]string{
		"flows": {"size", "share", "unique_per", "size"}, "others": {"size", "unique_per", "capacity", "balance"},
	} {
		t.Run(name, func(t *testing.T) {
			cases := 0
			rapid.Check(t, func(t *rapid.T) {
				judge(t, drawLines(t, kinds), 9)
				cases++
			})
			t.Logf("%d cases", cases)
		})
	}
}

// highs is a case.
type highs struct {
	n, k   int
	name   string
	whole  bool // costs are whole numbers
	at     framework.LabelCosts
	lo, hi []int
	codes  []int32 // nil: no column is counted
	values int
	most   int
}

func drawHighs(seed uint64) highs {
	r := rand.New(rand.NewPCG(seed, 19))
	n := []int{5, 40, 200, 600, 2000}[seed%5]
	c := highs{n: n, k: min(2+r.IntN(9), n)}
	c.at = framework.LabelCosts{Costs: framework.NewMatrix(n, c.k), Threads: 2}
	makes := []string{"plain", "ties", "weights", "tenths", "far"}
	c.name = makes[r.IntN(len(makes))]
	c.whole = c.name == "ties"
	for i := range n {
		x, w := 3*r.NormFloat64(), 1.0
		if c.name == "weights" {
			w = []float64{0, 0.3, 1, 7}[r.IntN(4)]
		}
		for j := range c.k {
			v := (x-float64(j))*(x-float64(j)) + math.Abs(r.NormFloat64())
			switch c.name {
			case "ties":
				v = math.Round(v)
			case "tenths":
				v = math.Round(v*10) / 10
			case "far":
				v += 1e8
			}
			c.at.Costs.Row(i)[j] = v * w
		}
	}
	c.sizes(r)
	if r.IntN(3) == 0 {
		c.name += " unique"
		c.values = max(1, n/(1+r.IntN(4)))
		c.most = 1 + r.IntN(2)
		for range n {
			c.codes = append(c.codes, int32(r.IntN(c.values+1))-1)
		}
	}
	return c
}

// sizes draws bounds: loose, tight, or such that some of them contradict.
func (c *highs) sizes(r *rand.Rand) {
	each := float64(c.n) / float64(c.k)
	for range c.k {
		lo := int(each * (0.6 + 0.5*r.Float64()))
		c.lo = append(c.lo, lo)
		c.hi = append(c.hi, lo+r.IntN(2+int(each*0.4)))
	}
	switch r.IntN(4) {
	case 0:
		c.name += " tight"
		for j := range c.k {
			c.lo[j] = (j+1)*c.n/c.k - j*c.n/c.k
			c.hi[j] = c.lo[j]
		}
	case 1:
		c.name += " loose"
		for j := range c.k {
			c.lo[j], c.hi[j] = 0, c.n/2+1
		}
	}
}

func (c *highs) lines() (lines []string) {
	for j := range c.k {
		lines = append(lines, fmt.Sprintf("size %d - %d %d", j, c.lo[j], c.hi[j]))
	}
	if c.codes != nil {
		lines = append(lines, fmt.Sprintf("unique_per - v - %d", c.most))
	}
	return lines
}

func (c *highs) table() framework.LabelTable {
	t := framework.LabelTable{N: c.n, K: c.k}
	if c.codes != nil {
		t.Columns = []framework.LabelColumn{{Name: "v", Codes: c.codes, Values: make([]string, c.values)}}
		for v := range c.values {
			t.Columns[0].Values[v] = fmt.Sprintf("%09d", v)
		}
	}
	return t
}

// askHighs writes testdata/highs.csv.
func askHighs(t *testing.T, python string, cases int) {
	out := bytes.NewBufferString("case,n,k,make,least\n")
	for i := range cases {
		c := drawHighs(uint64(i))
		var in bytes.Buffer
		head := []int64{int64(c.n), int64(c.k), int64(c.most)}
		for j := range c.k {
			head = append(head, int64(c.lo[j]), int64(c.hi[j]))
		}
		must.Do(t, binary.Write(&in, binary.LittleEndian, head))
		codes := c.codes
		if codes == nil {
			codes = slices.Repeat([]int32{-1}, c.n)
		}
		must.Do(t, binary.Write(&in, binary.LittleEndian, codes))
		must.Do(t, binary.Write(&in, binary.LittleEndian, c.at.Costs.Data))
		cmd := exec.CommandContext(t.Context(), python, "testdata/highs.py")
		cmd.Stdin, cmd.Stderr = &in, os.Stderr
		answer := must.Get(cmd.Output())(t)
		fmt.Fprintf(out, "%d,%d,%d,%s,%s\n", i, c.n, c.k, c.name, bytes.TrimSpace(answer))
	}
	must.Do(t, os.WriteFile("testdata/highs.csv", out.Bytes(), 0o644))
}
