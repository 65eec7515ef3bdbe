package plugin

import "github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"

// Protocol returns the protocol between host and plugin as the text of a .proto
// file, for plugins in other languages than Go.
func Protocol() string { return pb.Source }
