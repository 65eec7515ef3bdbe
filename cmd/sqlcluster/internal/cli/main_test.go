package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// run runs the command in this process.
func run(args ...string) (code int, out, errs string) {
	var stdout, stderr strings.Builder
	code = Main(args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestTheVersionIsJSONWhenAskedFor(t *testing.T) {
	code, out, errs := run("version", "-o", "json")
	var got struct {
		Version []struct{ Version, Go, Kernel string }
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 || len(got.Version) != 1 || got.Version[0].Version == "" ||
		got.Version[0].Kernel == "" {
		t.Errorf("%d, %v: %s%s", code, err, out, errs)
	}
	if code, out, _ := run("version"); code != 0 || !strings.HasPrefix(out, "sqlcluster ") || strings.Count(out, "\n") != 1 {
		t.Errorf("%d: %s", code, out)
	}
}

func TestAShellThatThereIsNoCompletionForIsRefused(t *testing.T) {
	code, out, errs := run("completion", "bsh")
	if code != exitUsage || out != "" || !strings.Contains(errs, "did you mean: bash") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if code, out, errs := run("completion", shell); code != 0 || !strings.Contains(out, "__complete") || errs != "" {
			t.Errorf("%s: %d, %s", shell, code, errs)
		}
	}
}

func TestTablesAreProposedAfterTheRunOnly(t *testing.T) {
	for args, want := range map[string]bool{"show,": false, "show,run,": true, "show,run,fit,": false} {
		_, out, _ := run(append([]string{"__complete"}, strings.Split(args, ",")...)...)
		if strings.Contains(out, "assignments\n") != want {
			t.Errorf("%s: %s", args, out)
		}
	}
}
