package seeding

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func mustLinks(pairs ...int32) (links []framework.Link) {
	for i := 0; i < len(pairs); i += 2 {
		links = append(links, framework.Link{A: pairs[i], B: pairs[i+1], Weight: 1})
	}
	return links
}

func TestSeedingByHand(t *testing.T) {
	// Neighbourhoods {0,1,2} of mean 1, {4,5} of mean 11, {6,7} of mean 101.
	data := tableOf([]float64{0}, []float64{1}, []float64{2}, []float64{50}, []float64{10}, []float64{12}, []float64{100}, []float64{102})
	links := append(mustLinks(7, 6, 0, 2, 4, 5, 2, 1), framework.Link{A: 0, B: 3, Cannot: true, Weight: 1})
	tests := map[string]struct {
		k     int
		links []framework.Link
		want  []float64
	}{
		"the heaviest, then the farthest by distance and masses": {3, links, []float64{1, 101, 11}},
		"rows that are far away fill up":                         {4, links, []float64{1, 101, 11, 50}},
		"without must-links from the row of largest norm on":     {2, nil, []float64{102, 0}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok, err := centersOf(t.Context(), "seeding", data, Options{K: test.k, Links: test.links})
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			must.Equal(t, test.want, got.Data)
		})
	}
}

func TestSeedingDoesNotDependOnTheOrderOfLinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := grid(t, false)
		n := data.Len()
		if n < 2 {
			return
		}
		var links []framework.Link
		for range rapid.IntRange(0, 6).Draw(t, "links") {
			a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
			if a != b {
				links = append(links, mustLinks(int32(a), int32(b))...)
			}
		}
		o := Options{K: rapid.IntRange(1, n).Draw(t, "k"), Links: links}
		want := must.Get(labelsOf(t.Context(), "seeding", data, o))(t)
		o.Links = slices.Clone(links)
		slices.Reverse(o.Links)
		for i, l := range o.Links {
			o.Links[i].A, o.Links[i].B = l.B, l.A
		}
		got := must.Get(labelsOf(t.Context(), "seeding", data, o))(t)
		must.Equal(t, want, got)
	})
}

func TestLabelsAreThoseOfTheNearestCenters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := grid(t, false)
		space := gridSpace(t, data.x.Cols)
		o := Options{K: choosable(data, 3), Space: space, Threads: 2}
		if data.Len() > 1 {
			o.Links = mustLinks(0, 1)
		}
		for _, name := range Names() {
			centers, ok, err := centersOf(t.Context(), name, data, o)
			if err != nil {
				t.Fatal(name, err)
			}
			if ok == (name == "random") {
				t.Fatalf("%s has centers: %v", name, ok)
			}
			if !ok {
				continue
			}
			labels, err := labelsOf(t.Context(), name, data, o)
			if err != nil {
				t.Fatal(name, err)
			}
			for i, got := range labels {
				want := 0
				for j := range o.K {
					if squareOf(data.x.Row(i), centers.Row(j), space) < squareOf(data.x.Row(i), centers.Row(want), space) {
						want = j
					}
				}
				if int(got) != want {
					t.Fatalf("%s: row %d has label %d; center %d is nearest", name, i, got, want)
				}
			}
		}
	})
}

func TestSeedingRefusesLinksOfRowsThatDoNotExist(t *testing.T) {
	_, err := labelsOf(t.Context(), "seeding", tableOf([]float64{1}, []float64{2}), Options{K: 1, Links: mustLinks(0, 2)})
	must.Fault(t, err, "bad-link")
}
