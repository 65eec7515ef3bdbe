package chart_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/chart"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// samples are made-up pictures of each kind, with what goes wrong easily: values that
// are not there, names that are long or not plain text.
func samples() []chart.Chart {
	nan := math.NaN()
	long := "concentration_of_nonflavanoid_phenols_in_mg_per_l"
	return []chart.Chart{
		{Name: "bars", Title: "Sizes of clusters", Note: "Each bar is a cluster; longer bars have more rows.", Picture: &chart.Bars{
			Names: []string{"cluster 0", long, `<b>&"x"`}, Values: []float64{59, 12.5, nan}, Texts: []string{"59", "12.5", "–"},
			Errors: []float64{4, nan, nan}, Tones: []chart.Tone{chart.Cluster(0), chart.Cluster(1), chart.Plain}, Unit: "rows",
			Lines: []chart.Line{{At: 30, Name: "half"}}}},
		{Name: "tiles", Title: "Profile", Note: "Blue is below the mean.", Picture: &chart.Tiles{
			Rows: []string{"flavanoids", long}, Columns: []string{"0", "1", "all rows"}, Values: [][]float64{{1.4, -0.7, 0}, {nan, 2.5, 0}},
			Texts: [][]string{{"2.99", "0.86", "2.03"}, {"–", "1234567.8", "12"}}, Unit: "standard deviations from the mean", Most: 2}},
		{Name: "lines", Title: "Score by k", Note: "Higher is better.", Picture: &chart.Lines{
			Series: []chart.Series{
				{Name: "k 2", X: []float64{2, 3, 4}, Y: []float64{0.1, 0.3, nan}, Errors: []float64{0.05, 0.02, nan}, Tone: chart.Cluster(0)},
				{Name: long, X: []float64{2, 3, 4}, Y: []float64{0.2, 0.25, 0.1}, Tone: chart.Cluster(1)}},
			X: "sparsity (features)", Y: "gap", Whole: true, Marks: []chart.Mark{{X: 3, Y: 0.3, Name: "best"}}}},
		{Name: "log", Title: "Path", Note: "Lines that reach 0 are left out.", Picture: &chart.Lines{
			Series: []chart.Series{{X: []float64{0.001, 0.1, 10}, Y: []float64{1, 0.5, 0}, Tone: chart.Plain, Bare: true}}, X: "lambda",
			Y: "weight"}},
		{Name: "points", Title: "Rows", Note: "Rows that are near each other are alike.", Picture: &chart.Points{
			X: []float64{0, 1, 2, 3, nan}, Y: []float64{0, 1, 0, 2, 1}, Cluster: []int32{0, 8, 16, -1, 1},
			Centers: []chart.Point{{X: 0, Y: 0, Cluster: 0, Name: "0"}, {X: 0.01, Y: 0, Cluster: 8, Name: "8"}}, XName: "first", YName: "second"}},
		{Name: "silhouette", Title: "Silhouette", Note: "Rows below 0 are nearer to another cluster.", Picture: &chart.Silhouette{
			Bands: []chart.Band{{Name: "cluster 0", Cluster: 0, Values: []float64{0.9, -0.2, 0.5, nan}}, {Name: "cluster 1", Cluster: 1,
				Values: []float64{0.3}}}, Mean: 0.4}},
	}
}

func TestPicturesAreThoseOfTheGoldenFiles(t *testing.T) {
	for _, c := range samples() {
		t.Run(c.Name, func(t *testing.T) {
			path, got := filepath.Join("testdata", c.Name+".svg"), c.SVG()
			if *update {
				must.Do(t, os.WriteFile(path, got, 0o666))
			}
			must.Equal(t, string(must.Get(os.ReadFile(path))(t)), string(got))
		})
	}
}

func TestAPictureIsWellFormedAndSaysWhatItIs(t *testing.T) {
	for _, c := range samples() {
		t.Run(c.Name, func(t *testing.T) {
			for name, text := range map[string]string{"file": string(c.SVG()), "inline": c.Inline()} {
				for d := xml.NewDecoder(strings.NewReader(text)); ; {
					_, err := d.Token()
					if errors.Is(err, io.EOF) {
						break
					}
					must.Do(t, err)
				}
				if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
					t.Errorf("%s: a number is not finite", name)
				}
				if !strings.Contains(text, "<title>"+c.Title+"</title>") || !strings.Contains(text, "<desc>"+c.Note+"</desc>") {
					t.Errorf("%s: title or description is missing", name)
				}
			}
		})
	}
}

func TestALongNameIsCutAndGivenInFull(t *testing.T) {
	for _, c := range samples()[:3] {
		text := c.Inline()
		if !strings.Contains(text, "…") || !strings.Contains(text, "<title>concentration_of_nonflavanoid_phenols_in_mg_per_l") {
			t.Errorf("%s: the name is not there, or not cut", c.Name)
		}
	}
}

func TestVegaLiteHasDataAndMarks(t *testing.T) {
	for _, c := range samples() {
		var got map[string]any
		must.Do(t, json.Unmarshal(must.Get(c.Vega())(t), &got))
		if got["$schema"] == nil || got["title"] != c.Title || got["mark"] == nil && got["layer"] == nil {
			t.Errorf("%s: %v", c.Name, got)
		}
	}
}

func TestATilesScaleReachesBothEndsOfItsTones(t *testing.T) {
	got := (&chart.Chart{Picture: &chart.Tiles{Rows: []string{"x"}, Columns: []string{"a", "b", "c"}, Values: [][]float64{{-9, 0, 9}},
		Texts: [][]string{{"", "", ""}}, Unit: "sd", Most: 2}}).Inline()
	for _, tone := range []string{`class="n4"`, `class="m"`, `class="p4"`} {
		if strings.Count(got, tone) != 2 { // the tile, and the box that explains it
			t.Errorf("%s is there %d times", tone, strings.Count(got, tone))
		}
	}
}
