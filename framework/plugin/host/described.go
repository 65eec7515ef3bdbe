package host

import (
	"context"

	"google.golang.org/protobuf/proto"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// Describe returns the descriptions of the algorithms that the plugin serves:
// none if it serves kinds of sets alone.
func (p *Process) Describe(ctx context.Context) ([]framework.Description, error) {
	got, err := p.described(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]framework.Description, len(got.GetAlgorithms()))
	for i, d := range got.GetAlgorithms() {
		all[i] = wire.ReadDescription(d)
		if err := all[i].Check(); err != nil {
			return nil, wire.Nonsense("%v", err)
		}
	}
	return all, nil
}

// DescribeSets returns the descriptions of the kinds of sets that the plugin
// serves, of which there may be none.
func (p *Process) DescribeSets(ctx context.Context) ([]framework.SetDescription, error) {
	got, err := p.described(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]framework.SetDescription, len(got.GetSets()))
	for i, d := range got.GetSets() {
		all[i] = wire.ReadSetDescription(d)
		if err := all[i].Check(); err != nil {
			return nil, wire.Nonsense("%v", err)
		}
	}
	return all, nil
}

func (p *Process) described(ctx context.Context) (*pb.DescribeResponse, error) {
	call, cancel := p.calling(ctx, p.opts.StepTimeout)
	defer cancel()
	got, err := p.calls.Describe(call, &pb.DescribeRequest{})
	if err != nil {
		return nil, p.explain(ctx, err, "describe")
	}
	if err := checkDescribed(got); err != nil {
		return nil, err
	}
	return got, nil
}

// mostDescribed bounds what a plugin says of itself, in bytes: flags, help and
// completion are made of it each time that the command starts.
const mostDescribed = 1 << 20

func checkDescribed(got *pb.DescribeResponse) error {
	if len(got.GetAlgorithms())+len(got.GetSets()) == 0 {
		return wire.Nonsense("no algorithm")
	}
	if n := proto.Size(got); n > mostDescribed {
		return wire.Nonsense("descriptions of %d bytes; at most %d are allowed", n, mostDescribed)
	}
	return nil
}
