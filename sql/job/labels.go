package job

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// checkLabels refuses labels that are not possible with the other settings.
func (b *Job) checkLabels() error {
	s, bad := &b.Settings, ""
	if s.Labels == "" && s.LabelsAs != "" && s.LabelsAs != settings.LabelsHeld {
		return settings.Wrong("labels_as", "%s says what known classes are used as, and there are none", framework.Setting("labels_as")).
			WithHint("give them with %s, or leave %s out", framework.Setting("labels"), framework.Setting("labels_as"))
	}
	if s.Labels == "" {
		return nil
	}
	switch {
	case s.Start != "" && s.LabelsAs != settings.LabelsPairs:
		bad = "the classes make the start, and one is given"
	case s.Batch > 0 && s.LabelsAs == settings.LabelsPairs:
		bad = fmt.Sprintf("few pairs would have both of their rows in a batch; leave %s out", framework.Setting("batch"))
	case s.Batch > 0:
		bad = fmt.Sprintf("the classes make the start, and batches are to find one; leave %s out", framework.Setting("batch"))
	case s.LabelsAs == settings.LabelsHeld && s.Trim > 0:
		bad = "rows that are trimmed have no cluster"
	case s.LabelsAs == settings.LabelsHeld && s.Pairs != "":
		return settings.Wrong("labels", "classes that are held do not go with pairs").
			WithHint("make pairs of the classes, too: %s", framework.SettingTo("labels_as", settings.LabelsPairs))
	case s.LabelsAs == settings.LabelsHeld && !b.Algorithm.Labels:
		return settings.Wrong("labels", "algorithm %s cannot hold rows in clusters", b.Algorithm.Name).
			WithHint("let the classes make the start only: %s", framework.SettingTo("labels_as", settings.LabelsStart))
	case s.LabelsAs == settings.LabelsPairs && !b.Algorithm.Links:
		return settings.Wrong("labels_as", "algorithm %s takes no pairs", b.Algorithm.Name).WithHint("use %s",
			settings.Either("algorithm", b.library.Names(func(d framework.Description) bool { return d.Links })))
	}
	if bad == "" {
		return nil
	}
	return settings.Wrong("labels", "%s is not possible here: %s", framework.Setting("labels"), bad)
}

// readLabels reads known classes, and makes pairs of them if they are to be that.
func (b *Job) readLabels(ctx context.Context, src Source) error {
	if b.Settings.Labels == "" {
		return nil
	}
	l, err := src.ReadLabels(ctx, b.Settings.Labels, b.Table)
	if err != nil {
		return err
	}
	if len(l.Names) == 0 {
		b.note("%s has no rows, so it has no effect", framework.Setting("labels"))
		return nil
	}
	if k := b.mostClusters(); len(l.Names) > k {
		f := constraint.TooManyClasses(len(l.Names), k)
		f.Summary += ": " + strings.Join(input.FirstOf(l.Names, 10), ", ")
		return f
	}
	b.labels = &l
	h := sha256.New()
	for i, c := range l.Class {
		_, _ = fmt.Fprintln(h, c, l.Weight[i]) // a hash never returns an error
	}
	b.fingerprint += fmt.Sprintf(" labels %x %q", h.Sum(nil)[:8], l.Names)
	rows, certain := 0, 0
	for i, c := range l.Class {
		if c >= 0 {
			rows++
			if math.IsInf(l.Weight[i], 1) {
				certain++
			}
		}
	}
	b.note("labels: %s of %s, %d of them certain", input.Counted(rows, "row has one", "rows have one"),
		input.Counted(len(l.Names), "class", "classes"), certain)
	if l.Dropped > 0 {
		b.note("%s left out", input.Counted(l.Dropped, "label was left out because its row was", "labels were left out because their rows were"))
	}
	return nil
}

// mostClusters returns the largest number of clusters that is tried.
func (b *Job) mostClusters() int {
	ks, err := settings.ParseKs(b.Settings.Ks)
	if b.Settings.Ks == "" || err != nil {
		return b.Problem.K
	}
	return slices.Max(ks)
}

// startsFromLabels reports whether classes make the start.
func (b *Job) startsFromLabels() bool {
	return b.labels != nil && b.Settings.LabelsAs != settings.LabelsPairs
}

// holdLabels restricts the clusters of rows to their classes, and makes a start of them.
func (b *Job) holdLabels(ctx context.Context) (err error) {
	if !b.startsFromLabels() {
		return nil
	}
	if b.Settings.LabelsAs == settings.LabelsHeld {
		known := &constraint.Known{Labels: b.labels.Class, Weights: b.labels.Weight, K: b.mostClusters(), Within: b.Problem.Labels}
		b.Problem.Labels = known
		if err := b.heldWithin(ctx, known); err != nil {
			return err
		}
	}
	if b.vary.by != "tune" { // else each point has a start of its own
		b.Start, err = b.startOfLabels(nil, b.Data, b.Problem)
	}
	return err
}

// startOfLabels makes a start of the classes: of rows that are those with the numbers from, or
// take the places of all of them if it is nil.
func (b *Job) startOfLabels(from []int32, rows *matrix.Data, p framework.Problem) (fit.Start, error) {
	classes := len(b.labels.Names)
	if classes > p.K {
		return fit.Start{}, constraint.TooManyClasses(classes, p.K)
	}
	class := b.labels.Class
	if from != nil {
		class = make([]int32, len(from))
		for t, i := range from {
			class[t] = b.labels.Class[i]
		}
	}
	centers := seeding.Classes(rows, class, classes, p.K, p.P)
	return fit.Start{Centers: &centers}, nil
}

// labelPairs are pairs of rows that have a class: each with the first row of each class,
// must of its own and cannot of the others. A pair of rows that are both certain is never
// broken, another has the smaller weight of the two.
func labelPairs(l *input.Labels) []framework.Link {
	first := slices.Repeat([]int{-1}, len(l.Names)) // the surest row of each class
	for i, c := range l.Class {
		if c >= 0 && (first[c] < 0 || l.Weight[i] > l.Weight[first[c]]) {
			first[c] = i
		}
	}
	var all []framework.Link
	for i, c := range l.Class {
		if c < 0 {
			continue
		}
		for other, j := range first {
			weight := min(l.Weight[i], l.Weight[j])
			if i == j || weight == 0 || first[c] == i && j > i { // the pair of two first rows is there once
				continue
			}
			all = append(all, framework.Link{A: int32(min(i, j)), B: int32(max(i, j)), Cannot: int(c) != other, Weight: weight})
		}
	}
	slices.SortFunc(all, func(x, y framework.Link) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return all
}

// classes returns the class of each cluster, "" for none: with pairs, that of which most
// labels are there.
func (b *Job) classes(labels []int32) []string {
	if b.labels == nil {
		return nil
	}
	l := b.labels
	names := make([]string, b.Problem.K)
	if b.Settings.LabelsAs != settings.LabelsPairs {
		copy(names, l.Names)
		return names
	}
	type cell struct {
		class, cluster int32
		rows           int
	}
	counts := map[[2]int32]int{}
	for i, c := range l.Class {
		if c >= 0 && labels[i] >= 0 {
			counts[[2]int32{c, labels[i]}]++
		}
	}
	var cells []cell
	for at, n := range counts {
		cells = append(cells, cell{at[0], at[1], n})
	}
	slices.SortFunc(cells, func(x, y cell) int {
		return cmp.Or(cmp.Compare(y.rows, x.rows), cmp.Compare(x.class, y.class), cmp.Compare(x.cluster, y.cluster))
	})
	named := map[int32]bool{}
	for _, c := range cells {
		if names[c.cluster] == "" && !named[c.class] {
			names[c.cluster], named[c.class] = l.Names[c.class], true
		}
	}
	return names
}
