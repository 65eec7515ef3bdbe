//go:build unix

package host

import (
	"os"
	"strconv"

	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// tie gives the process that is to be started a pipe of which the host keeps
// the other end. Nothing is ever written to it; it closes when the host ends.
func (r *runner) tie() (pluginEnd *os.File, err error) {
	pluginEnd, r.lifeline, err = os.Pipe()
	if err != nil {
		return nil, err
	}
	r.cmd.ExtraFiles = []*os.File{pluginEnd}
	r.cmd.Env = append(r.cmd.Env, wire.LifelineKey+"="+strconv.Itoa(lifelineFile))
	return pluginEnd, nil
}
