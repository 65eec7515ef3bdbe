package functions

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// ofEach makes the values of several groups, side by side. The error is that of the
// first group that has one.
func ofEach(groups []int64, value func(group int64) ([]duck.Field, error)) ([][]duck.Field, error) {
	values, errs := make([][]duck.Field, len(groups)), make([]error, len(groups))
	var next, failed atomic.Int64
	var all sync.WaitGroup
	for range min(len(groups), runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(groups) || failed.Load() > 0 {
					return
				}
				if values[i], errs[i] = value(groups[i]); errs[i] != nil {
					failed.Add(1)
				}
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return values, nil
}

// fit returns the fit of a group; several says that it is one of many.
func (f *Functions) fit(st *statement, number int64, several bool) (value []duck.Field, err error) {
	o := st.gatherer.group(number).options
	defer func() {
		if fault := framework.AsFault(err); fault != nil && o.records(fault) {
			value, err = noFit(Text(fault)), nil
		}
	}()
	s, err := f.settings(st, number)
	if err != nil {
		return nil, err
	}
	library := f.library
	if several {
		s.Threads, library = 1, f.here()
	}
	b, err := job.New(s, library)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if !several {
		b.Launch(st.ctx)
	}
	if err := f.read(st, number, b.Read); err != nil {
		return nil, err
	}
	done, err := b.Fit(st.ctx, func(it fit.Iteration) {
		if st.progress.Fitting != nil && !several {
			st.progress.Fitting(it, s.Restarts)
		}
	})
	if err != nil {
		return nil, err
	}
	tables, err := b.Tables(done)
	if err != nil {
		return nil, err
	}
	keepKeys(&tables.Assignments)
	tables.Fit.Source = st.text
	return fitValue(tables, said(b.Notes, done.Notes), o.trace), nil
}

// ofColumns are the codes of faults that have to do with columns, and not with the rows
// of a group.
var ofColumns = []string{"column-not-categorical", "column-not-found", "column-not-numeric", "feature-names-collide", "key-name-taken",
	"key-type-unsupported", "no-features", "pattern-matches-nothing", "weight-not-numeric", "constraint-columns", "groups-columns",
	"pairs-columns", "start-columns"}

// records reports whether a group has its fault in place of a fit, and other groups
// stand. What is wrong with the call or with the columns is wrong for all groups.
func (o *options) records(f *framework.Fault) bool {
	onError := o.onError
	if onError == "" {
		onError = map[bool]string{true: "fail", false: "record"}[o.keyed]
	}
	return onError == "record" && f.Class == framework.Data && !slices.Contains(ofColumns, f.Code)
}

// read reads the rows of a group, which are not kept any longer.
func (f *Functions) read(st *statement, number int64, read func(context.Context, job.Source, func(int)) error) error {
	err := read(st.ctx, f.reading, st.progress.Reading)
	st.gatherer.release(number)
	return err
}

// settings are those of a group, whose relation is what was gathered for it.
func (f *Functions) settings(st *statement, number int64) (job.Settings, error) {
	g := st.gatherer.group(number)
	s := g.options.settings
	if !g.options.keyed {
		keys, err := st.gatherer.keyColumns(st.ctx, g.of)
		if err != nil {
			return s, err
		}
		leave, err := st.gatherer.constants(st.ctx, number)
		if err != nil {
			return s, err
		}
		if s.ID = g.of.keyName(); len(keys) > 0 {
			s.ID, leave = keys[0], append(keys[1:], leave...)
		}
		if s.Features == nil {
			s.Exclude = append(s.Exclude[:len(s.Exclude):len(s.Exclude)], input.NamesOf(leave, input.ColumnItem)...)
		}
	}
	s.Relation = st.gatherer.relation(number, !g.options.keyed && s.ID == g.of.keyName())
	return s, nil
}

// here is the library for fits that are too small for a process of their own, and for
// a call to one.
func (f *Functions) here() job.Library {
	l := f.library
	l.Algorithms = nil
	for _, a := range f.library.Algorithms {
		if a.Local != nil {
			a.Host = job.Here(a.Local).Algorithms[0].Host
		}
		l.Algorithms = append(l.Algorithms, a)
	}
	return l
}

// keepKeys makes text of keys whose type a value does not have.
func keepKeys(a *result.Assignments) {
	for _, t := range keyTypes {
		if strings.EqualFold(t, duck.KeysOf(a.Keys).Type()) {
			return
		}
	}
	a.Keys = duck.TextKeys(a.Keys)
	if a.Dropped != nil {
		a.Dropped = duck.TextKeys(a.Dropped)
	}
}

// said are notes as SQL says settings.
func said(notes ...[]string) (all []string) {
	for _, some := range notes {
		for _, n := range some {
			all = append(all, framework.Say(n, Setting))
		}
	}
	return all
}
