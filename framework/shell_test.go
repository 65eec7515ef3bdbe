package framework_test

import (
	"os/exec"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
)

// One shell prints all words, as it has read them.
func TestAWordForTheShellIsOneWordToIt(t *testing.T) {
	texts := []string{"a", "a b", "it's", `say "hi"`, `it's "so"`, "$HOME", "it's $HOME", "`id`'", `\'`, "!'", "", "a*b", "größe",
		"FROM 'a.csv'", "-- x\ny", "a;b", "~", "#c", "{a,b}"}
	script := "printf '%s\\0'"
	want := ""
	for _, text := range texts {
		script += " " + framework.ShellWord(text)
		want += text + "\x00"
	}
	out, err := exec.Command("sh", "-c", script).Output()
	if err != nil || string(out) != want {
		t.Errorf("%v: %q, want %q", err, out, want)
	}
	for text, want := range map[string]string{
		"wine.csv": "wine.csv", "FROM 'a b.csv'": `"FROM 'a b.csv'"`, `"a,b"`: `'"a,b"'`, "a'$": `'a'\''$'`,
	} {
		if got := framework.ShellWord(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
