package keylike

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sqlcluster/sqlcluster/internal/draws"
)

func TestTheLastWordIsWhatItsPatternFinds(t *testing.T) {
	pattern := regexp.MustCompile(`^(.*?)([\pL]+)[\pN]*(?:[^\pL\pN]+\pN*)*$`)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOfN(rapid.SampledFrom([]rune("aIdÉß_-. 09²日:\u0301\uFFFD")), 0, 12, -1).Draw(t, "name")
		before, letters := lastWord([]rune(name))
		m := pattern.FindStringSubmatch(name)
		if m == nil {
			m = make([]string, 3)
		}
		if string(letters) != m[2] || m[2] != "" && before != len([]rune(m[1])) {
			t.Errorf("%q: %q after %d characters; want %q after %q", name, string(letters), before, m[2], m[1])
		}
	})
}

func TestASoundIsThatOfTheLastWord(t *testing.T) {
	for name, want := range map[string]Sound{
		"id": Key, "customer_id": Key, "customerId": Key, "CUSTOMER_ID": Key, "id_1": Key, "id:1": Key, "rowid": Key,
		"key": Weak, "song_key": Key, "songKey": Key, "index": Weak, "no.": Weak, "paid": Other, "": Other, "12": Other,
	} {
		if got := SoundOf(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}
