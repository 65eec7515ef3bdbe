package cli

import (
	"strings"
	"testing"
)

func TestShellsShowDescriptionsWithoutTheMarksOfHelp(t *testing.T) {
	_, out, _ := run("__complete", "fit", "a.csv", "--")
	if strings.Contains(out, "`") || !strings.Contains(out, "--id\tcolumn that is the key") {
		t.Error(out)
	}
	if _, help, _ := run("fit", "--help"); !strings.Contains(help, "--id column ") {
		t.Error(help)
	}
}
