package job

import (
	"fmt"
	"math"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/result"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// rareShare is the share of the rows below which a category is worth a warning:
// rows that have it lie 7 standard deviations of a number from the mean.
const rareShare = 0.02

// noteRare warns of rare categories.
func (b *Job) noteRare() {
	const shown = 5
	var rare []string
	for _, f := range b.Recipe.Features {
		if f.IsCategory() && f.Share < rareShare {
			rare = append(rare, fmt.Sprintf("%s (%.2g %%)", f.Name, 100*f.Share))
		}
	}
	if len(rare) > 0 {
		b.note("%s few rows, which lie far from all others and may become a cluster: %s",
			input.Counted(len(rare), "category has", "categories have"), strings.Join(input.FirstOf(rare, shown), ", "))
	}
}

// originalCenters returns the centers (k×p) in the units of the relation. They
// keep the constraints, which may be given in the last digit. frequency has the
// shares of categories.
func (b *Job) originalCenters(m *framework.Model, frequency framework.Matrix) framework.Matrix {
	all := m.Centers.Clone()
	for i, v := range all.Data {
		l := i % all.Cols
		if all.Data[i] = b.Recipe.Original(l, v); v == b.Recipe.Fitted(l, 0) {
			all.Data[i] = 0 // and not what rounding leaves of it
		}
		if b.Recipe.Features[l].IsCategory() {
			all.Data[i] = silentShare(all.Data[i], frequency.Data[i], b.Problem.N)
		}
	}
	if set, ok := b.Problem.Centers.(*declare.Set); ok {
		set.Keep(all)
	}
	return all
}

// centers returns the rows of the centers table, and how many entries have none: those
// that are 0 in original units, or of a feature that no cluster selects, if only others
// are wanted. Each cluster has a row at least. The frequencies of categories are counted
// from rows and labels, in the order of the rows.
func (b *Job) centers(f *Fitted) (rows []result.Center, leftOut int) {
	k, features := b.Problem.K, b.Recipe.Features
	count, mass := b.frequencies(f)
	share := count.Clone()
	for i := range share.Data {
		share.Data[i] /= mass[i/share.Cols] // NaN where the cluster has no row
	}
	original := b.originalCenters(f.Model, share)
	row := func(j, l int) result.Center {
		feature := &features[l]
		c := result.Center{Cluster: j, Feature: feature.Column(), Center: original.Row(j)[l], Scaled: f.Model.Centers.Row(j)[l]}
		if b.Problem.Columns[l].Mass == 0 && c.Scaled == 0 { // nothing is known of the column
			c.Center, c.Scaled = math.NaN(), math.NaN()
		}
		if feature.IsCategory() {
			c.Category = &feature.Category
			c.Frequency = share.Row(j)[l]
			c.Modal = new(mass[j] > 0 && l == modal(features, count.Row(j), l))
		}
		return c
	}
	only, used := b.onlyNonzero(), b.used(f)
	if !only {
		rows = make([]result.Center, 0, k*len(features))
	}
	for j := range k {
		before := len(rows)
		for l := range features {
			c := row(j, l)
			if only && (!used[l] || c.Center == 0) {
				continue
			}
			rows = append(rows, c)
		}
		if len(rows) == before {
			rows = append(rows, row(j, 0))
		}
	}
	return rows, k*len(features) - len(rows)
}

// onlyNonzero reports whether entries of centers that are 0 have no row in the results.
func (b *Job) onlyNonzero() bool { return b.Settings.OnlyNonzero(b.Problem.K * b.Problem.P) }

// used says of each feature whether any cluster selects it; all are used where the
// algorithm selects nothing.
func (b *Job) used(f *Fitted) []bool {
	used := make([]bool, b.Problem.P)
	for _, of := range f.features {
		used[of.Column] = used[of.Column] || of.Selected || of.Rank == 0
	}
	for l := range used {
		used[l] = used[l] || len(f.features) == 0
	}
	return used
}

// CentersNote says how many entries of the centers have a row in the results, and how
// all get one; "" if all have.
func CentersNote(r *result.Tables) string {
	if r.CentersLeftOut == 0 {
		return ""
	}
	return fmt.Sprintf("centers have %d of %s: entries without one are 0 in original units, or of features that are not selected; "+
		"%s writes all", len(r.Centers), input.Plural(len(r.Centers)+r.CentersLeftOut, "row"),
		framework.SettingTo("center_rows", settings.AllCenters))
}

// frequencies returns the weight of the rows of each cluster that have a
// category, by feature, and that of all its rows; nothing if there are no categories.
func (b *Job) frequencies(f *Fitted) (count framework.Matrix, mass []float64) {
	if f.sums != nil {
		return b.frequenciesOf(f.sums)
	}
	mass = make([]float64, b.Problem.K)
	if !b.Recipe.HasCategories() {
		return framework.Matrix{}, mass // which nobody asks for
	}
	count = framework.NewMatrix(b.Problem.K, b.Problem.P)
	x, weights := b.Data.Matrix(), b.Data.Weights()
	has := make([]float64, b.Problem.P) // above it, a fitted cell stands for 1
	for l := range has {
		has[l] = b.Recipe.Fitted(l, 0.5)
	}
	for i, j := range f.Labels {
		if j < 0 {
			continue // no feature has a weight
		}
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		mass[j] += w
		of := count.Row(int(j))
		for l, v := range x.Row(i) {
			if v > has[l] && b.Recipe.Features[l].IsCategory() {
				of[l] += w
			}
		}
	}
	return count, mass
}

// modal returns the most frequent category of the column that feature l belongs
// to.
func modal(features []matrix.Feature, count []float64, l int) int {
	for l > 0 && features[l-1].Source == features[l].Source {
		l--
	}
	best := l
	for next := l + 1; next < len(features) && features[next].Source == features[l].Source; next++ {
		if count[next] > count[best] {
			best = next
		}
	}
	return best
}

// category returns the category of a feature for a result table.
func category(f matrix.Feature) *string {
	if !f.IsCategory() {
		return nil
	}
	return &f.Category
}
