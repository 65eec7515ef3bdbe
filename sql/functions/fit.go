package functions

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/grouped"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
	"github.com/sqlcluster/sqlcluster/sql/source"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// ofEach makes the values of several groups, side by side. The error is that of the
// first group that has one.
func ofEach(groups []int64, threads int, value func(i int) ([]duck.Field, error)) ([][]duck.Field, error) {
	values := make([][]duck.Field, len(groups))
	err := grouped.SideBySide(len(groups), threads, func(i int) (err error) {
		values[i], err = value(i)
		return err
	})
	return values, err
}

// fit returns the fit of each group, unless that takes longer than the options of the first
// allow.
func (f *Functions) fit(st *statement, groups []int64) ([][]duck.Field, error) {
	most := st.gatherer.group(groups[0]).options.seconds
	if most == 0 {
		return f.fitGroups(st, groups)
	}
	ctx, cancel := context.WithTimeout(st.ctx, time.Duration(most)*time.Second)
	defer cancel()
	values, err := f.fitGroups(st.within(ctx), groups)
	if err != nil && ctx.Err() != nil && st.ctx.Err() == nil {
		err = framework.Faultf(framework.Data, "took-too-long", "the fit takes longer than %d seconds", most).At("max_seconds").
			WithHint("give it more: %s", framework.SettingTo("max_seconds", strconv.Itoa(10*most)))
	}
	return values, err
}

// fitGroups returns the fit of each group. Those that are read and fitted alike are read at
// once, and fitted side by side.
func (f *Functions) fitGroups(st *statement, groups []int64) ([][]duck.Field, error) {
	if len(groups) == 1 {
		value, err := f.fitAlone(st, groups[0])
		return [][]duck.Field{value}, err
	}
	type alike struct {
		options *options
		of      *gathering
		exclude string
	}
	places := map[alike][]int{}
	var order []alike
	for i, number := range groups {
		s, err := f.settings(st, number)
		if err != nil {
			return nil, err
		}
		g := st.gatherer.group(number)
		key := alike{g.options, g.of, strings.Join(s.Exclude, "\x00")}
		if places[key] == nil {
			order = append(order, key)
		}
		places[key] = append(places[key], i)
	}
	values := make([][]duck.Field, len(groups))
	for _, key := range order {
		some := make([]int64, len(places[key]))
		for j, i := range places[key] {
			some[j] = groups[i]
		}
		all, err := f.fitAlike(st, some)
		if err != nil {
			return nil, err
		}
		for j, i := range places[key] {
			values[i] = all[j]
		}
	}
	return values, nil
}

// fitAlone fits one group, on all threads and in the process of its algorithm.
func (f *Functions) fitAlone(st *statement, number int64) (value []duck.Field, err error) {
	o := st.gatherer.group(number).options
	defer func() { value, err = o.recorded(value, err, st.gatherer.isOnly(number)) }()
	s, err := f.settings(st, number)
	if err != nil {
		return nil, err
	}
	b, err := job.New(s, f.library)
	if err != nil {
		return nil, err
	}
	b.Launch(st.ctx)
	read := func() error { return f.read(st, number, b.Read) }
	return f.fitted(st, b, o, read)
}

// fitAlike fits groups of which the settings are those of the first, each on one thread.
func (f *Functions) fitAlike(st *statement, groups []int64) ([][]duck.Field, error) {
	o := st.gatherer.group(groups[0]).options
	s, err := f.settings(st, groups[0])
	if err != nil {
		return nil, err
	}
	s.Threads = 1
	first, err := job.New(s, f.library.InThisProcess())
	if err != nil {
		return nil, err
	}
	together := &split{DB: f.reading, relation: st.gatherer.together(groups, !o.keyed && s.ID == st.gatherer.group(groups[0]).of.keyName()),
		groups: len(groups)}
	defer together.close()
	return ofEach(groups, st.threads, func(i int) ([]duck.Field, error) {
		b := first.Again()
		value, err := f.fitted(st, b, o, func() error { return b.Read(st.ctx, oneOf{together, i}, nil) })
		return o.recorded(value, err, false)
	})
}

// fitted reads and fits, and describes the fit.
func (f *Functions) fitted(st *statement, b *job.Job, o *options, read func() error) ([]duck.Field, error) {
	defer b.Close()
	if err := read(); err != nil {
		return nil, err
	}
	done, err := b.Fit(st.ctx, func(it fit.Iteration) {
		if st.progress.Fitting != nil {
			st.progress.Fitting(it, b.Starts())
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
	notes := said(b.Notes, done.Notes)
	if n := job.CentersNote(tables); n != "" {
		notes = append(notes, said([]string{n})...)
	}
	return fitValue(tables, notes, o.trace), nil
}

// split is the rows of several groups, which are read at once when the first is.
type split struct {
	*store.DB
	relation string
	groups   int

	once sync.Once
	all  *source.Split
	err  error
}

func (s *split) close() {
	if s.all != nil {
		_ = s.all.Close() // what it holds is freed in any case
	}
}

// oneOf is one of these groups, as a source.
type oneOf struct {
	*split
	group int
}

// Read implements job.Source.
func (s oneOf) Read(ctx context.Context, spec input.Spec) (*input.Table, error) {
	s.once.Do(func() {
		spec.Relation = s.relation
		s.all, s.err = s.Split(ctx, spec, groupColumn, s.groups)
	})
	if s.err != nil {
		return nil, s.err
	}
	return s.all.Read(ctx, s.group)
}

// recorded returns the value of a group that could not be fitted, where that is no
// error.
func (o *options) recorded(value []duck.Field, err error, only bool) ([]duck.Field, error) {
	if f := framework.AsFault(err); f != nil && o.records(f, only) {
		return noFit(Text(f)), nil
	}
	return value, err
}

// records reports whether a group has its fault in place of a fit, and other groups
// stand; only says that there are none. What is wrong with the call or with the
// columns is wrong for all groups.
func (o *options) records(f *framework.Fault, only bool) bool {
	onError := o.onError
	if onError == "" {
		onError = map[bool]string{true: "fail", false: "record"}[o.keyed || only]
	}
	return onError == "record" && f.Class == framework.Data && !grouped.OfColumns(f)
}

// read reads the rows of a group, which are not kept any longer.
func (f *Functions) read(st *statement, number int64, read func(context.Context, job.Source, func(int)) error) error {
	err := read(st.ctx, f.reading, st.progress.Reading)
	st.gatherer.release(number)
	return err
}

// settings are those of a group, whose relation is what was gathered for it.
func (f *Functions) settings(st *statement, number int64) (settings.Settings, error) {
	g := st.gatherer.group(number)
	s := g.options.settings
	if l, err := input.LongOf(s.Long); l != nil || err != nil {
		s.Relation = st.gatherer.relation(number, false)
		return s, cmp.Or(err, f.sameKey(st, g, l))
	}
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

// sameKey refuses triples whose key is not that of the call.
func (f *Functions) sameKey(st *statement, g group, l *input.Long) error {
	if g.options.keyed {
		return nil
	}
	keys, err := st.gatherer.keyColumns(st.ctx, g.of)
	if err == nil && !slices.ContainsFunc(keys, func(c string) bool { return strings.EqualFold(c, l.Key) }) {
		return otherKey("something else", l)
	}
	return err
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
