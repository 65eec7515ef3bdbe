// Package plugins lists the algorithms that come with sqlcluster, by the plugin that
// serves each.
package plugins

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/plugins/groupskm"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/plugins/skm"
)

// A BuiltIn is a plugin that is part of the program.
type BuiltIn struct {
	Name       string
	Algorithms []framework.Algorithm
}

// BuiltIns returns the built-in plugins. Nothing else knows them all.
func BuiltIns() []BuiltIn {
	return []BuiltIn{
		{"skfr", skfr.Algorithms()},
		{"skm", skm.Algorithms()},
		{"groupskm", groupskm.Algorithms()},
		{"pcskm", pcskm.Algorithms()},
	}
}
