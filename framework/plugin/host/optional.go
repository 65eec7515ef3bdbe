package host

import (
	"context"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// The optional interfaces of a session's clusterer. Each is a type of its own, so
// that Clusterer can combine those that the algorithm has.
type (
	selector struct{ session *Session }
	pather   struct{ selector }
	linker   struct{ session *Session }
)

var (
	_ framework.Selector = selector{}
	_ framework.Pather   = pather{}
	_ framework.Linker   = linker{}
)

// steps are those of a session without its other methods.
type steps interface {
	framework.Clusterer
	framework.Coster
}

// Clusterer returns the session as a framework.Clusterer that implements those
// of framework.Selector, Pather and Linker that the algorithm's does, and
// framework.Coster.
func (s *Session) Clusterer() framework.Clusterer {
	selects, links := selector{s}, linker{s}
	switch {
	case s.paths && s.links:
		return struct {
			steps
			framework.Pather
			framework.Linker
		}{s, pather{selects}, links}
	case s.paths:
		return struct {
			steps
			framework.Pather
		}{s, pather{selects}}
	case s.selects && s.links:
		return struct {
			steps
			framework.Selector
			framework.Linker
		}{s, selects, links}
	case s.selects:
		return struct {
			steps
			framework.Selector
		}{s, selects}
	case s.links:
		return struct {
			steps
			framework.Linker
		}{s, links}
	}
	return struct{ steps }{s}
}

// Features implements framework.Selector. It returns nil if the call fails: see
// Session.Err.
func (c selector) Features(m *framework.Model) []framework.Feature {
	s := c.session
	got, err := step(context.Background(), s, "features", s.p.calls.Features,
		&pb.FeaturesRequest{Session: s.number, Model: wire.Model(m)})
	var features []framework.Feature
	if err == nil {
		features, err = wire.ReadFeatures(got.GetFeatures(), s.shape)
	}
	if err != nil {
		s.keep(err)
		return nil
	}
	return features
}

// Grid implements framework.Pather. It returns nil if the call fails: see
// Session.Err.
func (c pather) Grid(m *framework.Model, n int) []float64 {
	s := c.session
	got, err := step(context.Background(), s, "grid", s.p.calls.Grid,
		&pb.GridRequest{Session: s.number, Model: wire.Model(m), Values: int64(n)})
	if err == nil && (len(got.GetValues()) == 0 || len(got.GetValues()) > n) {
		err = wire.Nonsense("a grid of %d values, where up to %d were asked for", len(got.GetValues()), n)
	}
	if at := slices.IndexFunc(got.GetValues(), func(v float64) bool { return !isFinite(v) }); err == nil && at >= 0 {
		err = wire.Nonsense("a grid with the value %g", got.GetValues()[at])
	}
	if err != nil {
		s.keep(err)
		return nil
	}
	return got.GetValues()
}

// AssignLinked implements framework.Linker. The plugin has its own view of rows.
func (c linker) AssignLinked(ctx context.Context, m *framework.Model, _ framework.Rows, labels []int32) error {
	s := c.session
	got, err := step(ctx, s, "assign_linked", s.p.calls.AssignLinked,
		&pb.LinkedRequest{Session: s.number, Model: wire.Model(m), Labels: labels})
	if err != nil {
		return err
	}
	return s.takeLabels(labels, got.GetLabels())
}

// LinkCosts implements framework.Linker.
func (c linker) LinkCosts(ctx context.Context, m *framework.Model, _ framework.Rows, labels []int32) ([]float64, error) {
	s := c.session
	got, err := step(ctx, s, "link_costs", s.p.calls.LinkCosts,
		&pb.LinkedRequest{Session: s.number, Model: wire.Model(m), Labels: labels})
	if err != nil {
		return nil, err
	}
	if len(got.GetCosts()) != s.linkCount {
		return nil, wire.Nonsense("%d costs for %d links", len(got.GetCosts()), s.linkCount)
	}
	return got.GetCosts(), nil
}
