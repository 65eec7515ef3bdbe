package input

import (
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Long says that a relation has triples (key, feature, value): a row for each cell that is
// not 0. ID, Key and the fields about categories mean nothing then, and Features and
// Exclude are about the names of features.
type Long struct {
	Key, Feature, Value string  // its columns
	Repeated            string  // what several triples of a key and a feature are: RepeatedError or RepeatedSum; "": an error
	MinRows             int     // features that fewer rows have, with another value than 0, are left out
	MaxShare            float64 // so are those that a larger share of the rows have; 0: none

	// Perhaps says that the relation may as well have columns of features: it does unless
	// it has the three columns.
	Perhaps bool
}

// What several triples of a key and a feature are.
const (
	RepeatedError = "error"
	RepeatedSum   = "sum" // their values are added up
)

// LongOf returns the Long whose columns the items of a setting name, key, feature and
// value; nil if there are no items.
func LongOf(items []string) (*Long, error) {
	if len(items) == 0 {
		return nil, nil
	}
	names, bad := make([]string, 0, len(items)), len(items) != 3
	for _, item := range items {
		name, quoted := Literal(item)
		if !quoted {
			name = strings.TrimSpace(item)
		}
		bad = bad || name == "" || slices.ContainsFunc(names, func(other string) bool { return strings.EqualFold(name, other) })
		names = append(names, name)
	}
	if bad {
		return nil, framework.Faultf(framework.Usage, "bad-flag", "long is %q; it must name three columns: the key, the feature and the value",
			strings.Join(items, ",")).At("long").WithHint("as in %s", framework.SettingTo("long", "doc,term,n"))
	}
	return &Long{Key: names[0], Feature: names[1], Value: names[2]}, nil
}
