package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/process"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/prompt"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/session"
)

// terminal returns the two directions of the terminal at which a person types, or
// nil: results that go to a file leave standard error for it.
func (r *sqlRun) terminal() (keyboard, screen *os.File) {
	if r.command != "" || r.file != "" {
		return nil, nil
	}
	keyboard, ok := r.in.(*os.File)
	if !ok || !term.IsTerminal(int(keyboard.Fd())) {
		return nil, nil
	}
	for _, w := range []io.Writer{r.Out, r.Err} {
		if out, ok := w.(*render.Output); ok {
			w = out.To
		}
		if screen, ok := w.(*os.File); ok && term.IsTerminal(int(screen.Fd())) {
			return keyboard, screen
		}
	}
	return nil, nil
}

// converse runs what a person types at a terminal.
func (r *sqlRun) converse(ctx context.Context, s *session.Session, keyboard, screen *os.File) error {
	r.remedy = ".mode csv shows all"
	database := r.Flags.DB
	if database == "" {
		database = "a private temporary database"
	}
	defer process.TakeInterrupt(func() {
		if cancel := r.cancel.Load(); cancel != nil {
			(*cancel)()
		}
	})()
	r.Note("DuckDB %s, %s; .help shows what there is beside SQL", duck.Version(), database)
	return r.prompt(s, prompt.Prompt{
		Terminal: struct {
			io.Reader
			io.Writer
		}{keyboard, screen},
		Raw: func() func() {
			before, err := term.MakeRaw(int(keyboard.Fd()))
			if err != nil {
				return func() {}
			}
			return func() { _ = term.Restore(int(keyboard.Fd()), before) }
		},
		Size: func() (int, int) {
			width, height, _ := term.GetSize(int(screen.Fd()))
			return width, height
		},
		History: prompt.OpenHistory(prompt.HistoryFile()),
	}).Loop(ctx)
}

// prompt completes a prompt with what is done in the session.
func (r *sqlRun) prompt(s *session.Session, p prompt.Prompt) *prompt.Prompt {
	timing := false
	p.Run = func(ctx context.Context, text string) bool {
		began := time.Now()
		err := r.typed(ctx, s, text)
		if timing {
			fmt.Fprintf(r.Err, "time: %.3f s\n", time.Since(began).Seconds())
		}
		return err == nil
	}
	p.Propose = func(text string) (int, []string) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		at, proposals, _ := s.Propose(ctx, text)
		return at, proposals
	}
	p.Command = func(ctx context.Context, words []string) bool {
		if len(words) == 1 && (words[0] == ".quit" || words[0] == ".exit") {
			return false
		}
		if words[0] == ".timing" && len(words) == 2 && (words[1] == "on" || words[1] == "off") {
			timing = words[1] == "on"
			return true
		}
		if err := r.dotCommand(ctx, s, words); err != nil {
			r.complain(err)
		}
		return true
	}
	return &p
}

// dotCommand does what a line that begins with a dot asks for.
func (r *sqlRun) dotCommand(ctx context.Context, s *session.Session, words []string) error {
	switch n := len(words); {
	case words[0] == ".tables" && n == 1:
		return r.statement(ctx, s, "SHOW TABLES")
	case words[0] == ".mode" && n == 2 && slices.Contains(render.Formats, words[1]):
		r.Flags.Output = words[1]
		return nil
	case words[0] == ".store" && (n == 3 || n == 4 && words[3] == "--replace"):
		err := s.Store(ctx, words[1], words[2], n == 4)
		if f := framework.AsFault(err); f != nil && f.Where == framework.Setting("into") {
			return f.WithWhere("the name of the run")
		}
		if err == nil {
			r.Note("stored as the run %s", words[2])
		}
		return err
	case words[0] == ".help":
		fmt.Fprint(r.Err, commands)
		return nil
	}
	known := []string{".help", ".tables", ".mode", ".store", ".timing", ".quit"}
	f := framework.Faultf(framework.Usage, "bad-command", "there is no command %s", strings.Join(words, " ")).
		WithHint("the commands: .tables, .mode FORMAT, .store TABLE RUN [--replace], .help")
	if slices.Contains(known, words[0]) {
		f.Summary = words[0] + " takes other words than " + strings.Join(words[1:], " ")
		if len(words) == 1 {
			f.Summary = words[0] + " takes more words"
		}
	} else {
		f.Similar = framework.Closest(words[0], known)
	}
	return f
}

// commands is the help of the prompt.
var commands = `A statement ends with a semicolon, and may have several lines. Tab completes names
and key words, Ctrl-C ends a statement or a line, Ctrl-D the session.
FROM cluster_algorithms() lists what there is to cluster with.

.help                         this text
.tables                       list the tables and views
.mode FORMAT                  write results as ` + strings.Join(render.Formats, ", ") + `
.store TABLE RUN [--replace]  store the fit in a table as the tables of a run
.timing on|off                say how long each statement takes
.quit                         end the session
`

// typed runs a statement of the prompt, which Ctrl-C ends, and says what is wrong.
func (r *sqlRun) typed(ctx context.Context, s *session.Session, text string) error {
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	r.cancel.Store(&cancel)
	r.shown = false
	err := r.statement(running, s, text)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if running.Err() != nil {
		fmt.Fprintln(r.Err, "interrupted")
	} else {
		r.complain(err)
	}
	return err
}

// complain says what is wrong.
func (r *sqlRun) complain(err error) {
	if f := framework.AsFault(err); f != nil {
		render.Fault(r.Err, r.Flags.Said(process.WithLack(f)), render.Colored(r.Err, r.Flags.Color))
		return
	}
	fmt.Fprintln(r.Err, render.SafeLines(err.Error()))
}
