package doctest

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/cli"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

var update = flag.Bool("update", false, "rewrite the output shown in the documents")

const (
	root    = "../../../.."
	longest = 2 * time.Minute // of one command

	// asCommand, in the environment, makes the test program behave as sqlcluster.
	asCommand = "SQLCLUSTER_TEST_AS_COMMAND"
)

// TestMain serves the commands of the documents, so that none has to be linked
// beside the test, and the plugin processes that these start.
func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" || len(os.Args) > 2 && slices.Contains([]string{"__serve", "__guard"}, os.Args[1]) {
		cli.Exit(os.Args[1:], os.Stdout, os.Stderr)
	}
	os.Exit(m.Run())
}

// documents returns the paths of the documents, relative to the root.
func documents(t *testing.T) []string {
	t.Helper()
	pages := must.Get(filepath.Glob(filepath.Join(root, "docs", "*.md")))(t)
	names := []string{"README.md", "examples/README.md"}
	for _, page := range pages {
		names = append(names, "docs/"+filepath.Base(page))
	}
	return names
}

func TestDocuments(t *testing.T) {
	command := must.Get(os.Executable())(t)
	// The two pages that a newcomer reads must show a command that works.
	atLeast := map[string]int{"README.md": 1, "examples/README.md": 1}
	for _, name := range documents(t) {
		t.Run(name+"/shows_what_its_commands_print", func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(root, name)
			document := must.Get(os.ReadFile(path))(t)
			commands, err := Parse(string(document))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if len(commands) < atLeast[name] {
				t.Fatalf("%s has %d commands in console blocks, want at least %d", name, len(commands), atLeast[name])
			}
			outputs := runAll(t, name, command, commands)
			if *update {
				rewritten := Rewrite(string(document), commands, outputs)
				must.Do(t, os.WriteFile(path, []byte(rewritten), 0o644))
				return
			}
			for i, c := range commands {
				if !Same(c.Output, outputs[i]) {
					t.Errorf("%s:%d: $ %s\n(make docs rewrites the output; − shown, + printed)\n%s",
						name, c.Line, c.Text, cmp.Diff(c.Output, outputs[i]))
				}
			}
		})
	}
}

// copyExamples copies the tables of the examples, and not its folders: that of a
// plugin may hold all the packages that it is built with.
func copyExamples(t *testing.T, dir string) {
	t.Helper()
	files := must.Get(os.ReadDir(filepath.Join(root, "examples")))(t)
	must.Do(t, os.Mkdir(dir, 0o755))
	for _, f := range files {
		if f.IsDir() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, "examples", f.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, f.Name()), text, 0o644)
		}
		must.Do(t, err)
	}
}

// runAll runs the commands of one document in a folder of its own, which holds
// the examples, and returns the lines that each printed.
func runAll(t *testing.T, name, command string, commands []Command) [][]string {
	t.Helper()
	dir := t.TempDir()
	copyExamples(t, filepath.Join(dir, "examples"))
	outputs := make([][]string, len(commands))
	for i, c := range commands {
		args, err := Arguments(c.Text)
		if err != nil {
			t.Fatalf("%s:%d: %v", name, c.Line, err)
		}
		args, ok := ours(args)
		if !ok {
			t.Fatalf("%s:%d: %s: a console block shows only sqlcluster commands; use ```sh for others", name, c.Line, c.Text)
		}
		printed, err := run(dir, command, args)
		outputs[i] = Lines(printed)
		// A document may show an error, and then shows it whole; anything else
		// that fails is a broken document, even under -update.
		var exit *exec.ExitError
		if err != nil && (!errors.As(err, &exit) || !strings.Contains(printed, "error[")) {
			t.Fatalf("%s:%d: $ %s\n%v\n%s", name, c.Line, c.Text, err, printed)
		}
	}
	comparePictures(t, name, dir)
	return outputs
}

// comparePictures compares the pictures that the commands of a document have drawn
// with those that the documents show, or rewrites these.
func comparePictures(t *testing.T, name, dir string) {
	t.Helper()
	for _, drawn := range must.Get(filepath.Glob(filepath.Join(dir, "*.svg")))(t) {
		shown, got := filepath.Join(root, "docs", "pictures", filepath.Base(drawn)), must.Get(os.ReadFile(drawn))(t)
		if *update {
			must.Do(t, os.WriteFile(shown, got, 0o644))
		}
		if !bytes.Equal(got, must.Get(os.ReadFile(shown))(t)) {
			t.Errorf("%s: %s is not what its commands draw (make docs draws it anew)", name, shown)
		}
	}
}

// ours strips the name of the command, given as a reader would type it.
func ours(args []string) ([]string, bool) {
	for _, start := range [][]string{{"sqlcluster"}, {"go", "run", "./cmd/sqlcluster"}} {
		if len(args) >= len(start) && slices.Equal(args[:len(start)], start) {
			return args[len(start):], true
		}
	}
	return nil, false
}

func run(dir, command string, args []string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	c := exec.CommandContext(ctx, command, args...)
	c.Dir = dir
	// Nothing of the machine's own settings may show in a document.
	c.Env = []string{asCommand + "=1", "PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_CONFIG_HOME=" + filepath.Join(dir, ".config"),
		"TMPDIR=" + os.TempDir(), "NO_COLOR=1", "TERM=dumb", "TZ=UTC", "LC_ALL=C.UTF-8"}
	var printed bytes.Buffer
	c.Stdout, c.Stderr = &printed, &printed // one pipe: in the order of printing
	err := c.Run()
	return progress.ReplaceAllString(printed.String(), ""), err
}

// progress is what a slow machine prints while it works.
var progress = regexp.MustCompile(`(?m)^(reading|fitting|path|tuning|silhouettes?|verifying): .*\n`)

var link = regexp.MustCompile(`\]\(([^)\s#]+)(#[^)\s]*)?\)`)

func TestLinksBetweenDocumentsLeadSomewhere(t *testing.T) {
	names := append(documents(t), "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
	checked := 0
	for _, name := range names {
		document := must.Get(os.ReadFile(filepath.Join(root, name)))(t)
		for _, match := range link.FindAllStringSubmatch(string(document), -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			checked++
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(name), match[1])); err != nil {
				t.Errorf("%s: link to %s: %v", name, match[1], err)
			}
		}
	}
	if checked == 0 {
		t.Error("no links found: the pattern is broken")
	}
}
