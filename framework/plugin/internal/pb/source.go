package pb

import _ "embed"

// Source is the text of protocol.proto.
//
//go:embed protocol.proto
var Source string
