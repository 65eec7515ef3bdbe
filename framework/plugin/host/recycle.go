package host

import (
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // the codec of messages
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// recycling is the codec of messages, but that the rows of a FitEvent are read into the
// memory that it has from the event before. A result is thousands of events, and to
// touch new memory for each takes longer than to read it.
type recycling struct{}

func (recycling) Name() string { return encoding.GetCodecV2("proto").Name() }

func (recycling) Marshal(v any) (mem.BufferSlice, error) {
	return encoding.GetCodecV2("proto").Marshal(v)
}

func (recycling) Unmarshal(data mem.BufferSlice, v any) error {
	event, ok := v.(*pb.FitEvent)
	if !ok {
		return encoding.GetCodecV2("proto").Unmarshal(data, v)
	}
	rows := event.GetRows()
	event.Reset()
	if rows != nil {
		labels, second, distance, margin := rows.Labels[:0], rows.Second[:0], rows.Distance[:0], rows.Margin[:0]
		rows.Reset()
		rows.Labels, rows.Second, rows.Distance, rows.Margin = labels, second, distance, margin
		event.Rows = rows // without any is as good as none
	}
	bytes := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer bytes.Free()
	return proto.UnmarshalOptions{Merge: true}.Unmarshal(bytes.ReadOnlyData(), event)
}
