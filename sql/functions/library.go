package functions

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/library"
)

// listed are the table functions that tell what there is to cluster with.
func (f *Functions) listed() []duck.Listed {
	return []duck.Listed{
		{
			Name: f.prefix + "algorithms",
			Columns: []duck.ListedColumn{{Name: "algorithm"}, {Name: "plugin"}, {Name: "version"}, {Name: "summary"},
				{Name: "selects_by"}, {Name: "missing_cells", Boolean: true}, {Name: "categories", Boolean: true},
				{Name: "groups", Boolean: true}, {Name: "constraints", Boolean: true}, {Name: "pairs", Boolean: true}},
			Rows: func([]string) ([][]any, error) {
				var rows [][]any
				for _, a := range f.library.Algorithms {
					rows = append(rows, []any{a.Name, a.Plugin, a.Version, a.Summary, textOrNull(a.Path), a.Missing, a.Categorical, a.Groups,
						a.Constraints, a.Links})
				}
				return rows, f.library.Lack
			},
		},
		{
			Name: f.prefix + "params", Arguments: 1,
			Columns: []duck.ListedColumn{{Name: "parameter"}, {Name: "type"}, {Name: "required", Boolean: true}, {Name: "default"},
				{Name: "values"}, {Name: "meaning"}},
			Rows: func(arguments []string) ([][]any, error) {
				a, err := f.library.Find(arguments[0])
				if err != nil {
					return nil, f.running().say(err)
				}
				return params(a), nil
			},
		},
	}
}

func params(a library.Algorithm) (rows [][]any) {
	for _, p := range a.Params {
		rows = append(rows, []any{p.Name, string(p.Type), p.Required, textOrNull(p.Default), textOrNull(p.Values()),
			framework.Say(p.Doc, Setting)})
	}
	return rows
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
