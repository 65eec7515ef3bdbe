package framework_test

import (
	"os/exec"
	"regexp"
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

func TestWhatAShellTakesAsItIsHasNoQuotes(t *testing.T) {
	plain := regexp.MustCompile(`^[\pL\pN_@%+=:,./-]+$`)
	texts := []string{"größe", "x²", "Ⅻ", "a-b_c@d%e+f=g:h,i.j/k", "１２", "a\u0301", "\xff", "a\xffb", "\uFFFD", "日本"}
	for r := range rune(0x250) {
		texts = append(texts, string(r), "a"+string(r))
	}
	for _, text := range texts {
		if got := framework.ShellWord(text) == text; got != plain.MatchString(text) {
			t.Errorf("%q stays as it is: %v", text, got)
		}
	}
}
