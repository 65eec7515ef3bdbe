package functions

import (
	"math"

	"github.com/sqlcluster/sqlcluster/sql/settings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// Values of the aggregates that do more or less than one fit: lists of rows.
func pathType() string {
	return "STRUCT(points " + rowType(schema.Path, "") + "[], features " + rowType(schema.PathFeatures, "") + "[])"
}

func tuneType() string { return "STRUCT(points " + rowType(schema.Tune, "") + "[])" }

const checkType = `STRUCT(columns STRUCT("column" VARCHAR, "use" VARCHAR, location DOUBLE, scale DOUBLE, nulls BIGINT,
	feature_group VARCHAR, group_weight DOUBLE)[])`

// eachAlone makes the value of one group after the other.
func eachAlone(one func(*statement, int64) ([]duck.Field, error)) func(*statement, []int64) ([][]duck.Field, error) {
	return func(st *statement, groups []int64) ([][]duck.Field, error) {
		values := make([][]duck.Field, len(groups))
		for i, g := range groups {
			var err error
			if values[i], err = one(st, g); err != nil {
				return nil, err
			}
		}
		return values, nil
	}
}

// path fits a group with each value of a grid.
func (f *Functions) path(st *statement, number int64) ([]duck.Field, error) {
	s, err := f.settings(st, number)
	if err != nil {
		return nil, err
	}
	o := st.gatherer.group(number).options
	grid, err := settings.NewGrid(f.library, s.Algorithm, o.grid, o.points)
	if err != nil {
		return nil, err
	}
	p, err := job.NewPath(s, f.library, grid, o.path)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	p.Launch(st.ctx)
	if err := f.read(st, number, p.Read); err != nil {
		return nil, err
	}
	if err := p.Run(st.ctx, func(ended, of int, _ *tune.Point) { st.progress.tried(ended, of) }); err != nil {
		return nil, err
	}
	r, err := p.Tables("")
	if err != nil {
		return nil, err
	}
	points, features := store.PathCells(r)
	return []duck.Field{{List: &duck.List{Entries: len(r.Points), Columns: points}},
		{List: &duck.List{Entries: len(r.Features), Columns: features}}}, nil
}

// tune judges each value of a grid.
func (f *Functions) tune(st *statement, number int64) ([]duck.Field, error) {
	s, err := f.settings(st, number)
	if err != nil {
		return nil, err
	}
	o := st.gatherer.group(number).options
	if err := o.tune.Check(s); err != nil {
		return nil, err
	}
	var grid settings.Grid
	if o.grid != "" || !s.FixedPath(f.library) {
		if grid, err = settings.NewGrid(f.library, s.Algorithm, o.grid, o.points); err != nil {
			return nil, err
		}
	}
	t, err := job.NewTuning(s, f.library, grid, o.tune)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	t.Launch(st.ctx)
	err = t.Read(st.ctx, f.reading, st.progress.Reading)
	st.gatherer.release(number)
	if err != nil {
		return nil, err
	}
	if err := t.Run(st.ctx, st.progress.tried); err != nil {
		return nil, err
	}
	r, err := t.Tables(nil, "")
	if err != nil {
		return nil, err
	}
	return []duck.Field{{List: &duck.List{Entries: len(r.Values), Columns: store.TuneCells(r)}}}, nil
}

// check says what a fit of a group would do.
func (f *Functions) check(st *statement, number int64) ([]duck.Field, error) {
	s, err := f.settings(st, number)
	if err != nil {
		return nil, err
	}
	b, err := job.New(s, f.library)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if err := f.read(st, number, b.Read); err != nil {
		return nil, err
	}
	if err := b.Check(st.ctx); err != nil {
		return nil, err
	}
	uses := []job.Use{{Use: b.Algorithm.Name + ": " + b.Size() + " can be fitted", LeftOut: true}}
	for _, note := range b.Notes {
		uses = append(uses, job.Use{Use: "note: " + note, LeftOut: true})
	}
	uses = append(uses, b.Uses()...)
	number64 := func(x func(u job.Use) float64) duck.Cells {
		return duck.Doubles(func(i int) float64 {
			if uses[i].LeftOut {
				return math.NaN()
			}
			return x(uses[i])
		})
	}
	return []duck.Field{{List: &duck.List{Entries: len(uses), Columns: []duck.Cells{
		duck.Texts(func(i int) string { return uses[i].Column }),
		duck.Texts(func(i int) string { return framework.Say(uses[i].Use, Setting) }),
		number64(func(u job.Use) float64 { return u.Location }),
		number64(func(u job.Use) float64 { return u.Scale }),
		duck.Fixed(func(i int) (int64, bool) { return int64(uses[i].Nulls), !uses[i].LeftOut }),
		duck.Texts(func(i int) string {
			if uses[i].Group == nil {
				return ""
			}
			return uses[i].Group.Name
		}),
		duck.Doubles(func(i int) float64 {
			if uses[i].Group == nil {
				return math.NaN()
			}
			return uses[i].Group.Weight
		}),
	}}}}, nil
}
