package functions

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// An aggregate of ours takes four arguments: the key of a row, the row, the options,
// which are those of a group, and what tells the call from others of the statement. Its rows are kept until all are there, and read by a
// job from a private database as it reads any relation: so each type of
// column, key and value is read in one place, whoever asks.

// A gathering is the rows of one call of an aggregate in a statement.
type gathering struct {
	rows    *duck.Heap // columns: the key, then those of a row
	columns []string   // of a row
	types   []string   // of the key, then of these
	groups  int        // that have rows here

	keys     func() ([]string, error) // see keyColumns
	constant map[int64][]constant     // of each group before it was combined with others, see constants; nil: not asked for yet
}

// A constant is what a column has in all rows of a group; ok is false if they differ.
type constant struct {
	value string
	ok    bool
}

// A group is the rows that become one value, or some of them, which another thread
// has gathered.
type group struct {
	of      *gathering
	options *options
	members []int64 // the groups that it has taken in, itself first
}

// at returns the group of a number. The lock is held.
func (g *gatherer) at(number int64) *group { return &g.groups[number-g.base] }

// gatherer gathers the rows of all aggregates of a statement.
type gatherer struct {
	f    *Functions
	host *host // the program that the functions are in; nil: that of a session

	mu         sync.Mutex
	gatherings map[string]*gathering // by what tells two calls apart
	base       int64                 // the number of the first group is one more
	groups     []group               // by number − base, from 1
	options    map[string]*options   // by their text
	states     int                   // of DuckDB that have a number
	ended      bool                  // all was dropped
	differing  error                 // of a group whose rows have several options; nil: there is none
}

// update is that of duck.Aggregate, for the aggregate of a name.
func (g *gatherer) update(name string, args duck.Chunk, groups []*int64) error {
	key, row, given := args.Column(0), args.Column(1), args.Column(2)
	call, err := args.Column(3).Any(0)
	if err != nil {
		return err
	}
	fields := row.Fields(args.Rows)
	if fields == nil {
		return framework.Faultf(framework.Usage, "not-a-row", "the rows of %s are %s, and must be rows of a relation", "cluster_"+name,
			"of type "+row.Type()).
			WithHint("give the name of the relation: %s(c.id, c, {k: 3}) FROM customers c", "cluster_"+name)
	}
	columns := []duck.Vector{key}
	for _, f := range fields {
		columns = append(columns, f.Vector)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended {
		return errGone
	}
	of := g.gathering(fmt.Sprint(name, call), columns, fields)
	numbers := make([]int64, args.Rows)
	constant := given.Same(args.Rows)
	for i, state := range groups {
		if *state == 0 || !constant {
			o, err := g.optionsOf(name, given, i, args.Rows, g.base+int64(len(g.groups)))
			if err != nil {
				return err
			}
			if *state == 0 {
				*state = g.base + int64(len(g.groups))
				of.groups++
				g.states++
				g.groups = append(g.groups, group{of: of, options: o, members: []int64{*state}})
			}
			g.compare(*state, o)
		}
		numbers[i] = *state
	}
	if err := of.rows.Add(numbers, columns); err != nil || g.host == nil {
		return err
	}
	return g.host.room(of.rows.Bytes())
}

// using returns how many states have a number, now that there are so many more.
func (g *gatherer) using(more int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.states += more
	return g.states
}

// compare notes options that are not those of a group.
func (g *gatherer) compare(number int64, o *options) {
	if mine := g.at(number).options; mine.text != o.text {
		g.differing = framework.Faultf(framework.Usage, "options-differ", "the options differ between the rows of a group").
			WithHint("make them of constants, or of columns that the rows are grouped by")
	}
}

// mixed returns the fault of groups whose rows have several options.
func (g *gatherer) mixed() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.differing
}

// gathering returns where the rows of a call go, whose arguments have these types.
func (g *gatherer) gathering(name string, columns []duck.Vector, fields []duck.Named) *gathering {
	of := &gathering{types: []string{columns[0].Type()}}
	for _, f := range fields {
		of.columns, of.types = append(of.columns, f.Name), append(of.types, f.Type())
	}
	text := strings.Join(append(append([]string{name}, of.columns...), of.types...), "\x00")
	if known := g.gatherings[text]; known != nil {
		return known
	}
	of.rows = duck.NewHeap(columns)
	g.gatherings[text] = of
	return of
}

// combine is that of duck.Aggregate.
func (g *gatherer) combine(from, into []*int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, a := range from {
		switch b := into[i]; {
		case *a == 0:
		case *b == 0:
			*b = *a
		default:
			taken, to := g.at(*a), g.at(*b)
			g.compare(*b, taken.options)
			to.members = append(to.members, taken.members...)
			taken.members = nil
			taken.of.groups--
			g.states--
		}
		*a = 0
	}
}

// group returns a group by its number.
func (g *gatherer) group(number int64) group {
	g.mu.Lock()
	defer g.mu.Unlock()
	return *g.at(number)
}

// isOnly reports whether a call has no group but this one.
func (g *gatherer) isOnly(number int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.at(number).of.groups == 1
}

// relation returns the query that has the rows of a group. Its key is a column of
// its own if keyed is true.
func (g *gatherer) relation(number int64, keyed bool) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	of := g.at(number).of
	text := "SELECT " + strings.Join(of.list(keyed), ", ") + " FROM " + of.rows.Relation()
	if of.groups > 1 {
		text += " WHERE g IN (" + strings.Trim(strings.ReplaceAll(fmt.Sprint(g.at(number).members), " ", ", "), "[]") + ")"
	}
	return text
}

// groupColumn has the place of each row's group in the query of several.
const groupColumn = "__group"

// together returns the query that has the rows of several groups.
func (g *gatherer) together(numbers []int64, keyed bool) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	of := g.at(numbers[0]).of
	var members, places []string
	for i, number := range numbers {
		for _, m := range g.at(number).members {
			members, places = append(members, fmt.Sprint(m)), append(places, fmt.Sprint(i))
		}
	}
	// One text takes a small part of the time to parse that thousands of numbers take.
	unnest := func(of []string, as string) string {
		return "unnest(CAST(string_split('" + strings.Join(of, ",") + "', ',') AS BIGINT[])) AS " + as
	}
	return "SELECT " + strings.Join(append(of.list(keyed), groupColumn), ", ") + " FROM " + of.rows.Relation() +
		" JOIN (SELECT " + unnest(members, "g") + ", " + unnest(places, groupColumn) + ") USING (g)"
}

// list is the columns of a query of the rows.
func (of *gathering) list(keyed bool) []string {
	var list []string
	if keyed {
		list = append(list, "c0 AS "+schema.Quote(of.keyName()))
	}
	for i, name := range of.columns {
		list = append(list, fmt.Sprintf("c%d AS %s", i+1, schema.Quote(name)))
	}
	return list
}

// keyName is the name of a key that is not a column of the row.
func (of *gathering) keyName() string {
	name := "key"
	for slices.ContainsFunc(of.columns, func(c string) bool { return strings.EqualFold(c, name) }) {
		name += "_"
	}
	return name
}

// keyColumns returns the columns of the row that equal the key in all rows: the key
// is a column of the row, most often, and nothing tells which.
func (g *gatherer) keyColumns(ctx context.Context, of *gathering) ([]string, error) {
	g.mu.Lock()
	if of.keys == nil {
		of.keys = sync.OnceValues(func() ([]string, error) { return of.equalKey(ctx, g.f.reading) })
	}
	keys := of.keys
	g.mu.Unlock()
	return keys()
}

func (of *gathering) equalKey(ctx context.Context, db *store.DB) ([]string, error) {
	var candidates, tests []string
	for i, name := range of.columns {
		if of.types[i+1] == of.types[0] {
			candidates = append(candidates, name)
			tests = append(tests, fmt.Sprintf("bool_and(c0 IS NOT DISTINCT FROM c%d)", i+1))
		}
	}
	if candidates == nil {
		return nil, nil
	}
	rows, err := db.Rows(ctx, "SELECT "+strings.Join(tests, ", ")+" FROM "+of.rows.Relation())
	if err != nil {
		return nil, err
	}
	var equal []string
	for i, name := range candidates {
		if rows[0][i] == true {
			equal = append(equal, name)
		}
	}
	return equal, nil
}

// constants returns the columns that are not numbers and have one value in all rows
// of a group: those that it is a group by, for example. They tell no rows apart, and
// would have to be left out by name otherwise.
func (g *gatherer) constants(ctx context.Context, number int64) ([]string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	of := g.at(number).of
	var columns, list []string
	for i, name := range of.columns {
		if t := of.types[i+1]; t == "VARCHAR" || t == "BOOLEAN" || t == "UUID" || t == "DATE" || strings.HasPrefix(t, "ENUM(") ||
			strings.HasPrefix(t, "TIME") {
			columns = append(columns, name)
			list = append(list, fmt.Sprintf(
				"CASE WHEN count(c%d) = count(*) AND min(c%[1]d) = max(c%[1]d) THEN CAST(min(c%[1]d) AS VARCHAR) END", i+1))
		}
	}
	if columns == nil {
		return nil, nil
	}
	if of.constant[number] == nil { // or they were asked for before these rows came
		rows, err := g.f.reading.Rows(ctx, "SELECT g, "+strings.Join(list, ", ")+" FROM "+of.rows.Relation()+" GROUP BY g")
		if err != nil {
			return nil, err
		}
		of.constant = map[int64][]constant{}
		for _, row := range rows {
			all := make([]constant, len(columns))
			for i, v := range row[1:] {
				all[i].value, all[i].ok = v.(string)
			}
			of.constant[row[0].(int64)] = all
		}
	}
	var found []string
	for i, name := range columns {
		one := of.constant[number][i]
		for _, member := range g.at(number).members {
			one.ok = one.ok && of.constant[member][i] == one
		}
		if one.ok {
			found = append(found, name)
		}
	}
	return found, nil
}

// release frees the rows of a group that has been read, if there are no others. Those
// of a later call go to another place.
func (g *gatherer) release(number int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if of := g.at(number).of; of.groups == 1 {
		of.rows.Drop()
		maps.DeleteFunc(g.gatherings, func(_ string, kept *gathering) bool { return kept == of })
	}
}

// drop removes everything that was gathered.
func (g *gatherer) drop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
	for _, of := range g.gatherings {
		of.rows.Drop()
	}
	for _, o := range g.options {
		o.drop()
	}
}
