package duck

// A program that is linked with DuckDB exports none of its 60 000 names. The bindings of DuckDB
// ask for them (-rdynamic), but nothing that is loaded later needs them: extensions in C get a
// table of what they may call, and those in C++ bring a DuckDB of their own. They take 7 MB of the
// program, and a fifth of the time in which it starts, since the names of each library are looked
// for among them.

// #cgo LDFLAGS: -Wl,--no-export-dynamic
import "C"
