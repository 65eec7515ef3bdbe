package processes

import (
	"context"
	"slices"
	"sync"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/labelsets"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// LabelSets returns one kind of sets of labels of the process.
func (h *Holder) LabelSets(ctx context.Context, d framework.SetDescription) labelsets.Kind {
	var mu sync.Mutex
	var open []*host.LabelSet
	return labelsets.Kind{Description: d, Make: func(rows []framework.ConstraintRow, t framework.LabelTable) (framework.LabelSet, error) {
		process, err := h.running(ctx)
		if err != nil {
			panic(judge.Trouble{Err: err})
		}
		set, err := process.OpenLabelSet(ctx, d.Kind, rows, t)
		if err != nil {
			return nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		if open = append(open, set); len(open) > mostOpen {
			_ = open[0].Close()
			open = open[1:]
		}
		return set, nil
	}}
}

// ofCenters returns the kinds of sets of centers.
func (h *Holder) ofCenters() []framework.SetDescription {
	return slices.DeleteFunc(slices.Clone(h.Kinds), func(d framework.SetDescription) bool { return d.Labels })
}
