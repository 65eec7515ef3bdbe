// Package heap puts what a process allocates first into huge pages, where the first touch of
// small ones is slow: in virtual machines whose host follows each change of a table of pages,
// a small page may take 15 µs, and a process that takes 5000 of them waits for little else.
// Elsewhere nothing is done: there is too little to gain.
//
// It imports little, so that Go, which goes by paths among packages whose imports are ready,
// makes it ready before most others. Their tables and flags are the first megabytes of Go's heap.
package heap
