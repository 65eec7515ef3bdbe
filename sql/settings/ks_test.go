package settings

import (
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
)

func TestNumbersOfClustersThatCannotBeSayWhy(t *testing.T) {
	for text, want := range map[string]string{
		"2:1":                    "the first number must not be larger than the last",
		"0:5":                    "each number must be from 1 to 100000", // mostK
		"2,-3":                   "each number must be from 1 to 100000",
		"2:100001":               "each number must be from 1 to 100000",
		"99999999999999999999":   "each number must be from 1 to 100000",
		"1:99999999999999999999": "each number must be from 1 to 100000",
		"abc":                    "it must be a whole number, several of them, or auto",
		"3.5":                    "it must be a whole number, several of them, or auto",
		"2:":                     "it must be a whole number, several of them, or auto",
		"":                       "it must be a whole number, several of them, or auto",
	} {
		_, err := ParseKs(text)
		if f := framework.AsFault(err); f == nil || !strings.HasSuffix(f.Summary, want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
