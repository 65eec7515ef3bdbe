package job

import "github.com/sqlcluster/sqlcluster/framework"

// A Use says what a fit does with a column.
type Use struct {
	Column          string
	Use             string // feature, category, constant, no values, or why it is left out
	LeftOut         bool   // the following mean nothing
	Location, Scale float64
	Nulls           int
	Group           *framework.Group // nil: there are no groups
}

// Uses says what a fit does with each feature, and which columns it leaves out.
func (b *Job) Uses() []Use {
	var all []Use
	for _, f := range b.Recipe.Features {
		u := Use{Column: f.Name, Use: "feature", Location: f.Location, Scale: f.Scale, Nulls: f.Missing}
		switch {
		case b.IsEmpty(f):
			u.Use = "no values"
		case f.Constant:
			u.Use = "constant"
		case f.IsCategory():
			u.Use = "category"
		}
		if b.Problem.Groups != nil {
			u.Group = &b.Problem.Groups[f.Group]
		}
		all = append(all, u)
	}
	for _, e := range b.Table.Excluded {
		all = append(all, Use{Column: e.Name, Use: "left out: " + e.Why, LeftOut: true})
	}
	return all
}
