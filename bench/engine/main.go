// Command engine times what a fit makes of rows that stay in a database: the statements that look
// at the columns, starts, iterations and the assignments, each by itself; and, by turns with an iteration, the statement that a
// person would write for it (duckdb.sql, clickhouse.sql).
//
//	engine -engine duckdb -db FILE -k 10 rows
//	engine -engine clickhouse://127.0.0.1:8123/default -k 10 rows
//
// It prints a line of tab-separated values, whose heading -heading prints: those of bench/cost/measured.tsv.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/plugins"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse"
	"github.com/sqlcluster/sqlcluster/sql/engine/duckdb"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

const heading = "engine\tservers\trows\tfeatures\tk\tlearn\tstart\tstarts\tfor_starts\titeration\tby_hand\tassign" +
	"\titeration_cpu\tby_hand_cpu\tlearn_cpu\tstart_cpu\tassign_cpu"

// options are the flags.
type options struct {
	engine, db, id, features, lock, pids string
	k, servers, turns, starts            int
	hand, assign, show                   bool
}

func main() {
	log.SetFlags(0)
	var o options
	flag.StringVar(&o.engine, "engine", "duckdb", "duckdb, or the address of a server")
	flag.StringVar(&o.db, "db", "", "file of DuckDB, which is only read unless assignments are written")
	flag.StringVar(&o.lock, "lock", "", "file that is held (flock) while the clock runs, by this process alone")
	flag.StringVar(&o.pids, "pids", "", "processes of the servers, with commas between them, if they are here: their processor time counts")
	flag.StringVar(&o.id, "id", "id", "key of the rows")
	flag.StringVar(&o.features, "features", "", "columns, with commas between them; all, if empty")
	flag.IntVar(&o.k, "k", 10, "clusters")
	flag.IntVar(&o.servers, "servers", 1, "how many servers there are, for the line that is printed")
	flag.IntVar(&o.turns, "turns", 3, "iterations")
	flag.IntVar(&o.starts, "starts", 1, "starts that are made together, beside one alone; 0: centers are rows")
	flag.BoolVar(&o.hand, "hand", true, "time the statement by hand, too")
	flag.BoolVar(&o.assign, "assign", false, "write the assignments to a table, which is dropped")
	flag.BoolVar(&o.show, "show", false, "only print the statement by hand")
	head := flag.Bool("heading", false, "only print the heading")
	flag.Parse()
	if *head {
		fmt.Println(heading)
		return
	}
	if flag.NArg() != 1 {
		log.Fatal("usage: engine [flags] RELATION")
	}
	if err := run(context.Background(), o, flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

// A trial is a relation of an engine and what is known of it.
type trial struct {
	options
	engine   engine.Engine
	name     string // of the dialect
	relation string
	recipe   matrix.Recipe
	problem  framework.Problem
	c        framework.Clusterer
	bound    *engine.Bound
}

// run times one relation and prints the line.
func run(ctx context.Context, o options, relation string) error {
	e, name, err := open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { _ = e.Close() }()
	t := &trial{options: o, engine: e, name: name, relation: relation}
	cpu := t.cpu()
	learn, err := t.learn(ctx)
	if err != nil {
		return err
	}
	learnCPU := t.cpu() - cpu
	centers, start, starts, startCPU, err := t.begin(ctx)
	if err != nil {
		return err
	}
	if o.show {
		hand, err := byHand(t.name, relation, e.Dialect(), t.recipe.Features, centers)
		fmt.Println(hand)
		return err
	}
	times, m, err := t.iterate(ctx, centers)
	if err != nil {
		return err
	}
	assign := 0.0
	cpu = t.cpu()
	if o.assign {
		if assign, err = t.timed(func() error {
			_, err := t.bound.WriteAssignments(ctx, m, "bench_assignments", true)
			return err
		}); err != nil {
			return err
		}
		cpu = t.cpu() - cpu
		if err := e.Exec(ctx, "DROP TABLE bench_assignments"); err != nil {
			return err
		}
	} else {
		cpu = 0
	}
	fmt.Printf("%s\t%d\t%d\t%d\t%d\t%.3f\t%.3f\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\n",
		name, o.servers, t.problem.N, t.problem.P, o.k, learn, start, o.starts, starts, times.ours, times.hand, assign,
		times.oursCPU, times.handCPU, learnCPU, startCPU, cpu)
	return nil
}

// open opens the engine.
func open(ctx context.Context, o options) (engine.Engine, string, error) {
	if o.engine != "duckdb" {
		credentials, err := clickhouse.FromEnvironment()
		if err != nil {
			return nil, "", err
		}
		e, err := clickhouse.Open(ctx, o.engine, credentials, func(why string) { log.Print(why) })
		return e, "clickhouse", err
	}
	mode := duck.ReadOnly
	if o.assign {
		mode = duck.ReadWrite
	}
	e, err := duckdb.Open(ctx, o.db, mode)
	return e, "duckdb", err
}

// learn looks at the columns, and binds the rows to k-means.
func (t *trial) learn(ctx context.Context) (seconds float64, err error) {
	scaling, err := matrix.ParseScale("sd", "")
	if err != nil {
		return 0, err
	}
	spec := input.Spec{Relation: t.relation, ID: t.id, MissingOK: true}
	if t.features != "" {
		spec.Features = strings.Split(t.features, ",")
	}
	table := engine.On(t.engine)
	if seconds, err = t.timed(func() (err error) {
		_, t.recipe, t.problem, _, err = table.Learn(ctx, spec, scaling)
		return err
	}); err != nil {
		return 0, err
	}
	for _, b := range plugins.BuiltIns() {
		for _, a := range b.Algorithms {
			if a.Describe().Name != "kmeans" {
				continue
			}
			t.problem.K, t.problem.Seed = t.k, 1
			if t.problem.Params, err = a.Describe().Resolve(nil); err != nil {
				return 0, err
			}
			if t.c, err = a.New(t.problem); err != nil {
				return 0, err
			}
		}
	}
	formula, err := means.FormulaOf(t.c, "kmeans")
	if err != nil {
		return 0, err
	}
	t.bound, err = table.Bind(formula, t.problem)
	return seconds, err
}

// begin makes a start alone, and then several, of which the last is another one.
func (t *trial) begin(ctx context.Context) (centers framework.Matrix, one, several, oneCPU float64, err error) {
	if t.starts == 0 {
		x, _, err := t.bound.Sample(ctx, t.k, 1)
		return x, 0, 0, 0, err
	}
	cpu := t.cpu()
	begin := func(restart int) (float64, error) {
		return t.timed(func() error {
			b, err := t.bound.Begin(ctx, "kmeans||", fit.Fitted, 1, restart)
			if err == nil {
				centers = *b.Centers
			}
			return err
		})
	}
	one, err = begin(0)
	oneCPU = t.cpu() - cpu
	if err != nil || t.starts == 1 {
		return centers, one, one, oneCPU, err
	}
	spaces := slices.Repeat([]string{fit.Fitted, fit.Raw}, t.starts)[:t.starts+2]
	t.bound.Foresee(spaces)
	several, err = begin(2)
	return centers, one, several, oneCPU, err
}

// times are the seconds of an iteration and of the statement by hand: the median, and the mean of processor time, whose clock is coarse.
type times struct{ ours, hand, oursCPU, handCPU float64 }

// iterate times iterations of the engine and by hand, by turns.
func (t *trial) iterate(ctx context.Context, centers framework.Matrix) (all times, m *framework.Model, err error) {
	m = t.c.Begin()
	m.Centers.CopyFrom(centers)
	before := m.Clone()
	pass, err := t.bound.Assign(ctx, m, nil)
	if err != nil {
		return all, nil, err
	}
	step, err := t.c.Update(ctx, m, pass.Stats, nil, nil)
	if err != nil {
		return all, nil, err
	}
	m.Centers.CopyFrom(step.At[framework.Centers].X)
	statement, err := byHand(t.name, t.relation, t.engine.Dialect(), t.recipe.Features, m.Centers)
	if err != nil {
		return all, nil, err
	}
	var ours, hand []float64
	for range t.turns {
		cpu := t.cpu()
		seconds, err := t.timed(func() (err error) {
			pass, err = t.bound.Assign(ctx, m, before)
			return err
		})
		if err != nil {
			return all, nil, err
		}
		ours, all.oursCPU = append(ours, seconds), all.oursCPU+(t.cpu()-cpu)/float64(t.turns)
		if !t.hand {
			continue
		}
		var rows [][]any
		cpu = t.cpu()
		if seconds, err = t.timed(func() (err error) {
			rows, err = t.engine.Query(ctx, statement)
			return err
		}); err != nil {
			return all, nil, err
		}
		hand, all.handCPU = append(hand, seconds), all.handCPU+(t.cpu()-cpu)/float64(t.turns)
		for _, row := range rows {
			if j := row[0].(int64); int64(pass.Sizes[j]) != row[1].(int64) {
				fmt.Fprintf(os.Stderr, "cluster %d has %d rows, by hand %d\n", j, pass.Sizes[j], row[1])
			}
		}
	}
	all.ours, all.hand = median(ours), median(hand)
	fmt.Fprintf(os.Stderr, "%d rows moved; %+v\n", pass.Moved, all)
	return all, m, nil
}

// median returns 0 of nothing.
func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	slices.Sort(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// cpu returns the processor time of this process and of the servers, in seconds.
func (t *trial) cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	all := float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	for pid := range strings.SplitSeq(t.pids, ",") {
		if pid == "" {
			continue
		}
		text, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil {
			log.Fatal(err)
		}
		of := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+2:]))
		for _, ticks := range of[11:13] {
			n, err := strconv.Atoi(ticks)
			if err != nil {
				log.Fatal(err)
			}
			all += float64(n) / 100
		}
	}
	return all
}

// timed returns how long something takes.
func (t *trial) timed(do func() error) (float64, error) {
	if t.lock != "" {
		f, err := os.OpenFile(t.lock, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return 0, err
		}
		defer func() { _ = f.Close() }()
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
			return 0, err
		}
	}
	began := time.Now()
	err := do()
	return time.Since(began).Seconds(), err
}
