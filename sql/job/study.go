package job

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

const (
	significant = 0.05 // probability of a gap, from which there is no structure
	testable    = 39   // draws from which a probability can be that small, and one draw may be as large
)

// methods returns those that judge points without classes, the one that decides first.
//
// By default, a number of clusters is chosen by the gap along the principal axes, which
// takes neither correlated columns nor columns without clusters for structure, and a
// number of features by the gap of permutations. Where the first is not defined (the
// algorithm maximises, columns are categories, or rows are sparse), the second chooses both.
func (t *Tuning) methods() []tune.Method {
	if t.Method != "" {
		var all []tune.Method
		for name := range strings.SplitSeq(t.Method, ",") {
			all = append(all, tune.Method(strings.TrimSpace(name)))
		}
		return all
	}
	sparse := t.Data != nil && t.Data.IsSparse()
	numbers := len(t.Ks) > 1 && !t.maximize.Load() && !t.Recipe.HasCategories() && !sparse
	switch {
	case numbers && t.Parameter.Name != "":
		return []tune.Method{tune.MethodGapAxes, tune.MethodGap}
	case numbers:
		return []tune.Method{tune.MethodGapAxes}
	}
	return []tune.Method{tune.MethodGap}
}

// checkMethods refuses, before anything is read, what methods cannot judge.
func (t *Tuning) checkMethods() error {
	s := &t.Settings
	if t.ByClasses() && s.Labels != "" {
		return framework.Faultf(framework.Usage, "labels-and-folds", "classes of each fold are hidden from the fits that are judged by them: "+
			"%s would show them", framework.Setting("labels")).At("labels").
			WithHint("leave out %s, or choose by another method, such as %s", framework.Setting("labels"), framework.SettingTo("method",
				tune.MethodGap))
	}
	if t.ByClasses() {
		return nil
	}
	if s.Labels != "" && s.LabelsAs == settings.LabelsPairs {
		return framework.Faultf(framework.Usage, "pairs-and-draws", "rows that are drawn anew have no pairs").At("labels_as").
			WithHint("use %s: a row that is drawn in the place of another has its class", framework.SettingTo("labels_as", settings.LabelsHeld))
	}
	if s.Pairs != "" {
		return framework.Faultf(framework.Usage, "pairs-and-draws", "rows that are drawn anew have no pairs").At("pairs").
			WithHint("leave out %s, or choose by classes: %s", framework.Setting("pairs"), framework.SettingTo("method", settings.CrossValidation))
	}
	if s.Start != "" {
		return framework.Faultf(framework.Usage, "start-and-draws", "a start is for one number of clusters and these rows").At("start").
			WithHint("leave out %s", framework.Setting("start"))
	}
	if len(t.Ks) == 1 && t.Parameter.Name == "" {
		return framework.Faultf(framework.Usage, "one-point", "there is only one value of k to judge").At("k").
			WithHint("%s tries several", framework.SettingTo("k", "2:10"))
	}
	if len(t.Ks) > 1 && t.Ks[len(t.Ks)-1] < 2 {
		return settings.Wrong("k", "%s is %s; a number of at least 2 is needed", framework.Setting("k"), s.Ks)
	}
	penalty := t.Parameter.Name != "" && t.Parameter.Name == t.Algorithm.Path && t.Algorithm.Looser == framework.Down
	several := t.Parameter.Name != ""
	named := t.Method != ""
	for _, m := range t.methods() {
		switch {
		case s.Trim > 0 && (m == tune.MethodGap || m == tune.MethodGapAxes):
			return settings.Wrong("method", "%s does not go with %s: rows without structure have no outliers", framework.SettingTo("method", m),
				framework.Setting("trim")).
				WithHint("leave out %s here, or use %s", framework.Setting("trim"), framework.SettingTo("method", tune.MethodStable))
		case m == tune.MethodGap && penalty:
			return settings.Wrong("method", "the gap of permutations is not defined over %s", t.Parameter.Name).
				WithDetails([]string{"where no feature of permuted rows gets a weight, nothing is left to compare with"}).
				WithHint("give one value with %s, and several of %s; or choose by classes: %s", framework.SettingTo(t.Parameter.Name, "VALUE"),
					framework.Setting("k"), framework.SettingTo("method", settings.CrossValidation))
		case named && m != tune.MethodGap && several && !slices.Contains(t.methods(), tune.MethodGap):
			return settings.Wrong("method", "%s chooses a number of clusters, and not %s", framework.SettingTo("method", m), t.Parameter.Name).
				WithHint("give one value with %s, or add the gap: %s", framework.SettingTo(t.Parameter.Name, "VALUE"),
					framework.SettingTo("method", t.Method+",gap"))
		}
	}
	return nil
}

// study makes the fits of methods that need no classes, and lets these judge them.
func (t *Tuning) study(ctx context.Context, host fit.Host, progress func(ended, of int)) error {
	rows, problem := t.Data, t.Problem
	problem.K = t.mostClusters() // which limits may name
	session, err := host.Bind(ctx, t.Algorithm.Name, t.sent(problem), rows)
	if err != nil {
		return err
	}
	t.maximize.Store(session.Plan().Maximize)
	if err := session.Close(); err != nil {
		return err
	}
	methods := t.methods()
	if slices.Contains(methods, tune.MethodGapAxes) {
		if t.maximize.Load() {
			return settings.Wrong("method", "%s is not defined for %s, whose objective is to be large", framework.SettingTo("method",
				tune.MethodGapAxes),
				t.Algorithm.Name).WithHint("use %s", framework.SettingTo("method", tune.MethodGap))
		}
		if t.Points[0].K > 1 && t.mayBeOne(ctx) { // one cluster is what the others are compared with
			t.Points = slices.Insert(t.Points, 0, TunePoint{1, t.Points[len(t.Points)-1].Value})
		}
	}
	var sampled []int32
	if t.Sample > 0 && problem.N > t.Sample {
		if rows, problem, sampled, err = tune.Sample(rows, problem, t.Sample); err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // in memory: nothing can be lost
		t.Sampled = problem.N
	}
	t.Study = tune.Study{Methods: slices.Clone(methods), Draws: t.Draws, Seed: problem.Seed, Threads: t.Settings.Threads, Known: t.Study.Known}
	slices.Sort(t.Study.Methods) // gap before gap-axes
	for _, of := range t.Points {
		p := problem
		if of.Value == of.Value {
			if p, err = t.with(t.Parameter, of.Value); err != nil {
				return err
			}
		}
		t.Study.Candidates = append(t.Study.Candidates, tune.Candidate{K: of.K, Params: p.Params})
	}
	run := func(s tune.Sweep, each func(tune.Trial) error) error {
		s.Settings = t.Settings.Fitting()
		if of := t.Recipe.Scaling; of.Center == "none" && of.Scale == "none" {
			s.Norm = of.Norm
		}
		if t.startsFromLabels() {
			s.Start = func(from []int32, rows *matrix.Data, p framework.Problem) (fit.Start, error) {
				return t.startOfLabels(numbersOf(sampled, from), rows, p)
			}
		}
		return t.sweep(ctx, host, s, problem, rows, each)
	}
	failed := t.Study.Run(run, func(of tune.Trial, ended, all int) error {
		progress(ended, all)
		return t.keep(context.WithoutCancel(ctx), of)
	})
	judged, err := t.Study.Judge(context.WithoutCancel(ctx), rows)
	if err != nil {
		return err
	}
	for _, m := range methods {
		for _, j := range judged {
			if j.Method == m {
				t.Judged = append(t.Judged, TuneJudged{Method: string(m), Values: j.Values, Best: j.Best, One: j.OneSE, P: j.P})
			}
		}
	}
	return failed
}

// mayBeOne reports whether all rows may be in one cluster: limits may not allow it, and classes do not.
func (t *Tuning) mayBeOne(ctx context.Context) bool {
	if t.labels != nil && len(t.labels.Names) > 1 {
		return false
	}
	scaler, ok := t.Problem.Labels.(framework.LabelScaler)
	if !ok {
		return true
	}
	set, err := scaler.Scale(nil, 1)
	return err == nil && set.Violation(make([]int32, t.Problem.N)) == 0
}

// numbersOf returns the numbers, among all rows, of some of those that were sampled from them.
func numbersOf(sampled, some []int32) []int32 {
	if sampled == nil || some == nil {
		return append(sampled[:len(sampled):len(sampled)], some...)
	}
	numbers := make([]int32, len(some))
	for t, i := range some {
		numbers[t] = sampled[i]
	}
	return numbers
}

// Rises reports whether the gap rises with the number of features to all of them, at
// the number of clusters that is chosen: there are no columns of noise.
func (t *Tuning) Rises() bool {
	at := t.Chosen()
	if at < 0 || t.Parameter.Name != t.Algorithm.Path || t.Algorithm.Looser != framework.Up {
		return false
	}
	for _, j := range t.Judged {
		if j.Method != string(tune.MethodGap) {
			continue
		}
		most := math.Inf(-1)
		for i, v := range j.Values {
			if t.Points[i].K != t.Points[at].K || v.Score != v.Score {
				continue
			}
			if v.Score <= most {
				return false
			}
			most = v.Score
		}
		last := j.Values[len(j.Values)-1]
		return last.Selected >= float64(t.Problem.P)
	}
	return false
}

// keep hands the fits of a draw to Keep when the last of them has ended: the trials of
// a draw come together.
func (t *Tuning) keep(ctx context.Context, last tune.Trial) error {
	known, resumed := t.Study.Known, t.Study.Known != nil
	if d := t.Study.Drawn[last.Draw]; t.Keep == nil || known[d] != nil || resumed && d.Kind == tune.Rows {
		return nil
	}
	all := t.Study.Trials
	from := len(all)
	for from > 0 && all[from-1].Draw == last.Draw {
		from--
	}
	of := len(t.Points)
	if t.Study.Drawn[last.Draw].Kind == tune.Uniform {
		of = t.Study.Numbers()
	}
	if len(all)-from < of {
		return nil
	}
	return t.Keep(ctx, t.drawRows(all[from:]))
}

// Begun returns the rows of the tables of a tuning whose fits are still to be made.
func (t *Tuning) Begun() (*result.Tune, error) {
	r, err := t.Tables(nil, result.Incomplete)
	r.Draws = []result.TuneDraw{}
	return r, err
}

// Resume takes over the fits of a tuning that has not ended: of the same settings and
// rows, which its row of NAME_fit proves. Others are refused, with what differs.
func (t *Tuning) Resume(of *result.Fit, draws []result.TuneDraw) error {
	now, err := t.fitWithoutModel("tune", result.Incomplete)
	if err != nil {
		return err
	}
	if of.StopReason != result.Incomplete {
		return framework.Faultf(framework.Data, "not-resumable", "the run is no tuning that was interrupted").At("resume").
			WithHint("leave out %s; %s makes the tuning anew", framework.Setting("resume"), framework.Setting("replace"))
	}
	if of.RunID != now.RunID {
		return t.notTheSame("tuning", of.Params, of.Source, "", now)
	}
	t.Study.Known = map[tune.Draw][]tune.Trial{}
	for _, d := range draws {
		key := tune.Draw{Kind: tune.Kind(d.Kind), Number: d.Draw}
		trial := tune.Trial{Objective: d.Objective, Explained: d.Explained,
			Outcome: tune.Outcome{Stop: d.Status, Converged: d.Converged, Iterations: d.Iterations, Selected: d.Selected}}
		if d.Iterations < 0 {
			trial.Err = framework.Faultf(framework.Data, d.Status, "the fit failed before")
		}
		t.Study.Known[key] = append(t.Study.Known[key], trial)
	}
	return nil
}

// drawRows returns the rows of the table of draws, nil if there are none.
func (t *Tuning) drawRows(trials []tune.Trial) []result.TuneDraw {
	var rows []result.TuneDraw
	for _, of := range trials {
		d := t.Study.Drawn[of.Draw]
		row := result.TuneDraw{Kind: string(d.Kind), Draw: d.Number, Point: of.Candidate, Status: of.Status(), Converged: of.Converged,
			Iterations: of.Iterations, Selected: of.Selected, Objective: of.Objective, Explained: of.Explained}
		if row.Kind == "" {
			row.Kind = "rows"
		}
		if of.Err != nil {
			row.Iterations, row.Selected = -1, -1
		}
		rows = append(rows, row)
	}
	return rows
}
