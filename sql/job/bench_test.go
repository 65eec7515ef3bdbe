package job

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/groupskm"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/plugins/skm"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// builtIn are the algorithms that come with sqlcluster.
var builtIn = library.Here(slices.Concat(skfr.Algorithms(), skm.Algorithms(), groupskm.Algorithms(), pcskm.Algorithms())...)

// ready is a Source that has a table in memory.
type ready struct {
	Source
	rows  framework.Matrix
	names []string
}

func (r ready) Read(_ context.Context, spec input.Spec) (*input.Table, error) {
	b, err := matrix.BuilderOf(r.rows, nil, matrix.Options{Storage: spec.Storage})
	if err != nil {
		return nil, err
	}
	t := &input.Table{Name: "t", Features: r.names, Builder: b, Missing: make([]int, len(r.names)),
		Keys: input.Numbered(r.rows.Rows), KeyName: input.RowNumber, KeyType: "BIGINT", DroppedKeys: input.Numbered(0)}
	for _, name := range r.names {
		t.Sources = append(t.Sources, matrix.Source{Name: name})
	}
	return t, nil
}

// few are 20 rows of 5 columns about three centers.
func few() ready {
	r := ready{rows: framework.NewMatrix(20, 5), names: []string{"a", "b", "c", "d", "e"}}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range r.rows.Rows {
		for l := range r.names {
			r.rows.Row(i)[l] = random.NormFloat64() + float64(3*(i%3)*(l%2))
		}
	}
	return r
}

// small are the settings of fits of few rows, by algorithm.
func small() map[string]settings.Settings {
	all := map[string]settings.Settings{}
	for name, params := range map[string]map[string]settings.Given{
		"skfr":     {"sparsity": {Value: 3}},
		"skm":      {"l1_bound": {Value: 1.5}},
		"pcskm":    {"l1_bound": {Value: 1.5}},
		"groupskm": {"lambda": {Value: 0.1}},
	} {
		s := settings.Defaults()
		s.Algorithm, s.Params, s.K, s.Restarts, s.Threads = name, params, 3, 1, 1
		all[name] = s
	}
	return all
}

// fitSmall goes from a table to the rows of result tables.
func fitSmall(t testing.TB, j *Job, src Source) *result.Tables {
	defer j.Close()
	must.Do(t, j.Read(t.Context(), src, nil))
	f := must.Get(j.Fit(t.Context(), nil))(t)
	return must.Get(j.Tables(f))(t)
}

// BenchmarkSmall measures what a fit costs beside its computations.
func BenchmarkSmall(b *testing.B) {
	src := few()
	for name, s := range small() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			first := must.Get(New(s, builtIn))(b)
			for b.Loop() {
				fitSmall(b, first.Again(), src)
			}
		})
	}
}
