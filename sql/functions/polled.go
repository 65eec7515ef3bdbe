package functions

import (
	"context"
	"math"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// AddTo adds the functions to a database of another program, for all of its connections
// and as long as it is open: as the macros of a catalogue, which must be there. The
// algorithms of the library must be such as run in this process. What they do ends when
// ctx does.
func AddTo(ctx context.Context, db *duck.DB, catalogue string, l library.Library) error {
	f := &Functions{library: l, kept: &library.Kept{}, prefix: "__sqlcluster_", form: polled{catalogue}}
	f.calls = &calls{f: f, ctx: ctx, byName: map[string]*statement{}, byID: map[int64]*statement{}}
	f.now = f.statement(ctx, "", Progress{})
	var err error
	if f.reading, err = store.OpenWith(ctx, "", store.ReadWrite, store.Options{Hidden: true}); err != nil {
		return err
	}
	scalars := append(f.scalars(), f.calls.unique(), f.calls.polls(),
		f.calls.begins("score", []string{"ANY"}, f.calls.scoring),
		f.calls.begins("enforce", []string{"VARCHAR", "VARCHAR"}, f.calls.enforcing),
		f.calls.take(work{"score", always(scoreType), nil}), f.calls.take(work{"enforce", always(enforceType()), nil}))
	rows := work{"rows", always(rowsType), nil}
	aggregates := []duck.Aggregate{f.calls.gather(rows)}
	for _, w := range f.works() {
		aggregates = append(aggregates, f.calls.gather(w))
		if w.name == "fit" {
			aggregates = append(aggregates, f.calls.inGroups(w))
		}
		scalars = append(scalars, f.calls.take(w))
	}
	if err := db.RegisterTokens(f.calls.tokens()); err != nil {
		return err
	}
	return f.register(ctx, db, aggregates, scalars)
}

// unique tells a call where no subquery can: DuckDB computes it when it plans the
// statement, as it does with what has no arguments.
func (c *calls) unique() duck.Scalar {
	return duck.Scalar{Name: c.f.prefix + "unique", Overloads: []duck.Overload{{Returns: "UUID"}},
		Call: func(args duck.Chunk, out duck.Returned) error {
			n := uniques.Add(1)
			out.Fill(args.Rows, duck.Fixed(func(int) ([2]int64, bool) { return [2]int64{n, 0}, true }))
			return nil
		}}
}

var uniques atomic.Int64

// polls asks whether the values of groups are there.
func (c *calls) polls() duck.Scalar {
	return duck.Scalar{Name: c.f.prefix + "poll", Overloads: []duck.Overload{{Parameters: []string{"BIGINT"}, Returns: "BOOLEAN"}},
		Volatile: true, Call: c.poll}
}

// begins is a scalar function that says what becomes of gathered rows: of says it, for call
// i of a chunk.
func (c *calls) begins(name string, further []string,
	of func(st *statement, args duck.Chunk, i int, group int64) (making, error)) duck.Scalar {
	return duck.Scalar{
		Name: c.f.prefix + name, Volatile: true,
		Overloads: []duck.Overload{{Parameters: append([]string{handleType("VARCHAR")}, further...), Returns: handleType("VARCHAR")}},
		Call: func(args duck.Chunk, out duck.Returned) error {
			for i, g := range duck.View[int64](args.Column(0).Fields(args.Rows)[0].Vector, args.Rows) {
				st := c.at(g)
				if st == nil {
					return errGone
				}
				value, err := of(st, args, i, g)
				if err != nil {
					return st.say(err)
				}
				if !st.call.begin(eachAlone(value)) {
					return st.say(framework.Faultf(framework.Data, "several-fits", "m has several rows, and must have one").At(scoredRun))
				}
				out.Set(i, handle(g))
			}
			return nil
		},
	}
}

// A making makes the value of a group.
type making = func(st *statement, group int64) ([]duck.Field, error)

func (c *calls) scoring(st *statement, args duck.Chunk, i int, group int64) (making, error) {
	o, err := st.gatherer.scoreOptions(args, i, group)
	return func(st *statement, group int64) ([]duck.Field, error) { return c.f.score(st, group, o) }, err
}

func (c *calls) enforcing(_ *statement, args duck.Chunk, i int, _ int64) (making, error) {
	return c.f.enforcing(args, i), nil
}

// handleType is what a gathering aggregate returns: the number of a group, and nothing
// of the type of the keys, which the type of the value depends on.
func handleType(key string) string { return `STRUCT("number" BIGINT, "key" ` + key + ")" }

func handle(group int64) []duck.Field {
	return []duck.Field{{Cell: duck.Fixed(func(int) (int64, bool) { return group, true })}, {Cell: duck.Nulls}}
}

// keyOf is the type of the keys of an overload.
func keyOf(o duck.Overload) string {
	if o.Parameters[0] == "ANY" {
		return "VARCHAR"
	}
	return o.Parameters[0]
}

// A host is what the program says that a statement of it runs in.
type host struct {
	threads int   // of the program
	memory  int64 // its limit in bytes
	source  string
	seconds int // that a fit may take; 0: any number
}

const hostType = "STRUCT(threads BIGINT, memory VARCHAR, source VARCHAR)"

// hostSQL makes the host of a statement.
const hostSQL = "{'threads': CAST(current_setting('threads') AS BIGINT), " +
	"'memory': CAST(current_setting('memory_limit') AS VARCHAR), 'source': current_query()}"

func hostOf(v duck.Vector) (*host, error) {
	x, err := v.Any(0)
	if err != nil {
		return nil, err
	}
	fields, _ := x.(map[string]any)
	h := &host{threads: 1, memory: math.MaxInt64}
	h.source, _ = fields["source"].(string)
	h.source = strings.TrimSpace(h.source)
	if n, ok := fields["threads"].(int64); ok {
		h.threads = max(1, int(n))
	}
	if text, ok := fields["memory"].(string); ok {
		h.memory = bytesOf(text)
	}
	return h, nil
}

// bytesOf reads a size as DuckDB writes it: 18.8 GiB. What it cannot read is no limit.
func bytesOf(text string) int64 {
	number, unit, _ := strings.Cut(text, " ")
	x, err := strconv.ParseFloat(number, 64)
	power := map[string]float64{"bytes": 0, "byte": 0, "KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40, "PiB": 50}
	p, known := power[unit]
	if bytes := x * math.Exp2(p); err == nil && known && bytes < math.MaxInt64 {
		return int64(bytes)
	}
	return math.MaxInt64
}

// settle sets what the program decides, and not the user.
func (h *host) settle(o *options) {
	if h == nil {
		return
	}
	s := &o.settings
	if s.Origins["max_seconds"] == "" {
		o.seconds = h.seconds
	}
	if s.Origins["threads"] == "" {
		s.Threads = h.threads
	}
	h.place(&s.Storage, &s.Most)
}

// room refuses rows that take more than the program allows.
func (h *host) room(bytes int64) error {
	if bytes <= h.memory {
		return nil
	}
	return framework.Faultf(framework.Data, "no-storage", "the rows need more than %.0f MB of memory", float64(h.memory)/1e6).
		WithHint("allow more: SET memory_limit = '%.0f MB'; or give fewer rows or columns", 4*float64(bytes)/1e6)
}

// place says where rows are to be kept: in memory, as far as the program allows.
func (h *host) place(storage *matrix.Storage, most *int64) {
	if h != nil {
		*storage, *most = matrix.NoFile, h.memory
	}
}

// polled is the form of an extension: the aggregate gathers, and a recursion asks until
// the value is there. Its first row is the handle, and the last one is done.
type polled struct{ catalogue string }

func (p polled) macro() string { return "MACRO " + p.catalogue + ".main." }

func (p polled) ofRelation(f *Functions, function, arguments, rows string) string {
	return p.ask(f, function, "SELECT "+f.name("gather_"+function)+"("+arguments+", "+token(f)+", "+hostSQL+") AS __id FROM "+rows)
}

// token is the number of the run of a statement.
func token(f *Functions) string { return "(SELECT token FROM " + f.name("token") + "())" }

// ask is a query of the values of handles.
func (p polled) ask(f *Functions, function, handles string) string {
	return "WITH RECURSIVE __handles AS MATERIALIZED (" + handles + "), __asked(__id, __done) AS (" +
		"SELECT __id, false FROM __handles UNION ALL SELECT __id, " + f.name("poll") + "((__id).number) FROM __asked WHERE NOT __done) " +
		"SELECT " + f.name("take_"+function) + "(__id) AS __v FROM __asked WHERE __done"
}

func (p polled) ofGroup(f *Functions, function, arguments string) string {
	return "CASE WHEN true THEN " + f.name(function) + "(" + arguments + ", " + f.name("unique") + "(), " + hostSQL + ") END"
}

func (p polled) ofRows(f *Functions, function, further, arguments, rows string, others ...string) string {
	gathered := "(SELECT " + f.name("gather_rows") + "(" + arguments + ", " + token(f) + ", " + hostSQL + ") AS __g FROM " + rows + ")"
	from := strings.Join(append([]string{gathered}, others...), ", ")
	return p.ask(f, function, "SELECT "+f.name(function)+"(__g, "+further+") AS __id FROM "+from)
}
