package job

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// restrictLabels makes the set of labels. Columns that its rows name are read beside the
// features.
func (b *Job) restrictLabels(ctx context.Context, src Source, rows []framework.ConstraintRow, kinds []framework.LabelKind) error {
	if len(rows) == 0 {
		return nil
	}
	if !b.Algorithm.Labels {
		return framework.Faultf(framework.Usage, "no-limits", "limits of clusters are not possible here: algorithm %s cannot restrict its labels",
			b.Algorithm.Name).At("constraints").
			WithHint("these can: %s", strings.Join(b.library.Names(func(d framework.Description) bool { return d.Labels }), ", "))
	}
	if _, away := src.(noRows); away {
		return framework.Faultf(framework.Usage, "needs-rows",
			"limits of clusters are not possible with %s: they are about the labels of all rows",
			framework.Setting("engine")).At("constraints").WithHint("leave out the rows of kind %s", rows[0].Kind)
	}
	t := framework.LabelTable{N: b.Problem.N, K: b.mostClusters()}
	var err error
	if t.Columns, err = src.ReadColumns(ctx, b.Settings.Relation, model.LabelColumns(rows), b.Table); err != nil {
		return err
	}
	set, err := declare.Labels(rows, t, kinds...)
	if err != nil {
		return err
	}
	b.Problem.Labels, b.constraints = set, slices.Concat(b.constraints, set.Rows)
	b.fingerprint += sumOf(t.Columns) // the rows alone do not say what is in the columns
	if b.vary.by == "tune" || b.Settings.Labels != "" && b.Settings.LabelsAs == settings.LabelsHeld {
		return nil // that no labels obey is said of each number of clusters, or with the classes
	}
	err = set.Feasible(ctx)
	if _, undecided := errors.AsType[framework.Undecided](err); undecided {
		return nil // the fit finds some, or says that it has not
	}
	return err
}

// sumOf returns a hash of columns.
func sumOf(columns []framework.LabelColumn) string {
	h := sha256.New()
	for _, c := range columns {
		fmt.Fprintf(h, "%q %q", c.Name, c.Values)
		for _, list := range []any{c.Numbers, c.Codes} {
			_ = binary.Write(h, binary.LittleEndian, list) // a hash takes all
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// limits says what the clusters make of the limits; nil: there are none.
func (b *Job) limits(f *Fitted) ([]result.Limit, error) {
	set := b.declaredLabels()
	if set == nil || f.Result.Limits == nil || f.Stop == framework.AllZero {
		return nil, nil
	}
	limits := set.Limits(f.Labels, f.Result.Limits.Prices)
	if err := set.Err(); err != nil {
		return nil, err
	}
	all := []result.Limit{}
	for _, l := range limits {
		row := framework.ConstraintRow{Kind: set.Properties().Kind}
		if l.Row < len(set.Rows) {
			row = set.Rows[l.Row]
		}
		one := result.Limit{Kind: row.Kind, Name: row.Name, Cluster: l.Cluster, Value: l.Value, Amount: l.Amount, Lo: l.Lo, Hi: l.Hi,
			Slack: l.Slack(), Price: l.Price}
		if row.Feature != nil {
			one.Column = *row.Feature
		}
		all = append(all, one)
	}
	return all, nil
}

// gap returns by how much, as a part of it, the cost of the labels may be above the least
// cost within the limits, at the centers of the result; nil: labels are free, or none were projected.
// Where the set is exact, cost and bound differ by rounding alone.
func (b *Job) gap(p *framework.LabelPoint) *float64 {
	if p == nil || p.Cost != p.Cost {
		return nil
	}
	part := (p.Cost - max(p.Bound, 0)) / p.Cost
	if !(part > rounding) || b.Problem.Labels.Properties().Exact {
		return new(0.0)
	}
	return &part
}

// rounding is what sums of costs differ by, as a part of them, if they are the same.
const rounding = 1e-12

// LimitsLine says how many of all the limits of a result have no slack, and how far the labels may be
// from the best; "" without limits. A limit that has slack can have moved rows, since amounts change by whole rows.
func (b *Job) LimitsLine(f *Fitted, all []result.Limit) string {
	if len(all) == 0 {
		return ""
	}
	full := 0
	for _, l := range all {
		if l.Slack <= 1e-9*max(1, math.Abs(l.Amount)) {
			full++
		}
	}
	line := fmt.Sprintf("limits: %d kept, %d with no slack", len(all), full)
	if g := b.gap(f.Result.Limits); g != nil && *g > 1e-9 && *g < 1 {
		line += fmt.Sprintf("; better labels could save %.3g %% of their cost at most, for these centers", 100**g)
	}
	return line
}
