// Package tune makes many fits that differ in one parameter, and says how they
// differ.
package tune
