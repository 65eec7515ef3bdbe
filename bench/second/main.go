// Command second measures what a second thread gains, beside what two fits that know nothing
// of each other do at the same time: no program can gain more from it on this machine.
//
//	second [-turns N] [-fits N] [-dir DIR] DESIGN[/ITERATIONS]…
//
// DESIGN.npy and DESIGN.start.npy are the files that bench/generate writes. Each fit is
// k-means from the start, in a process that is new, as by the command; what counts are its
// seeding and iterations. In turns there is one fit on one thread, one on two, and two at once on a thread
// each, each of which has rows of its own. With -fits 2, the second fit of each process counts, which
// has its memory already.
//
// A fit beside which other programs had more than 1/20 of a processor (-others) is made again, a hundred times at most:
// it would tell about them, and two threads lose more by them than one does.
//
// A line has medians: seconds of a fit on one thread, on two, and of one of two at once; how many
// times as fast two threads are; how much more two fits at once do than one; and the share that the former is of
// the latter.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sqlcluster/sqlcluster/bench/internal/npy"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

const unlimited = 1000 // iterations

// spares is how many more goroutines may run Go than there are processors, as in the process of a plugin.
const spares = 2

func main() {
	log.SetFlags(0)
	turns := flag.Int("turns", 5, "")
	fits := flag.Int("fits", 1, "which fit of a process counts")
	dir := flag.String("dir", filepath.Join(os.TempDir(), "sqlcluster-bench"), "where the data are")
	others := flag.Float64("others", 0.05, "processors that other programs may have beside a fit that counts")
	threads := flag.Int("threads", 0, "of a process that fits once it gets a line; 0: measure")
	flag.Parse()
	for _, design := range flag.Args() {
		name, limit, _ := strings.Cut(design, "/")
		most := unlimited
		if limit != "" {
			var err error
			if most, err = strconv.Atoi(limit); err != nil {
				log.Fatal(err)
			}
		}
		path := filepath.Join(*dir, name)
		if *threads > 0 {
			if err := answer(path, most, *threads, *fits); err != nil {
				log.Fatal(err)
			}
			return
		}
		fit := func(threads, processes int) float64 {
			seconds, err := quiet(*others, processes, "-fits", strconv.Itoa(*fits), "-dir", *dir, "-threads", strconv.Itoa(threads), design)
			if err != nil {
				log.Fatal(err)
			}
			return seconds
		}
		var one, two, both []float64
		for range *turns {
			one, two, both = append(one, fit(1, 1)), append(two, fit(2, 1)), append(both, fit(1, 2))
		}
		a, b, c := median(one), median(two), median(both)
		fmt.Printf("| %s | %.4f | %.4f | %.4f | %.2f | %.2f | %.0f %% |\n", design, a, b, c, a/b, 2*a/c, 100*c/(2*b))
	}
}

func median(of []float64) float64 {
	slices.Sort(of)
	return (of[(len(of)-1)/2] + of[len(of)/2]) / 2
}

// tries is how often a fit is made until others leave it alone.
const tries = 100

// quiet is measure, again and again until others have had no more processors than that meanwhile.
func quiet(others float64, processes int, arguments ...string) (float64, error) {
	for range tries {
		seconds, had, err := measure(processes, arguments...)
		if err != nil || had <= others {
			return seconds, err
		}
	}
	return 0, fmt.Errorf("other programs have had more than %g processors beside each of %d fits", others, tries)
}

// measure has so many processes with these arguments fit at once. It returns their mean seconds, and
// how many processors others have had.
func measure(processes int, arguments ...string) (mean, others float64, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, 0, err
	}
	type process struct {
		*exec.Cmd
		in  io.WriteCloser
		out *bufio.Scanner
	}
	all := make([]process, processes)
	for i := range all {
		c := exec.Command(self, arguments...)
		c.Stderr = os.Stderr
		in, err := c.StdinPipe()
		if err != nil {
			return 0, 0, err
		}
		out, err := c.StdoutPipe()
		if err != nil {
			return 0, 0, err
		}
		if err := c.Start(); err != nil {
			return 0, 0, err
		}
		all[i] = process{c, in, bufio.NewScanner(out)}
	}
	for _, p := range all {
		p.out.Scan() // it is ready
	}
	began, busy := time.Now(), busySeconds()
	for _, p := range all {
		if _, err := fmt.Fprintln(p.in); err != nil {
			return 0, 0, err
		}
	}
	ours := 0.0
	for _, p := range all {
		p.out.Scan()
		var seconds, used float64
		if _, err := fmt.Sscan(p.out.Text(), &seconds, &used); err != nil {
			return 0, 0, err
		}
		mean, ours = mean+seconds/float64(processes), ours+used
	}
	others = (busySeconds() - busy - ours) / time.Since(began).Seconds()
	for _, p := range all {
		if err := p.Wait(); err != nil {
			return 0, 0, err
		}
	}
	return mean, others, nil
}

// busySeconds returns how long all processors have worked, and a virtual machine has waited for them,
// as Linux tells; 0 elsewhere.
func busySeconds() (sum float64) {
	const ticks, idle, wait, guest = 100, 3, 4, 8 // a second; places of a line of /proc/stat
	content, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(content), "\n")
	for i, field := range strings.Fields(strings.TrimPrefix(line, "cpu")) {
		if n, err := strconv.ParseFloat(field, 64); err == nil && i != idle && i != wait && i < guest {
			sum += n / ticks
		}
	}
	return sum
}

// usedSeconds returns how long this process has had processors.
func usedSeconds() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	of := func(t syscall.Timeval) float64 { return float64(t.Sec) + 1e-6*float64(t.Usec) }
	return of(u.Utime) + of(u.Stime)
}

// answer fits after it has said that it is ready and has got a line, and prints the seconds of the last fit, and those that all
// of them had of processors.
func answer(path string, most, threads, fits int) error {
	x, shape, err := npy.Read(path + ".npy")
	if err != nil {
		return err
	}
	start, of, err := npy.Read(path + ".start.npy")
	if err != nil {
		return err
	}
	p := framework.Problem{N: shape[0], P: shape[1], K: of[0], Mass: float64(shape[0]), Seed: 1}
	c, data, err := problem(x, &p)
	if err != nil {
		return err
	}
	defer func() { _ = data.Close() }()
	centers := framework.NewMatrix(p.K, p.P)
	copy(centers.Data, start)
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + spares)
	}
	settings := fit.Settings{Init: "random", InitSpace: "fitted", Restarts: 1, MaxIter: most, Empty: framework.Reseed, Threads: threads}
	fmt.Println()
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	seconds, before := 0.0, usedSeconds()
	for range fits {
		r, err := fit.Run(context.Background(), c, p, data, fit.Start{Centers: &centers}, settings, nil)
		if err != nil {
			return err
		}
		seconds = r.Seconds.Seeding + r.Seconds.Iterations
	}
	fmt.Println(seconds, usedSeconds()-before)
	return nil
}

// problem fills in that of k-means on these rows as they are.
func problem(x []float64, p *framework.Problem) (framework.Clusterer, *matrix.Data, error) {
	builder, err := matrix.NewBuilder(p.P, matrix.Options{RowsHint: p.N})
	if err != nil {
		return nil, nil, err
	}
	cells, err := builder.Extend(p.N)
	if err != nil {
		return nil, nil, err
	}
	copy(cells, x)
	recipe, err := matrix.Learn(builder, make([]string, p.P), matrix.Scaling{Center: "none", Scale: "none"})
	if err != nil {
		return nil, nil, err
	}
	if p.Columns, err = recipe.Apply(builder); err != nil {
		return nil, nil, err
	}
	data, err := builder.Seal()
	if err != nil {
		return nil, nil, err
	}
	algorithm := skfr.KMeans{}
	if p.Params, err = algorithm.Describe().Resolve(map[string]string{}); err != nil {
		return nil, nil, err
	}
	c, err := algorithm.New(*p)
	return c, data, err
}
