// Golang is a program in Go with DuckDB in it that loads the extension, as a host in Go does:
// there are two runtimes of Go in one process then, and each must leave the other alone.
//
//	golang EXTENSION FITS
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("golang EXTENSION FITS")
	}
	fits, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	for _, check := range []func(*sql.DB) error{
		func(db *sql.DB) error { return manyFits(db, fits) }, preemption, signals, faults, processes, cancelled,
	} {
		if err := loaded(check); err != nil {
			log.Fatal(err)
		}
	}
	// Exits while another goroutine fits.
	if err := loaded(func(db *sql.DB) error {
		go db.Exec("FROM sqlcluster.cluster_fit(points, 'id', k := 50, restarts := 100000)") //nolint:errcheck // the process ends first
		time.Sleep(100 * time.Millisecond)
		os.Exit(7)
		return nil
	}); err != nil {
		log.Fatal(err)
	}
}

// loaded runs a check with a database that has loaded the extension.
func loaded(check func(*sql.DB) error) error {
	db, err := sql.Open("duckdb", "?allow_unsigned_extensions=true")
	if err != nil {
		return err
	}
	for _, s := range []string{"LOAD '" + os.Args[1] + "'",
		"CREATE TABLE points AS SELECT i AS id, hash(i) % 1000 AS a, hash(i + 1000000) % 1000 AS b FROM range(5000) r(i)"} {
		if _, err := db.Exec(s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return errors.Join(check(db), db.Close())
}

// manyFits fits from four goroutines, while others make garbage and collect it.
func manyFits(db *sql.DB, fits int) error {
	var one string
	if err := db.QueryRow("SELECT md5(model) FROM sqlcluster.cluster_fit(points, 'id', k := 3)").Scan(&one); err != nil {
		return err
	}
	var stop atomic.Bool
	var garbage, all sync.WaitGroup
	var kept [64][]byte
	garbage.Go(func() {
		for i := 0; !stop.Load(); i++ {
			kept[i%len(kept)] = make([]byte, 1<<16)
			if i%100 == 0 {
				runtime.GC()
			}
		}
	})
	failed := make(chan error, 4)
	for range 4 {
		all.Go(func() {
			for range fits / 4 {
				var other string
				err := db.QueryRow("SELECT md5(model) FROM sqlcluster.cluster_fit(points, 'id', k := 3)").Scan(&other)
				if err == nil && other != one {
					err = errors.New("two fits of the same rows differ")
				}
				if err != nil {
					failed <- err
					return
				}
			}
		})
	}
	all.Wait()
	stop.Store(true)
	garbage.Wait()
	close(failed)
	return <-failed
}

// preemption collects garbage while a goroutine is in a loop without calls: the runtime
// of the host has to interrupt it by its own signal, or else it waits for the end of the loop.
func preemption(*sql.DB) error {
	for range 3 {
		var begun, ended atomic.Bool
		var looping sync.WaitGroup
		looping.Go(func() {
			begun.Store(true)
			n := 0
			for i := range 1_000_000_000 {
				n ^= i
			}
			ended.Store(n >= 0)
		})
		for !begun.Load() {
			runtime.Gosched()
		}
		runtime.GC()
		late := ended.Load()
		looping.Wait()
		if late {
			return errors.New("a loop of the host cannot be interrupted any more")
		}
	}
	return nil
}

// signals raises those that the host asks for.
func signals(db *sql.DB) error {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGPIPE, syscall.SIGURG} {
		got := make(chan os.Signal, 100)
		signal.Notify(got, s)
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			return err
		}
		select {
		case <-got:
		case <-time.After(5 * time.Second):
			return fmt.Errorf("%s was not handled", s)
		}
		signal.Stop(got)
		if _, err := db.Exec("FROM sqlcluster.cluster_fit(points, 'id', k := 3)"); err != nil {
			return err
		}
	}
	return nil
}

// faults makes errors that come as signals, in the host.
func faults(db *sql.DB) error {
	debug.SetPanicOnFault(true)
	for range 20 {
		for _, fault := range []func(){
			func() { var p *int; *p = 1 },
			func() { var zero int; fmt.Println(1 / zero) },
		} {
			panicked := func() (is bool) {
				defer func() { is = recover() != nil }()
				fault()
				return false
			}()
			if !panicked {
				return errors.New("a fault of the host is no panic of it")
			}
		}
		if _, err := db.Exec("FROM sqlcluster.cluster_fit(points, 'id', k := 3)"); err != nil {
			return err
		}
	}
	return nil
}

// processes starts some, as a fork and an exec.
func processes(*sql.DB) error {
	for range 20 {
		if out, err := exec.Command("echo", "yes").Output(); err != nil || string(out) != "yes\n" {
			return fmt.Errorf("echo says %q: %w", out, err)
		}
	}
	return nil
}

// cancelled cancels statements by their context.
func cancelled(db *sql.DB) error {
	for i := range 10 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(20*i+20)*time.Millisecond)
		begun := time.Now()
		_, err := db.ExecContext(ctx, "FROM sqlcluster.cluster_fit(points, 'id', k := 50, restarts := 100000)")
		cancel()
		if err == nil || time.Since(begun) > 2*time.Second+time.Duration(20*i+20)*time.Millisecond {
			return fmt.Errorf("after %s: %w", time.Since(begun), err)
		}
	}
	if _, err := db.Exec("FROM sqlcluster.cluster_fit(points, 'nope', k := 3)"); err == nil || !strings.Contains(err.Error(), "nope") {
		return fmt.Errorf("a key that is not there: %w", err)
	}
	return nil
}
