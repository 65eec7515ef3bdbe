package functions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
)

// In an extension nobody tells which statement runs, many run at once, and one that was
// cancelled tells nothing at all: DuckDB only stops to call. So each call of an aggregate
// in a statement, which is told by a number of its own, is a statement here.
// The aggregate gathers rows only; the work begins when the statement first asks whether
// it is done, and the statement asks again and again, so that DuckDB can end it between.
// Under GROUP BY there is no place to ask from: there the aggregate does the work itself,
// which nothing can end but a limit of its time.
//
// What a call holds is freed when its number is: at the end of its statement, whatever that
// is. Under GROUP BY it is when DuckDB has no use any more for the states.
const (
	wait            = 50 * time.Millisecond // until a question is answered with "not yet"
	inGroupsSeconds = 300                   // that limit, where the user gives none
)

var errGone = errors.New("the statement that these rows are of has ended")

// calls are those that have not ended.
type calls struct {
	f   *Functions
	ctx context.Context // ends with the program

	mu     sync.Mutex
	last   int64
	byName map[string]*statement
	byID   map[int64]*statement
	tasks  sync.WaitGroup
}

// idBits are those of a group's number that say which group of a call it is.
const idBits = 32

// A call is what a statement is here.
type call struct {
	of     *calls
	id     int64
	name   string
	cancel context.CancelFunc
	work   func(st *statement, groups []int64) ([][]duck.Field, error)

	mu       sync.Mutex
	gathered bool // all rows are there
	tasks    map[int64]*task
}

// of returns the statement of a call of a function, a new one if it is the first time.
func (c *calls) of(function string, unique any, h *host, work func(*statement, []int64) ([][]duck.Field, error)) *statement {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := nameOf(function, unique)
	if known := c.byName[name]; known != nil && !known.call.isGathered() { // a statement can run again
		return known
	}
	c.last++
	ctx, cancel := context.WithCancel(c.ctx)
	st := c.f.statement(ctx, h.source, Progress{})
	st.threads, st.gatherer.base, st.gatherer.host = h.threads, c.last<<idBits, h
	st.call = &call{of: c, id: c.last, name: name, cancel: cancel, work: work, tasks: map[int64]*task{}}
	c.byName[name], c.byID[c.last] = st, st
	return st
}

// at returns the statement of a group; nil if it has ended.
func (c *calls) at(group int64) *statement {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byID[group>>idBits]
}

// isGathered reports whether all rows are there.
func (c *call) isGathered() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gathered
}

// begin says what the work is of gathered rows; false: it was said before.
func (c *call) begin(work func(*statement, []int64) ([][]duck.Field, error)) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.work != nil {
		return false
	}
	c.work = work
	return true
}

// end forgets a call, ends its work and frees what it holds.
func (st *statement) end() {
	c := st.call
	c.of.mu.Lock()
	if c.of.byName[c.name] == st {
		delete(c.of.byName, c.name)
	}
	delete(c.of.byID, c.id)
	c.of.mu.Unlock()
	c.cancel()
	st.gatherer.drop()
}

// gather is an aggregate that gathers rows for some work, and returns the numbers of
// their groups.
func (c *calls) gather(w work) duck.Aggregate {
	var all []duck.Overload
	for _, o := range w.overloads {
		parameters := []string{o.Parameters[0], "ANY", "ANY", "BIGINT", hostType}
		all = append(all, duck.Overload{Parameters: parameters, Returns: handleType(keyOf(o))})
	}
	return duck.Aggregate{
		Name: c.f.prefix + "gather_" + w.name, Overloads: all,
		Update: c.updates(w, 0), Combine: c.combine,
		Finish: c.finishes(func(_ *statement, groups []int64, out duck.Returned) error {
			for i, g := range groups {
				out.Set(i, handle(g))
			}
			return nil
		}),
	}
}

// inGroups is an aggregate that does the work itself.
func (c *calls) inGroups(w work) duck.Aggregate {
	var all []duck.Overload
	for _, o := range w.overloads {
		all = append(all, duck.Overload{Parameters: append(slices.Clone(o.Parameters), hostType), Returns: o.Returns})
	}
	return duck.Aggregate{
		Name: c.f.prefix + w.name, Overloads: all,
		Update: c.updates(w, inGroupsSeconds), Combine: c.combine, Destroy: c.destroy,
		Finish: c.finishes(func(st *statement, groups []int64, out duck.Returned) error {
			values, err := w.finish(st, groups)
			if err != nil {
				return st.say(err)
			}
			for i, v := range values {
				out.Set(i, v)
			}
			return nil
		}),
	}
}

// updates is the Update of an aggregate for some work, which may take so many seconds where
// the user says nothing; 0: any number.
func (c *calls) updates(w work, seconds int) func(args duck.Chunk, groups []*int64) error {
	return func(args duck.Chunk, groups []*int64) error {
		unique, err := args.Column(3).Any(0)
		if err != nil {
			return err
		}
		h, err := hostOf(args.Column(4))
		if err != nil {
			return err
		}
		h.seconds = seconds
		st, err := c.stateOf(groups)
		if st == nil && err == nil {
			st = c.of(w.name, unique, h, w.finish)
		}
		if err != nil {
			return err
		}
		err = st.say(st.gatherer.update(w.name, args, groups))
		if seconds > 0 && st.gatherer.using(0) == 0 { // an error, and no state that would tell its end
			st.end()
		}
		return err
	}
}

func (c *calls) combine(from, into []*int64) {
	st, err := c.stateOf(append(slices.Clone(from), into...))
	if st != nil && err == nil {
		st.gatherer.combine(from, into)
	}
}

func (c *calls) destroy(group int64) {
	if st := c.at(group); st != nil && st.gatherer.using(-1) == 0 {
		st.end()
	}
}

// tokens tells runs of statements apart, and ends their calls.
func (c *calls) tokens() duck.Tokens {
	return duck.Tokens{Name: c.f.prefix + "token",
		Begin: func() int64 { return uniques.Add(1) },
		End: func(token int64) {
			c.mu.Lock()
			var of []*statement
			for _, w := range append(c.f.works(), work{name: "rows"}) {
				if st := c.byName[nameOf(w.name, token)]; st != nil {
					of = append(of, st)
				}
			}
			c.mu.Unlock()
			for _, st := range of {
				st.end()
			}
		},
		Gone: func() { running.Go(c.close) }, // not within DuckDB, which closes a database
	}
}

// close ends all calls, and frees what the functions of a database hold when it is closed.
func (c *calls) close() {
	defer func() { _ = recover() }() // in a goroutine: a panic would end the program
	c.mu.Lock()
	rest := slices.Collect(maps.Values(c.byID))
	c.mu.Unlock()
	for _, st := range rest {
		st.end()
	}
	c.tasks.Wait()
	_ = c.f.reading.Close() // of a database in memory
}

// nameOf is that of a call.
func nameOf(function string, unique any) string { return fmt.Sprint(function, " ", unique) }

// stateOf returns the statement of groups; nil if there are none yet. They are of one, unless
// DuckDB was told not to compute once what does not change.
func (c *calls) stateOf(groups []*int64) (st *statement, err error) {
	id := int64(0)
	for _, g := range groups {
		switch of := *g >> idBits; {
		case *g == 0 || of == id:
		case id != 0:
			return nil, errors.New("cluster_fit in groups needs DuckDB's optimizer: PRAGMA enable_optimizer")
		default:
			id = of
		}
	}
	if id == 0 {
		return nil, nil
	}
	if st = c.at(id << idBits); st == nil {
		err = errGone
	}
	return st, err
}

// finishes is a Finish, whose groups have rows and are of one statement.
func (c *calls) finishes(set func(st *statement, groups []int64, out duck.Returned) error) func([]int64, duck.Returned) error {
	return func(groups []int64, out duck.Returned) error {
		if slices.Contains(groups, 0) {
			return (&statement{}).say(framework.Faultf(framework.Data, "empty-relation", "the relation has no rows").At("relation"))
		}
		st := c.at(groups[0])
		if st == nil {
			return errGone
		}
		st.call.mu.Lock()
		st.call.gathered = true
		st.call.mu.Unlock()
		err := st.gatherer.mixed()
		if err == nil {
			return set(st, groups, out)
		}
		return st.say(err)
	}
}
