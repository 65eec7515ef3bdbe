package conformance

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
)

// CheckAlgorithm checks the laws of algorithms and their clusterers, on an
// algorithm in this process.
func CheckAlgorithm(ctx context.Context, a framework.Algorithm, o Options) (*Report, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	d := a.Describe()
	return newReport(d.Name, d.Version, o, checkLaws(ctx, clustererLaws, subject(inProcess{a}), o.of(d.Name))), nil
}

// The sources of the laws of clusterers.
const (
	contract   = "framework, Who writes what"
	interfaces = "framework.Clusterer"
	planned    = "framework.Plan"
	weighted   = "framework, Notation: row weights are frequencies"
	ties       = "framework, Ties"
	faults     = "framework, Errors"
)

var clustererLaws = []law[subject]{
	{Law: Law{"clusterer/describe", "The description is valid, complete and always the same.", "framework.Description.Check", Core},
		once: true, check: describes},
	{Law: Law{"clusterer/parameters", "Parameters that do not fit the problem are refused with a Fault, never with a panic.",
		"framework.Algorithm.New", Core}, check: parameters},
	{Law: Law{"clusterer/plan", "The plan is fixed, names its statistics, says when the centers are projected, and New changes nothing of the problem.", planned, Core}, cases: 16,
		check: plans},
	{Law: Law{"clusterer/begin", "Begin returns a new model each time, with centers of k × p zeros.", interfaces + ".Begin", Core}, cases: 16,
		check: begins},
	{Law: Law{"clusterer/collect-adds", "Collect adds to the statistics that it is given, and a label of −1 contributes nothing.",
		interfaces + ".Collect", Core}, check: collectAdds},
	{Law: Law{"clusterer/moved-sums", "Moving rows from old labels to new ones gives the statistics that collecting the new ones gives.",
		interfaces + ".Collect", Core}, check: movedSums},
	{Law: Law{"clusterer/merge", "The statistics do not depend on how rows are cut into blocks, nor on the order of blocks.", contract, Core},
		check: merges},
	{Law: Law{"clusterer/blocks",
		"Labels and distances do not depend on how rows are cut into blocks; the last, partial block is like the others.",
		contract, Core}, check: blocks},
	{Law: Law{"clusterer/mass", "Step.Mass is the weight of each cluster's rows.", "framework.Step", Core}, check: masses},
	{Law: Law{"clusterer/weights", "A row of weight 2 counts like the row given twice, and a row of weight 0 does not count.", weighted, Core},
		check: weights},
	{Law: Law{"clusterer/split-rows", "Dividing each row into two rows that share its weight changes nothing.", weighted, Core}, cases: 24,
		check: splitRows},
	{Law: Law{"clusterer/parts", "A part of a row counts like a row of that weight, and rows without a label do not count.",
		"framework.Part", Core},
		check: parts},
	{Law: Law{"clusterer/unlabelled", "Rows without a label do not count in the points that Update returns.", interfaces + ".Update", Core},
		check: unlabelledRows},
	{Law: Law{"clusterer/labels", "Assign gives every row a label from 0 to k−1, whatever label it had.", interfaces + ".Assign", Core},
		check: labelled},
	{Law: Law{"clusterer/nearest", "On complete rows, Assign gives each row the center that Distances says is nearest.",
		interfaces + ".Assign", Core}, check: nearest},
	{Law: Law{"clusterer/ties", "Of centers that are equally near, the one of the lowest index wins.", ties, Core}, check: tied},
	{Law: Law{"clusterer/near-ties", "Of centers that are almost equally near, the nearer one wins.", ties, Core}, cases: 24,
		check: almostTied},
	{Law: Law{"clusterer/observed", "A row with missing cells and no label gets the center that is nearest over its observed cells.",
		interfaces + ".Assign", Core}, cases: 24, check: observed},
	{Law: Law{"clusterer/squared", "Distances are squares of distances if the plan says Squared, and only then.", planned, Core}, cases: 16,
		check: squared},
	{Law: Law{"clusterer/points", "The points to project are finite, and have the masses and gains of the rows.", "framework.Point", Core},
		check: points},
	{Law: Law{"clusterer/steps-last", "A step is valid until the next update of its model, and the model keeps no memory of it.",
		interfaces + ".Update", Core}, cases: 24, check: stepsLast},
	{Law: Law{"clusterer/rests", "Where Project says that nothing changed, projecting again for the same labels changes nothing.",
		"framework.Outcome", Core}, cases: 24, check: rests},
	{Law: Law{"clusterer/predict",
		"A clusterer with nothing but what predict has, and a model that was stored, measures the distances of the fit.",
		"framework.Description.Predict", Core}, cases: 24, check: predicts},
	{Law: Law{"clusterer/concurrent", "Blocks and models at the same time give the bits that they give one after the other.", contract, Core},
		cases: 8, check: concurrent},
	{Law: Law{"clusterer/stale-scratch", "A scratch and a cache do no harm when the driver has changed labels since, or has taken a round back.",
		"framework.Scratch, framework.Model", Core}, cases: 24, check: staleScratch},
	{Law: Law{"clusterer/start-centers", "Centers that the driver writes into a new model are those that Assign and Distances use.",
		"package fit, One run", Core}, cases: 24, check: startCenters},
	{Law: Law{"clusterer/far-from-zero", "Distances that do not change when everything is moved by 8 do not change when it is moved by 10⁸.",
		interfaces + ".Distances", Core}, cases: 16, check: farAway},
	{Law: Law{"clusterer/units", "Locations and scales of columns change no bit of a result without constraints.", "framework.Column", Core},
		cases: 24, check: units},
	{Law: Law{"clusterer/other-rows", "What a clusterer remembers belongs to a model or a scratch, and not to the places of rows.",
		contract, Core}, cases: 24, check: otherRows},
	{Law: Law{"clusterer/own-rows", "Assign, Collect and Distances write only to what they are given to write to.", contract, Core},
		check: ownRows},
	{Law: Law{"clusterer/rows-alone", "The label of a row depends on no other row and on no other row's label.", contract, Core},
		check: rowsAlone},
	{Law: Law{"clusterer/project-alone",
		"Only Project writes the model: Update, Assign, Collect and Distances change neither it nor their inputs.",
		contract, Core}, check: projectAlone},
	{Law: Law{"clusterer/objective",
		"Where the description says so, the objective is the sum of the rows' distances to their centers, plus the terms that it names.",
		"framework.Description.Trims, ObjectiveTerms", Core}, check: objective},
	{Law: Law{"clusterer/monotone", "If the plan says so, the objective never gets worse from one iteration to the next.", planned, Core},
		check: monotone},
	{Law: Law{"clusterer/settles", "Rows stop moving within 300 iterations, and do not move when they are assigned once more.",
		"package fit, One run", Core}, check: settles},
	{Law: Law{"clusterer/caches-vanish", "Dropping scratch and cache at any time changes no bit of a result.", contract, Core},
		check: cachesVanish},
	{Law: Law{"clusterer/models-apart", "Models that take turns in one clusterer do not affect each other.", contract, Core},
		check: modelsApart},
	{Law: Law{"clusterer/two-places", "Two clusterers of the same problem are interchangeable: either can do any step.", contract, Core},
		check: twoPlaces},
	{Law: Law{"clusterer/repeatable", "The same seed gives the same bits: randomness does not come from a shared stream.", "framework.Rand",
		Core}, cases: 16, check: repeatable},
	{Law: Law{"clusterer/threads", "The number of threads changes no bit of a result.", "package fit", Core}, cases: 4, check: threads},
	{Law: Law{"clusterer/cancellation", "A cancelled context ends a fit, and the pass over the rows of an Update that needs them.",
		interfaces + ".Update", Core}, cases: 8, check: cancels},
	{Law: Law{"clusterer/empty-cluster", "A cluster without rows has mass 0 and a finite center, and spoils no other.",
		"package fit, Empty clusters", Core}, check: emptyCluster},
	{Law: Law{"clusterer/finite", "Objective, model and distances are finite, and no distance is below 0.", interfaces, Core}, check: finite},
	{Law: Law{"clusterer/missing", "Missing cells are left out of distances: a row without any cell is at distance 0 of every center.",
		interfaces + ".Distances", Core}, check: missing},
	{Law: Law{"clusterer/degenerate",
		"Edge cases (one row, cluster or feature, k = n, equal rows, constant columns, huge numbers) end with a result or a Fault.",
		faults, Core}, check: degenerate},
	{Law: Law{"clusterer/features",
		"Features are in column order and say what the model says; ranks follow weights or gains, within each group where there are groups.",
		"framework.Selector", Core}, check: features},
	{Law: Law{"clusterer/grid", "The grid of a path has values that New accepts, no more than asked for, the least sparse first.",
		"framework.Pather", Core}, cases: 16, check: grids},
	{Law: Law{"clusterer/constraints", "With Problem.Centers, all centers are in that set after every Project, and in the result of a fit.",
		"framework.Problem.Centers", Core}, check: centersKept},
	{Law: Law{"clusterer/constraints-nearest",
		"Centers that would be the means are the nearest points of Problem.Centers, by the weights of clusters and features.",
		"framework.Set.Project", Core}, cases: 24, check: nearestInSet},
	{Law: Law{"clusterer/constraints-unmet", "Bounds that no center meets change no bit of centers, weights and labels.",
		"framework.Problem.Centers", Core}, check: boundsUnmet},
	{Law: Law{"clusterer/links-plan", "The plan says Linked where there are links, and not where there are none.", "framework.Linker", Core},
		cases: 16, check: linksPlanned},
	{Law: Law{"clusterer/links-rows", "Assign leaves linked rows as they are, and AssignLinked all others.", "framework.Linker", Core},
		check: linkedRows},
	{Law: Law{"clusterer/links-hard", "A fit breaks no hard link; links that cannot be kept are refused.", "framework.Link.Hard", Core},
		cases: 20, check: hardLinks},
	{Law: Law{"clusterer/links-costs",
		"Links that the labels keep cost nothing, and broken ones make the objective worse by no less than LinkCosts says.",
		"framework.Linker.LinkCosts", Core}, check: linkCosts},
	{Law: Law{"clusterer/links-order", "Neither the order of the links nor the order of the two rows of each changes a result.",
		"framework.Link", Core},
		cases: 16, check: linkOrder},
	{Law: Law{"clusterer/groups-of-one", "Groups of one feature each change no bit of a result.", "framework.Group", Core},
		check: groupsOfOne},
	{Law: Law{"clusterer/groups-order", "The order of features, in groups and between them, changes nothing but the order of the results.",
		"framework.Group", Core}, check: featureOrder},
	{Law: Law{"clusterer/complete", "Complete rows give the same result when missing cells were announced.", "framework.Column", Full},
		check: complete},
	{Law: Law{"clusterer/cluster-order", "Renumbering the clusters of a start renumbers the centers, and changes nothing else.",
		"framework, Ties", Full}, check: clusterOrder},
	{Law: Law{"clusterer/known-answer", "Two groups of rows that are 20 standard deviations apart in every feature are found.",
		"by construction", Full},
		check: knownAnswer},
}

// difference says where two models differ, bit for bit; "" if they do not.
func difference(a, b *framework.Model) string {
	type pair struct {
		name string
		a, b []float64
	}
	lists := []pair{{"centers", a.Centers.Data, b.Centers.Data}, {"feature weights", a.FeatureWeights, b.FeatureWeights},
		{"gains", a.Gain, b.Gain}}
	for name := range a.Aux {
		lists = append(lists, pair{"aux " + name, a.Aux[name], b.Aux[name]})
	}
	for _, l := range lists {
		if len(l.a) != len(l.b) {
			return fmt.Sprintf("%d and %d %s", len(l.a), len(l.b), l.name)
		}
		if i := differ(l.a, l.b); i >= 0 {
			return fmt.Sprintf("%s: entry %d is %v and %v", l.name, i, l.a[i], l.b[i])
		}
	}
	if !slices.Equal(a.Selected, b.Selected) {
		return fmt.Sprintf("selected: %v and %v", a.Selected, b.Selected)
	}
	if a.Round != b.Round || len(a.Aux) != len(b.Aux) {
		return fmt.Sprintf("round %d and %d, %d and %d aux", a.Round, b.Round, len(a.Aux), len(b.Aux))
	}
	return ""
}

// sameModel fails if two models differ, bit for bit.
func (c *trial) sameModel(a, b *framework.Model, format string, args ...any) {
	if d := difference(a, b); d != "" {
		c.failf(format+": %s", append(args, d)...)
	}
}

// sameLabels fails if two lists of labels differ.
func (b *bed) sameLabels(got, want []int32, format string, args ...any) {
	for i, j := range got {
		if j != want[i] {
			b.failf(format+": row %d has label %d, and not %d", append(args, i, j, want[i])...)
		}
	}
}

// sameStats fails if statistics differ by more than the rounding of their sums,
// which is relative to the sum of the absolute contributions of the rows. Of many
// rows it looks at some.
func (b *bed) sameStats(got, want framework.Stats, labels []int32, format string, args ...any) {
	magnitude, one := framework.NewStats(b.plan.Stats), framework.NewStats(b.plan.Stats)
	every := 1 + b.p.N/32
	for i := range b.data.Blocks() {
		block := b.data.Block(i)
		for r := 0; r < block.X.Rows; r += every {
			only := nobody(block.X.Rows)
			only[r] = labels[block.Row0+r]
			one.Zero()
			b.ok(b.c.Collect(block, nil, only, one), "Collect")
			for t, v := range one {
				for e, x := range v {
					magnitude[t][e] += float64(every) * math.Abs(x)
				}
			}
		}
	}
	for t, v := range got {
		rest := largest(magnitude[t])
		for e, x := range v {
			if d := math.Abs(x - want[t][e]); !(d <= 1e-12*(magnitude[t][e]+rest)) {
				b.failf(format+": entry %d of %q is %v, and not %v", append(args, e, b.plan.Stats[t].Name, x, want[t][e])...)
			}
		}
	}
}

// settings are the settings of a fit from given labels.
func (b *bed) settings(threads int) fit.Settings {
	return fit.Settings{Init: "random", InitSpace: "fitted", Restarts: 1, MaxIter: 300, Empty: b.d.Empty, Threads: threads}
}

// fit runs the driver. It returns a refusal.
func (b *bed) fit(start fit.Start, s fit.Settings) (*fit.Result, error) {
	res, err := fit.Run(b.ctx, b.c, b.p, b.data, start, s, nil)
	if err != nil && !refusal(err) {
		b.failf("a fit fails with %v", err)
	}
	return res, err
}

// refusal reports whether an error is a Fault that data or a user can cause.
func refusal(err error) bool {
	f := framework.AsFault(err)
	return f != nil && f.Class != framework.Internal && f.Class != framework.Plugin
}

// fitOrSkip runs the driver; a refusal says nothing about the law.
func (b *bed) fitOrSkip(start fit.Start, s fit.Settings) *fit.Result {
	res, err := b.fit(start, s)
	if err != nil {
		b.skipf("the fit is refused: %v", err)
	}
	return res
}

// sameResults fails if two results differ in any bit, apart from which worker did
// what.
func (b *bed) sameResults(got, want *fit.Result, what string) {
	b.sameModel(got.Model, want.Model, "%s the model differs", what)
	b.sameLabels(got.Labels, want.Labels, "%s labels differ", what)
	for _, v := range [][2]float64{{got.Objective, want.Objective}, {got.Inertia, want.Inertia}} {
		if !sameBits(v[0], v[1]) {
			b.failf("%s the objective or inertia is %v, and not %v", what, v[0], v[1])
		}
	}
	if differ(got.Distance, want.Distance) >= 0 || differ(got.Margin, want.Margin) >= 0 || !slices.Equal(got.Second, want.Second) {
		b.failf("%s the distances of rows differ", what)
	}
	if !slices.EqualFunc(got.Trace, want.Trace, func(a, b fit.Iteration) bool {
		same := sameBits(a.Objective, b.Objective)
		a.Objective, b.Objective = 0, 0
		return same && a == b
	}) {
		b.failf("%s the traces differ: %v, and not %v", what, got.Trace, want.Trace)
	}
}
