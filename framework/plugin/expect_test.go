package plugin

import (
	"math"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/memory"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestExpectedRowsFindMemoryUnlessThereIsLittle(t *testing.T) {
	defer memory.ClearStock()
	s := must.Get(newServer([]framework.Algorithm{named{name: "one"}}, nil))(t)
	for _, c := range []struct{ rows, cols, least, most int64 }{
		{0, 0, 0, 0},
		{1 << 20, 4, 1 << 24, 1<<24 + 1<<10}, // a label, a gap and four numbers of 16 bits a row
		{1 << 30, 1 << 18, 0, 0},
	} {
		memory.ClearStock()
		if memory.Available() == math.MaxInt64 { // this system does not tell
			c.least, c.most = 0, 0
		}
		if _, err := s.Expect(t.Context(), &pb.ExpectRequest{Rows: c.rows, Cols: c.cols}); err != nil {
			t.Errorf("%d × %d: %v", c.rows, c.cols, err)
		}
		if got := memory.Stocked(); got < c.least || got > c.most {
			t.Errorf("%d × %d: %d bytes, want %d to %d", c.rows, c.cols, got, c.least, c.most)
		}
	}
	for _, c := range [][2]int64{{-1, 1}, {1, -1}, {math.MinInt64, math.MinInt64}, {math.MaxInt64, math.MaxInt64}, {1 << 50, 0}, {math.MaxInt32, math.MaxInt32}} {
		if _, err := s.Expect(t.Context(), &pb.ExpectRequest{Rows: c[0], Cols: c[1]}); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%d × %d: %v", c[0], c[1], err)
		}
	}
}

func TestWhatWasMadeReadyForASessionThatDoesNotComeIsDropped(t *testing.T) {
	s := must.Get(newServer([]framework.Algorithm{named{name: "one"}}, nil))(t)
	must.Get(s.Expect(t.Context(), &pb.ExpectRequest{Rows: 1 << 16, Cols: 8}))(t)
	if memory.Available() < math.MaxInt64 && memory.Stocked() == 0 {
		t.Error("nothing was made ready")
	}
	if _, err := s.Open(t.Context(), &pb.OpenRequest{Algorithm: "other"}); err == nil {
		t.Error("an algorithm that there is not is opened")
	}
	if left := memory.Stocked(); left > 0 {
		t.Errorf("%d bytes are left", left)
	}
}
