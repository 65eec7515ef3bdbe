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
	return checked(got.GetAlgorithms(), wire.ReadDescription)
}

// DescribeSets returns the descriptions of the kinds of sets that the plugin
// serves. There may be none.
func (p *Process) DescribeSets(ctx context.Context) ([]framework.SetDescription, error) {
	got, err := p.described(ctx)
	if err != nil {
		return nil, err
	}
	return checked(got.GetSets(), wire.ReadSetDescription)
}

// checked reads descriptions, and refuses one that Check does.
func checked[Message any, Description interface{ Check() error }](
	messages []Message, read func(Message) Description,
) ([]Description, error) {
	all := make([]Description, len(messages))
	for i, m := range messages {
		all[i] = read(m)
		if err := all[i].Check(); err != nil {
			return nil, wire.Nonsense("%v", err)
		}
	}
	return all, nil
}

func (p *Process) described(ctx context.Context) (*pb.DescribeResponse, error) {
	got, err := invoke(ctx, p, "describe", p.calls.Describe, &pb.DescribeRequest{})
	if err != nil {
		return nil, err
	}
	return got, checkDescribed(got)
}

// mostDescribed bounds the descriptions of a plugin, in bytes: flags, help and
// completion are made of them each time that the command starts.
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
