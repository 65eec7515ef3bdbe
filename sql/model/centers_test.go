package model

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// wideCenters are k × p, of which a share is drawn and the others are one number for each
// column, 0 and −0 among them.
func wideCenters(k, p int, share float64) storedCenters {
	r := rand.New(rand.NewPCG(1, 2))
	c := make(storedCenters, k)
	for j := range c {
		c[j] = make([]float64, p)
		for l := range p {
			if c[j][l] = -1 / float64(l+1); l%3 == 0 {
				c[j][l] = math.Copysign(0, float64(l%2)-0.5)
			}
			if r.Float64() < share {
				c[j][l] = r.NormFloat64()
			}
		}
	}
	return c
}

func TestManyCentersThatAreMostlyEqualAreStoredInAShortForm(t *testing.T) {
	c := wideCenters(21, 5000, 0.1)
	text := must.Get(json.Marshal(c))(t)
	long := must.Get(json.Marshal([][]float64(c)))(t)
	if 3*len(text) > len(long) {
		t.Errorf("%d bytes, and %d without", len(text), len(long))
	}
	var read storedCenters
	must.Do(t, json.Unmarshal(text, &read))
	for j := range c {
		for l := range c[j] {
			if !same(c[j][l], read[j][l]) {
				t.Fatalf("center %d, feature %d: %v, want %v", j, l, read[j][l], c[j][l])
			}
		}
	}
	s := Stored{Centers: c}
	if text := must.Get(s.Encode())(t); !strings.HasPrefix(text, `{"format_version":2,`) {
		t.Error(text[:40])
	}
}

func TestOtherCentersAreStoredAsTheyAre(t *testing.T) {
	for name, c := range map[string]storedCenters{"few": wideCenters(10, 1000, 0.1), "drawn": wideCenters(21, 5000, 0.9),
		"more than the text may say": wideCenters(200, 5000, 0)} {
		if c.sparse() != nil {
			t.Error(name)
		}
	}
	many := `{"mostly":[` + strings.Repeat("0,", 999) + `0],"rows":[` + strings.Repeat("{},", 999) + `{}]}`
	if err := json.Unmarshal([]byte(many), new(storedCenters)); err == nil {
		t.Error("a short text has a million numbers")
	}
}
