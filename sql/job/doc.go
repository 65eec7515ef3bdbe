// Package job does the work of a clustering from beginning to end: settings in,
// rows of result tables out. The command and SQL functions only turn what a user
// wrote into settings.Settings, and results into text or tables.
//
// # Steps
//
//	Settings   what is read, which algorithm, with what parameters; each value with its origin
//	New        a Job, whose settings have been checked as far as they go without data
//	Read       the relation is read, recoded, scaled and sealed; pairs, groups,
//	           constraints and starts are read with it
//	Fit        the algorithm runs, where its Host runs it
//	Tables     the rows of the result tables
//
// A Path tries many values of one parameter, a Tuning judges them, and Ask suggests
// pairs of rows to ask a person about. Package model labels and scores other rows with
// the model of a fit.
//
// # Nothing of a database
//
// Relations come through a Source and algorithms from a library.Library, so that this
// package links no database and starts no process by itself. sql/store reads
// sources from DuckDB and writes the tables.
//
// # Faults and notes
//
// Faults and notes name settings as framework.Setting does; who shows them renders
// these, as flags for example, with framework.Say.
package job
