// Package doctest keeps the documents true: its test runs every command shown
// in a console block of README.md, examples/README.md and docs/*.md, and
// compares what the command prints with what the document shows.
//
// A console block is fenced as ```console. A line that begins with "$ " is a
// command, continued on the next line by a backslash at its end; the lines up
// to the next command, or to the end of the block, are what it prints, stdout
// and stderr together. The commands of one document share a folder and run in
// order, so a later one may read what an earlier one wrote.
//
// What a clock decides (durations, dates) is masked before comparing.
package doctest
