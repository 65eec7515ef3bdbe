// Package beside reads the relations that go beside a table: pairs of its rows
// ([DB.ReadPairs]), groups of its features ([DB.ReadGroups]), constraints
// ([DB.ReadConstraints]), a start ([DB.ReadStart]) and a column of classes
// ([DB.ReadClasses]).
//
// Their rows may come in any order, and all that are wrong are reported together.
// Keys may have another type than those of the table: a source.Finder casts them.
package beside

import "github.com/sqlcluster/sqlcluster/sql/source"

// A DB is a database in which such relations are read.
type DB struct{ source.DB }
