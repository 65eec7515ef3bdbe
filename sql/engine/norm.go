package engine

import (
	"fmt"
	"strings"
)

// normalised returns the raw rows, divided by their length if the recipe has a norm: by the
// largest cell first, so that no square overflows. A row of zeros stays as it is.
func (r *rows) normalised(also []value) layers {
	if r.recipe.Scaling.Norm == "" {
		return r.raw(also...)
	}
	carried := r.carried(also...)
	cells, shares := make([]string, len(r.selected.sources)), make([]string, len(r.selected.sources))
	for t := range cells {
		cells[t], shares[t] = r.name("b", t), r.name("n", t)
	}
	largest, length, zero := r.p+"largest", r.p+"length", ", "+r.Number(0)+")"
	of := r.cells("b", also)
	if r.Lists != nil {
		all, tiny := list{r, "b", len(cells)}, ", "+r.Number(0x1p-1022)+")" // 0 divided by it is 0
		return of.and(all.values(entries{each: each(cells, "coalesce(%"+zero)})...).
			and(value{"greatest(" + r.Lists.Largest(all.alias()) + tiny, largest}).
			and(value{"greatest(" + r.Lists.Length(all.alias(), largest) + tiny, length}).
			over(r.divided(append(carried, length), cells, "% / "+largest, "n")...).
			over(r.divided(carried, shares, "% / "+length, "c")...)
	}
	by := func(name string) string { return fmt.Sprintf("CASE WHEN %s > 0 THEN %% / %s ELSE %% END", name, name) }
	return of.and(value{r.greatest(each(cells, "coalesce(abs(%)"+zero)), largest}).
		over(r.divided(carried, cells, by(largest), "n")...).
		and(value{"sqrt(" + r.sum(each(shares, "coalesce(% * %"+zero)) + ")", length}).
		over(r.divided(carried, shares, by(length), "c")...)
}

// divided are values of a kind that are made of cells, and those that are passed on.
func (r *rows) divided(carried, cells []string, form, kind string) []value {
	all := passed(carried)
	for t, c := range each(cells, form) {
		all = append(all, value{c, r.name(kind, t)})
	}
	return all
}

// each writes cells, each in the places of the % of a form.
func each(cells []string, form string) []string {
	all := make([]string, len(cells))
	for t, c := range cells {
		all[t] = strings.ReplaceAll(form, "%", c)
	}
	return all
}
