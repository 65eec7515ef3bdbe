package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/report"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// reportOptions say what becomes of a report.
type reportOptions struct {
	out, format, chart string
	force              bool
	sample             int
}

const (
	formatHTML = "html"
	formatSVG  = "svg"
	formatVega = "vega-lite"
)

func (a *app) reportCommand() *cobra.Command {
	var o reportOptions
	c := &cobra.Command{
		Use:   "report RUN [RUN...]",
		Short: "Write a page with pictures of a run",
		Long: `Write a page that says in plain words what the clusters of a run are, with
pictures of what its result tables hold: sizes and profiles of clusters, features,
the scores of a tuning, the weights along a path, how starts ended, pairs kept and
broken, and how to get the same result again. Several runs come one after the
other, with a table that compares fits.

The page is one file without scripts, and loads nothing from elsewhere. If the
relation can be read, a sample of its rows is shown too; --sample 0 leaves it
unread. Rows that are in another database come from there, with --engine.
--format svg and vega-lite write a single picture, which --chart names.`,
		Example: `  sqlcluster report segments --db shop.duckdb --out segments.html
  sqlcluster report segments --db shop.duckdb --format svg --chart profile \
    --out profile.svg`,
		Args: help.Takes("RUN", "[RUN...]"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.check(len(args)); err != nil {
				return err
			}
			return a.withRuns(c.Context(), "report", false, func(db *store.DB) error { return a.report(c.Context(), db, args, o) })
		},
	}
	f := c.Flags()
	f.StringVar(&o.out, "out", "", "`file` to write; -: standard output")
	f.BoolVar(&o.force, "force", false, "replace the file if there is one")
	f.StringVar(&o.format, "format", formatHTML, "`form`: html (a page), svg or vega-lite (one picture)")
	f.StringVar(&o.chart, "chart", "", "`name` of the picture that --format svg or vega-lite writes")
	f.IntVar(&o.sample, "sample", 2000, "`number` of rows that are shown; 0: the relation is not read")
	flags.In(f, flags.GroupOutput, "out", "force", "format", "chart")
	flags.In(f, flags.GroupInput, "sample")
	a.Flags.AddModel(f)
	a.Flags.AddEngine(f)
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{formatHTML, formatSVG, formatVega},
		cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("chart", cobra.FixedCompletions(report.ChartNames(), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("out", cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault))
	return c
}

// check refuses flags that do not go together, before anything is read.
func (o *reportOptions) check(runs int) error {
	wrong := func(where, format string, args ...any) *framework.Fault {
		return framework.Faultf(framework.Usage, "bad-flag", format, args...).At(where)
	}
	switch {
	case o.out == "":
		return wrong("out", "report needs a file to write").WithHint("name it: --out report.html; or --out - for standard output")
	case o.sample < 0:
		return wrong("sample", "--sample is %d; it must not be negative", o.sample).WithHint("0 leaves the relation unread")
	case o.format != formatHTML && o.format != formatSVG && o.format != formatVega:
		return wrong("format", "--format %q is unknown", o.format).WithHint("it is html, svg or vega-lite").
			WithSimilar(framework.Closest(o.format, []string{formatHTML, formatSVG, formatVega}))
	case o.format == formatHTML && o.chart != "":
		return wrong("chart", "--format html writes all pictures").WithHint("for a single one: --format svg --chart %s",
			framework.ShellWord(o.chart))
	case o.format != formatHTML && o.chart == "":
		return wrong("chart", "--format %s writes a single picture", o.format).WithHint("name it: --chart %s",
			strings.Join(report.ChartNames(), ", "))
	case o.format != formatHTML && runs > 1:
		return wrong("format", "--format %s writes a picture of one run, and there are %d", o.format, runs)
	}
	if _, err := os.Lstat(o.out); err == nil && !o.force && o.out != "-" {
		return o.exists()
	}
	return nil
}

func (o *reportOptions) exists() error {
	return framework.Faultf(framework.Data, "file-exists", "there is a file %s already", o.out).At("out").
		WithHint("choose another name, or replace it with --force")
}

func (a *app) report(ctx context.Context, db *store.DB, names []string, o reportOptions) error {
	if err := a.checkEngine(); err != nil {
		return err
	}
	var all []*report.Report
	for _, name := range names {
		var p *report.Report
		err := a.Stage("reading", func(reading func(string, ...any)) error {
			return a.Stage("silhouettes", func(measuring func(string, ...any)) (err error) {
				p, err = report.Read(ctx, db, name, report.Options{Library: a.Flags.Library(), Sample: o.sample, Threads: a.Flags.Threads,
					Reading:   func(rows int) { reading("%d rows", rows) },
					Measuring: func(done, of int) { measuring("%d of %d rows", done, of) }, There: a.drawThere(db)})
				return err
			})
		})
		if err != nil {
			return err
		}
		all = append(all, p)
	}
	text, err := o.text(all)
	if err != nil {
		return err
	}
	if o.out == "-" {
		_, err = a.Out.Write(text)
		return err
	}
	if err := o.write(text); err != nil {
		return err
	}
	a.Note("written to %s", o.out)
	return nil
}

// text is the page, or the picture.
func (o *reportOptions) text(all []*report.Report) ([]byte, error) {
	if o.format == formatHTML {
		return report.Page(all)
	}
	var names []string
	for _, f := range all[0].Charts() {
		names = append(names, f.Name)
		switch {
		case f.Name != o.chart:
		case o.format == formatSVG:
			return f.SVG(), nil
		default:
			return f.Vega()
		}
	}
	f := framework.Faultf(framework.Data, "chart-not-found", "run %q has no picture %q", all[0].Name, o.chart).At("chart").
		WithHint("it has %s", strings.Join(names, ", ")).WithSimilar(framework.Closest(o.chart, names))
	if all[0].NoRows != "" {
		f.Details = []string{all[0].NoRows}
	}
	return nil, f
}

// write makes the file, whole or not at all. What is not a file, such as a pipe, is
// written to as it is.
func (o *reportOptions) write(text []byte) error {
	failed := func(err error) error {
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err // its path may be that of the unfinished file
		}
		return (&framework.Fault{Class: framework.Internal, Code: "file-not-written", Summary: "the report cannot be written",
			Err: err}).At("out")
	}
	if info, err := os.Stat(o.out); err == nil && !info.Mode().IsRegular() {
		if err := os.WriteFile(o.out, text, 0o666); err != nil {
			return failed(err)
		}
		return nil
	}
	target := o.out
	if linked, err := filepath.EvalSymlinks(target); err == nil {
		target = linked
	}
	name := filepath.Join(filepath.Dir(target), fmt.Sprintf(".%s.%d.part", filepath.Base(target), os.Getpid()))
	part, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = os.Remove(name) }()
	_, err = part.Write(text)
	if err = errors.Join(err, part.Close()); err != nil {
		return failed(err)
	}
	if o.force {
		err = os.Rename(name, target)
	} else if err = os.Link(name, target); errors.Is(err, fs.ErrExist) {
		return o.exists()
	} else if err != nil { // a file system without links
		err = os.Rename(name, target)
	}
	if err != nil {
		return failed(err)
	}
	return nil
}
