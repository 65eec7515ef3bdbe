package plugin

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// TestMain is the main of a plugin too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		ServeAll([]framework.Algorithm{named{name: "one"}, named{name: "two"}}, []framework.Kind{kind{name: "three"}})
		return
	}
	os.Exit(m.Run())
}

// named is an algorithm that can only describe itself, and kind such a kind of sets.
type (
	named struct {
		framework.Algorithm
		name string
	}
	kind struct {
		framework.SetKind
		name string
	}
)

func (a named) Describe() framework.Description {
	return framework.Description{
		Name: a.name, Version: "1", Summary: "nothing", Paper: "none", Empty: framework.Reseed, Scale: "sd", Center: "none",
	}
}

func (k kind) Describe() framework.SetDescription {
	return framework.SetDescription{
		Kind: k.name, Version: "1", Summary: "nothing", Source: "none", Uses: []string{"value"},
		Example: []framework.ConstraintRow{{Kind: k.name, Name: "one", Value: new(0.5)}},
	}
}

func TestWhatCannotBeServedIsRefused(t *testing.T) {
	type algorithms = []framework.Algorithm
	type kinds = []framework.Kind
	for want, served := range map[string]struct {
		algorithms
		kinds
	}{
		`two algorithms of the name "one"`:                             {algorithms{named{name: "one"}, named{name: "one"}}, nil},
		`algorithm "Toy Story": the name must be a word in lower case`: {algorithms{named{name: "Toy Story"}}, nil},
		`two kinds of sets of the name "floor"`:                        {nil, kinds{kind{name: "floor"}, kind{name: "floor"}}},
		`sqlcluster itself has a kind of sets of the name "box"`:       {nil, kinds{kind{name: "box"}}},
		`set kind "My floor": the name must be words in lower case`:    {nil, kinds{kind{name: "My floor"}}},
		`no algorithm`: {},
	} {
		if _, err := newServer(served.algorithms, served.kinds); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

func TestPlugin_started_by_hand_says_what_it_is(t *testing.T) {
	program := itself(t)
	out, err := exec.Command(program, "serve").CombinedOutput()
	var status *exec.ExitError
	if !errors.As(err, &status) || status.ExitCode() != 1 {
		t.Errorf("it ended with %v", err)
	}
	want := filepath.Base(program) + " is a sqlcluster plugin: sqlcluster starts it, to run one, two, three\n"
	if string(out) != want {
		t.Errorf("it said %q, want %q", out, want)
	}
}

func TestAVariableOfTheUserMakesNoPlugin(t *testing.T) {
	cmd := exec.Command(itself(t), "serve")
	cmd.Env = append(os.Environ(), "SQLCLUSTER_PLUGIN="+wire.CookieValue)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), " is a sqlcluster plugin: sqlcluster starts it") {
		t.Errorf("%v: %s", err, out)
	}
}

// itself is this executable, which is a plugin if its argument is "serve".
func itself(t *testing.T) string {
	t.Helper()
	return must.Get(os.Executable())(t)
}

func TestSetsOfImpossibleSizesAreRefused(t *testing.T) {
	s := must.Get(newServer(nil, []framework.Kind{kind{name: "floor"}}))(t)
	for _, k := range []int64{1 << 40, -1, math.MaxInt64} {
		if _, err := s.OpenSet(t.Context(), &pb.OpenSetRequest{Kind: "floor", K: k, Columns: []*pb.Column{{}}}); err == nil {
			t.Errorf("a set of %d centers is accepted", k)
		}
	}
}

func TestResult_is_sent_in_pieces_below_1_MiB(t *testing.T) {
	const n, k, p, limit = 100_000, 50, 5_000, 1 << 20
	doubles := slices.Repeat([]float64{1}, k*p)
	res := &fit.Result{
		Model:  &framework.Model{Centers: framework.Matrix{Rows: k, Cols: p, Data: doubles}},
		Labels: slices.Repeat([]int32{-1}, n), Second: slices.Repeat([]int32{-1}, n), Distance: doubles[:n], Margin: doubles[:n],
	}
	var sent sizedEvents
	sender := startProgress(&sent)
	for range n {
		sender.add(fit.Iteration{Restart: math.MaxInt, Iteration: math.MaxInt, Objective: -1, Moved: math.MaxInt, Selected: math.MaxInt})
	}
	sender.stop()
	must.Do(t, sender.flush())
	must.Do(t, sendRows(&sent, &fit.Prediction{Labels: res.Labels, Second: res.Second, Distance: res.Distance, Margin: res.Margin}))
	must.Do(t, sendEnd(&sent, res))
	if sent.largest == 0 || sent.largest >= limit {
		t.Errorf("the largest message has %d bytes", sent.largest)
	}
}

// sizedEvents is a stream that keeps the size of the largest message.
type sizedEvents struct {
	grpc.ServerStream
	largest int
}

func (s *sizedEvents) Send(event *pb.FitEvent) error {
	s.largest = max(s.largest, proto.Size(event))
	return nil
}

func (*sizedEvents) Recv() (*pb.FitRequest, error) { return nil, nil }
