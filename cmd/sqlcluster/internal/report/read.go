package report

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// A run is what its tables say, as far as it is shown.
type run struct {
	name        string
	fit         *result.Fit
	started     time.Time
	threads     int
	params      map[string]given
	limits      []framework.ConstraintRow // of centers
	ofClusters  []result.Limit            // limits of clusters
	clusters    []result.Cluster
	shown       []int // clusters that are shown: the largest, in their order
	features    []result.Feature
	profile     profile
	starts      []start
	path        []result.PathPoint
	steps       []step
	picked      int                // point of the path whose clusters are shown; −1: none
	pathSD      map[string]float64 // of all rows, by feature
	stepAt      map[string]int     // place of a feature, by name
	weighted    bool               // steps are weights
	tune        []tried
	broken      []violation // the first, and the number of all
	brokenAll   int
	brokenGiven pairCounts  // without those that were derived
	pairs       *pairCounts // that were given; nil: not known
	stable      stability
	drawn       *model.Drawn // nil: none
	noRows      string       // why there are none
}

// given is the value of a setting, and the place that it came from.
type given struct {
	Value  any    `json:"value"`
	Origin string `json:"origin"`
}

// cells are a row of a table. Columns that older tables do not have are NULL.
type cells struct {
	at  map[string]int
	row []any
}

func (c cells) value(column string) any {
	if i, ok := c.at[column]; ok {
		return c.row[i]
	}
	return nil
}

// text returns a text, "" for NULL.
func (c cells) text(column string) string {
	s, _ := c.value(column).(string)
	return s
}

// textOrNull returns a text, nil for NULL.
func (c cells) textOrNull(column string) *string {
	if s, ok := c.value(column).(string); ok {
		return &s
	}
	return nil
}

// number returns a number, NaN for NULL.
func (c cells) number(column string) float64 {
	switch v := c.value(column).(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	}
	return math.NaN()
}

// whole returns a whole number, −1 for NULL.
func (c cells) whole(column string) int {
	if v, ok := c.value(column).(int64); ok {
		return int(v)
	}
	return -1
}

// yes reports whether a column is true.
func (c cells) yes(column string) bool {
	b, _ := c.value(column).(bool)
	return b
}

// each hands over the rows of a table of a run. A run without the table has no rows.
func each(ctx context.Context, db *store.DB, run, table string, use func(cells)) error {
	if !slices.Contains(schema.Names(), table) {
		return nil
	}
	t, err := db.Shown(ctx, run, table)
	if store.IsMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	c := cells{at: map[string]int{}}
	for i, name := range t.Columns {
		c.at[name] = i
	}
	return t.Each(ctx, 0, func(row []any) error {
		c.row = row
		use(c)
		return nil
	})
}

// readRun reads the tables of a run.
func readRun(ctx context.Context, db *store.DB, name string, o Options) (*run, error) {
	fit, err := db.LoadModel(ctx, name)
	if err != nil {
		return nil, err
	}
	r := &run{name: name, fit: fit, params: map[string]given{}, stepAt: map[string]int{}}
	params := json.NewDecoder(strings.NewReader(fit.Params))
	params.UseNumber() // seeds have more digits than a float64
	if err := params.Decode(&r.params); err != nil {
		return nil, framework.Faultf(framework.Data, "run-damaged", "the parameters of run %q cannot be read", name).WithCause(err)
	}
	if fit.Model != "" {
		var model struct{ Constraints []framework.ConstraintRow }
		if err := json.Unmarshal([]byte(fit.Model), &model); err != nil {
			return nil, framework.Faultf(framework.Data, "run-damaged", "the model of run %q cannot be read", name).WithCause(err)
		}
		_, r.limits = declare.OfLabels(model.Constraints) // kinds of plugins that limit clusters are told by the table of limits, too
	}
	read := func(table string, use func(cells)) {
		if err == nil {
			err = each(ctx, db, name, table, use)
		}
	}
	read(schema.Run, func(c cells) { r.threads = c.whole("threads") })
	read(schema.Clusters, func(c cells) {
		r.clusters = append(r.clusters, result.Cluster{Cluster: c.whole("cluster"), Size: c.whole("size"), Weight: c.number("weight"),
			Inertia: c.number("inertia"), Class: c.text("known_class")})
	})
	r.shown = largest(r.clusters)
	read(schema.Features, r.readFeature)
	r.profile = r.newProfile()
	centers := 0
	read(schema.Centers, func(c cells) {
		centers++
		r.profile.add(c)
	})
	if centers > 0 && centers < fit.K*fit.P { // entries without a row are 0
		r.profile.fill()
	}
	read(schema.Trace, r.readTrace)
	read(schema.Path, r.readPoint)
	read(schema.PathFeatures, r.readStep)
	read(schema.Tune, r.readTried)
	read(schema.Violations, r.readViolation)
	read(schema.Limits, r.readLimit)
	r.readStability(read)
	if err != nil {
		return nil, err
	}
	r.pairs = countPairs(ctx, db, r.setting("pairs"))
	if o.Sample > 0 {
		if err := r.readPathClusters(ctx, db); err != nil {
			return nil, err
		}
	}
	return r, r.readStarted(ctx, db)
}

// readStarted finds out when the run began.
func (r *run) readStarted(ctx context.Context, db *store.DB) error {
	all, err := db.Runs(ctx)
	for _, info := range all {
		if info.Fit.RunID == r.fit.RunID && info.Name == r.name {
			r.started = info.StartedAt
		}
	}
	return err
}

// setting returns the text of a setting, "" where it has none.
func (r *run) setting(name string) string {
	s, _ := r.params[name].Value.(string)
	return s
}

// largest returns the clusters that are shown, in their order.
func largest(all []result.Cluster) []int {
	by := slices.Clone(all)
	slices.SortStableFunc(by, func(a, b result.Cluster) int { return cmp.Compare(b.Size, a.Size) })
	var shown []int
	for _, c := range by[:min(mostClusters, len(by))] {
		shown = append(shown, c.Cluster)
	}
	slices.Sort(shown)
	return shown
}

// readFeature keeps a feature. Of those that are selected for one cluster it keeps the
// selected ones of clusters that are shown.
func (r *run) readFeature(c cells) {
	f := result.Feature{Feature: c.text("feature"), Category: c.textOrNull("category"), Group: c.text("feature_group"),
		Cluster: c.whole("cluster"),
		Weight:  c.number("weight"), Norm: c.number("group_norm"), Gain: c.number("gain"), Rank: max(0, c.whole("rank")),
		Location: c.number("location"), Scale: c.number("scale")}
	if selected, ok := c.value("selected").(bool); ok {
		f.Selected = &selected
	}
	if f.Cluster >= 0 && (!selected(f) || !slices.Contains(r.shown, f.Cluster)) {
		return
	}
	r.features = append(r.features, f)
}

// selected reports whether a feature tells clusters apart: all do where the algorithm
// selects nothing.
func selected(f result.Feature) bool { return f.Selected == nil || *f.Selected }

// local reports whether features are selected for each cluster.
func (r *run) local() bool { return len(r.features) > 0 && r.features[0].Cluster >= 0 }

// nameOf is the name of a feature, with its category.
func nameOf(feature string, category *string) string {
	if category == nil {
		return feature
	}
	return feature + " = " + *category
}

// start is how a start of the fit ended.
type start struct {
	objective  float64
	iterations int
}

func (r *run) readTrace(c cells) {
	at := c.whole("restart")
	for len(r.starts) <= at && len(r.starts) < mostTraced {
		r.starts = append(r.starts, start{objective: math.NaN()})
	}
	if at >= 0 && at < len(r.starts) {
		r.starts[at] = start{c.number("objective"), c.whole("iteration")}
	}
}

// mostTraced bounds the starts that are read.
const mostTraced = 1000
