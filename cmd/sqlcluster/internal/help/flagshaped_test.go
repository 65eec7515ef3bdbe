package help

import (
	"regexp"
	"testing"
)

func TestWhatIsShapedLikeAFlag(t *testing.T) {
	pattern := regexp.MustCompile(`^--[\pL\pN_-]+(=|$)`)
	for _, arg := range []string{"", "-", "--", "---", "-k", "--k", "--k=3", "--k=", "--=3", "--max-iter", "--größe=1", "-- a comment",
		"--a b",
		"--a b=c", "--a=b c", "--x²", "k", "--a\n", "--\xff", "--_"} {
		if got := flagShaped(arg); got != pattern.MatchString(arg) {
			t.Errorf("%q: %v", arg, got)
		}
	}
}
