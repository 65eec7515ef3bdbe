package report

import (
	"fmt"
)

// compared puts fits side by side; nil where there are less than two.
func compared(all []*Report) *Table {
	t := Table{Title: "Fits side by side", Head: []string{"run", "algorithm", "rows", "clusters", "features", "selected", "objective",
		"silhouette",
		"sizes"}, Left: "Objectives of different algorithms, numbers of clusters or features cannot be compared."}
	for _, p := range all {
		r := p.run
		if len(r.clusters) == 0 {
			continue
		}
		sizes := ""
		for i, c := range r.clusters {
			if i == mostClusters {
				sizes += " …"
				break
			}
			sizes += fmt.Sprintf(" %d", c.Size)
		}
		t.Rows = append(t.Rows, []string{r.name, r.fit.Algorithm, fmt.Sprint(r.fit.N), fmt.Sprint(r.fit.K), fmt.Sprint(r.fit.P),
			fmt.Sprint(len(r.profile.traits)), number(r.fit.Objective, 6), r.silhouette(), sizes})
	}
	if len(t.Rows) < 2 {
		return nil
	}
	return &t
}

// silhouette is the mean silhouette of the rows, if they were read.
func (r *run) silhouette() string {
	if r.drawn == nil {
		return "–"
	}
	return number(r.drawn.Mean, 3)
}
