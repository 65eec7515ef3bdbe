package host

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// leastExpected is how many cells take long enough to be copied that the plugin is told of them.
const leastExpected = 1 << 19

var _ fit.Expecter = (*Process)(nil)

// Expect implements fit.Expecter. Whatever is wrong with the process, Open will say.
func (p *Process) Expect(ctx context.Context, rows, columns int, path string) {
	if float64(rows)*float64(columns) >= leastExpected {
		call, cancel := p.calling(ctx, 0)
		defer cancel()
		_, _ = p.calls.Expect(call, &pb.ExpectRequest{Rows: int64(rows), Cols: int64(columns), Path: path})
	}
}
