package summary

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// ShowDiff writes in what two fits differ; rows says that rows were asked for.
func (w *Writer) ShowDiff(d *job.Diff, rows bool) error {
	overlap, features, moved := overlapTable(d), featureDiffs(d), movedTable(d)
	settings, data := settingDiffs("settings", d.Settings), settingDiffs("data", d.Data)
	switch w.Flags.Output {
	case "csv", "jsonl":
		if rows {
			return w.Write(moved)
		}
		return w.Write(overlap)
	case "json":
		return w.Write(agreement(d), overlap, features, settings, data, moved)
	}
	w.Notes(d.Notes)
	fmt.Fprintf(w.Out, "first %s, second %s: %s in both, %d in the first only, %d in the second only\n",
		render.Safe(d.Runs[0]), render.Safe(d.Runs[1]),
		input.Counted(d.Common, "row", "rows"), d.Only[0], d.Only[1])
	if d.Labelled > 0 {
		fmt.Fprintf(w.Out, "adjusted Rand index %s, normalized mutual information %s; %d of %s moved\n", render.Number(d.ARI, 5),
			render.Number(d.NMI, 5), d.Labelled-d.Kept, input.Counted(d.Labelled, "row has", "rows have"))
		if err := w.clusterDiff(d); err != nil {
			return err
		}
	}
	if rows && len(moved.Rows) > 0 {
		fmt.Fprintln(w.Out)
		if err := w.Write(moved); err != nil {
			return err
		}
		w.more(d.Labelled-d.Kept-len(moved.Rows), "row", "")
	}
	fmt.Fprintf(w.Out, "\nfeatures: %d gained, %d lost, %d in both\n", d.Changed(job.Gained), d.Changed(job.Lost), d.Changed(job.Both))
	if features.Rows = features.Rows[:len(features.Rows)-d.Changed(job.Neither)]; len(features.Rows) > 0 {
		all := len(features.Rows)
		features.Rows = features.Rows[:min(all, max(shownFeatures, min(2*shownFeatures, d.Changed(job.Gained)+d.Changed(job.Lost))))]
		if err := w.Write(withValues(features)); err != nil {
			return err
		}
		w.more(all-len(features.Rows), "feature", "; -o json has all")
	}
	data.Rows = slices.DeleteFunc(data.Rows, func(row []any) bool {
		return row[0] == "run_id" || row[1] == row[2] && row[0] != "features_scaled_otherwise"
	})
	for _, t := range []render.Table{settings, data} {
		if len(t.Rows) == 0 {
			continue
		}
		fmt.Fprintln(w.Out)
		if err := w.Write(t); err != nil {
			return err
		}
	}
	return nil
}

// clusterDiff writes the numbers of rows by cluster: as a matrix where both fits have
// few clusters, else the largest of them.
func (w *Writer) clusterDiff(d *job.Diff) error {
	var of [2][]int32
	matched := map[int32]int32{}
	count := map[[2]int32]int{}
	for _, o := range d.Overlap {
		count[[2]int32{o.First, o.Second}] = o.Rows
		of[0], of[1] = append(of[0], o.First), append(of[1], o.Second)
		if o.Matched {
			matched[o.Second] = o.First
		}
	}
	for i := range of {
		slices.SortFunc(of[i], func(a, b int32) int { return cmp.Compare(uint32(a), uint32(b)) })
		of[i] = slices.Compact(of[i])
	}
	fmt.Fprintln(w.Out)
	if max(len(of[0]), len(of[1])) > shownClusters {
		t := overlapTable(d)
		slices.SortStableFunc(t.Rows, func(a, b []any) int { return cmp.Compare(b[2].(int), a[2].(int)) })
		t.Rows = t.Rows[:min(len(t.Rows), shownClusters)]
		if err := w.Write(t); err != nil {
			return err
		}
		w.more(len(d.Overlap)-len(t.Rows), "pair of clusters", "; -o csv has all")
		return nil
	}
	place := func(j int32) uint32 { // matched clusters stand on the diagonal
		if to, ok := matched[j]; ok {
			return uint32(to)
		}
		return 1<<31 + uint32(j)&(1<<31-1)
	}
	slices.SortStableFunc(of[1], func(a, b int32) int { return cmp.Compare(place(a), place(b)) })
	t := render.Table{Name: "overlap", Columns: []string{"cluster"}}
	for _, j := range of[1] {
		name := fmt.Sprintf("second %d", j)
		if j < 0 {
			name = "second –"
		}
		t.Columns = append(t.Columns, name)
	}
	for _, i := range of[0] {
		row := []any{"first " + render.Rounded(index(int(i)))}
		for _, j := range of[1] {
			row = append(row, count[[2]int32{i, j}])
		}
		t.Rows = append(t.Rows, row)
	}
	return w.Write(t)
}

func agreement(d *job.Diff) render.Table {
	return render.Table{Name: "agreement",
		Columns: []string{"first", "second", "rows", "first_only", "second_only", "with_clusters", "moved", "ari", "nmi_arithmetic"},
		Rows: [][]any{{d.Runs[0], d.Runs[1], d.Common, d.Only[0], d.Only[1], d.Labelled, d.Labelled - d.Kept, number(d.ARI),
			number(d.NMI)}}}
}

func overlapTable(d *job.Diff) render.Table {
	t := render.Table{Name: "overlap", Columns: []string{"first_cluster", "second_cluster", "rows", "matched"}}
	for _, o := range d.Overlap {
		t.Rows = append(t.Rows, []any{index(int(o.First)), index(int(o.Second)), o.Rows, o.Matched})
	}
	return t
}

func movedTable(d *job.Diff) render.Table {
	t := render.Table{Name: "moved", Columns: []string{d.Key, "first_cluster", "second_cluster"}}
	for _, m := range d.MovedRow {
		t.Rows = append(t.Rows, []any{m.Key, m.First, m.Second})
	}
	return t
}

func featureDiffs(d *job.Diff) render.Table {
	t := render.Table{Name: "features", Columns: []string{"feature", "category", "change", "first_rank", "second_rank", "first_weight",
		"second_weight", "first_gain", "second_gain"}}
	for _, f := range d.Features {
		one := cmp.Or(f.Of[0], f.Of[1])
		row := []any{one.Feature, value(one.Category), f.Change}
		for _, get := range []func(result.Feature) any{
			func(f result.Feature) any { return rank(f.Rank) },
			func(f result.Feature) any { return number(f.Weight) },
			func(f result.Feature) any { return number(f.Gain) },
		} {
			for _, of := range f.Of {
				if of == nil {
					row = append(row, nil)
				} else {
					row = append(row, get(*of))
				}
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func settingDiffs(name string, all []job.SettingDiff) render.Table {
	t := render.Table{Name: name, Columns: []string{map[string]string{"settings": "setting", "data": "data"}[name], "first", "second"}}
	for _, s := range all {
		t.Rows = append(t.Rows, []any{s.Name, s.Values[0], s.Values[1]})
	}
	return t
}
