// Package protocol has the protocol between sqlcluster and its plugins as .proto
// files: what a plugin in another language than Go is made with.
package protocol

import _ "embed"

// Source is the text of protocol.proto, the messages and calls themselves.
//
//go:embed protocol.proto
var Source string
