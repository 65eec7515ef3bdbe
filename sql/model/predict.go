package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A Model is that of a run, ready to label and to score rows.
type Model struct {
	Fit    *result.Fit // as the run has it
	Key    string      // column that was the row key; "": rows were numbered
	Weight string      // column of row weights; "": none

	long      *input.Long // how the relation of the run was read; nil: by its columns
	maps      string      // the only column that was named as features: it may have maps
	run       string
	stored    Stored
	model     *framework.Model
	algorithm library.Algorithm
	problem   framework.Problem // but for the rows
	elsewhere bool              // the rows of the fit have stayed in an engine
	farthest  *float64          // that a row may be from its center; nil: any
	distances int               // nearest centers whose distances are wanted
	enforce   bool              // limits of clusters are kept
	library   library.Library   // of the kinds of limits that plugins serve
}

// Runs are those of a database.
type Runs interface {
	LoadModel(ctx context.Context, run string) (*result.Fit, error)
}

// Load reads the model of a run. use says what for, in the fault of a run without
// one: "predict with that".
func Load(ctx context.Context, l library.Library, runs Runs, run, use string) (*Model, error) {
	stored, err := runs.LoadModel(ctx, run)
	if err != nil {
		return nil, err
	}
	if stored.IsPath() {
		what := "path"
		switch stored.StopReason {
		case "tune":
			what = "tuning"
		case result.Unfinished:
			return nil, Unfinished(run)
		case "stability":
			return nil, framework.Faultf(framework.Data, "run-is-a-stability", "run %q is the stability of a run, and has no model of its own", run).
				WithHint("take the run that it is of")
		}
		return nil, framework.Faultf(framework.Data, "run-is-a-path", "run %q is a %s of several fits and has no model of its own", run, what).
			WithHint("fit one of its values, and %s", use)
	}
	m, err := decodeModel(stored.Model, l)
	if err != nil {
		return nil, Damaged(run, err)
	}
	if m.weightlessAll() {
		return nil, NoClusters(run)
	}
	m.Fit, m.run = stored, run
	if err := m.recorded(stored.Params); err != nil {
		return nil, Damaged(run, fmt.Errorf("recorded parameters: %w", err))
	}
	return m, nil
}

// Unfinished is the fault of a run whose fit was interrupted.
func Unfinished(run string) error {
	return framework.Faultf(framework.Data, "run-unfinished", "the fit of run %q was interrupted, and has no model", run).
		WithHint("the command that made it goes on with %s", framework.Setting("resume"))
}

// recorded reads how the relation of the run was read, from the settings that it records.
func (m *Model) recorded(params string) error {
	var v struct {
		ID, Weight, Repeated, Engine struct{ Value string }
		Long, Features               struct{ Value []string }
	}
	err := json.Unmarshal([]byte(params), &v)
	if err != nil {
		return err
	}
	if m.long, err = input.LongOf(v.Long.Value); err != nil {
		return err
	}
	m.Key, m.Weight, m.elsewhere = v.ID.Value, v.Weight.Value, v.Engine.Value != ""
	if len(v.Features.Value) == 1 {
		m.maps = v.Features.Value[0]
		if name, quoted := input.Literal(m.maps); quoted {
			m.maps = name
		}
	}
	if m.long != nil {
		m.Key, m.long.Repeated, m.long.Perhaps = m.long.Key, v.Repeated.Value, true
	}
	return nil
}

// NoClusters is the fault of a run in which no feature got a weight.
func NoClusters(run string) error {
	return framework.Faultf(framework.Data, "no-clusters", "no feature of run %q has a weight, so that it has no clusters", run).
		WithHint("fit again, with a weaker penalty")
}

// Damaged is the fault of a run whose tables have been changed, or were written by
// another version.
func Damaged(run string, err error) error {
	if f := framework.AsFault(err); f != nil { // the algorithm is not there now, or refuses such rows
		return f
	}
	f := framework.Faultf(framework.Data, "run-damaged", "the model of run %q cannot be read", run)
	f.Err = err
	return f.WithHint("fit again; if nobody has changed the tables of the run, it was written by another version of sqlcluster")
}

// choose finds the algorithm of a model, and the problem of measuring new rows.
func (m *Model) choose(l library.Library) (err error) {
	s := &m.stored
	m.library = l
	if m.algorithm, err = l.Find(s.Algorithm); err != nil {
		return err
	}
	d := m.algorithm.Description
	texts := map[string]string{}
	maps.Copy(texts, s.Params)
	maps.Copy(texts, d.Predict)
	params, err := d.Resolve(texts)
	if err != nil {
		return errors.New(err.Error()) // its hints are those of a fit
	}
	columns := make([]framework.Column, len(s.Recipe.Features))
	for i := range columns {
		columns[i].Name, columns[i].Group = s.Recipe.Features[i].Name, i
		if s.Recipe.Groups != nil {
			columns[i].Group = s.Recipe.Features[i].Group
		}
		if d.Missing {
			columns[i].Missing = 1 // new rows may lack cells whatever the fitted ones did
		}
	}
	m.problem = framework.Problem{P: len(columns), K: s.K, Columns: columns, Groups: s.Recipe.ProblemGroups(), Params: params}
	if err := m.problem.CheckGroups(); err != nil {
		return err
	}
	if m.algorithm.Local == nil {
		return nil // its process checks the rest
	}
	c, err := m.algorithm.Local.New(m.problem)
	if err != nil {
		return err
	}
	begin := c.Begin()
	if len(m.model.Gain) == 0 { // version 0.1 stored none; they rank features, and label no rows
		m.model.Gain = make([]float64, len(begin.Gain))
	}
	return m.model.Fits(begin)
}

// MissingOK reports whether rows may have missing cells.
func (m *Model) MissingOK() bool { return m.algorithm.Missing }

// Want completes how a relation is read with the columns of the model.
func (m *Model) Want(spec input.Spec) input.Spec {
	spec.Features, spec.Exclude, spec.Want, spec.MissingOK = nil, nil, nil, m.MissingOK()
	spec.WantCategories, spec.Map = map[string]bool{}, cmp.Or(spec.Map, m.maps)
	for _, s := range m.stored.Recipe.Sources() {
		spec.Want = append(spec.Want, s.Name)
		if s.Categorical {
			spec.WantCategories[s.Name] = s.NullLevel
		}
	}
	return spec
}

// Wanted says how Predict reads rows, given what is said of their relation.
func (m *Model) Wanted(spec input.Spec) input.Spec {
	spec = m.Want(spec)
	spec.Weight, spec.Optional = "", m.optional()
	if spec.ID == "" {
		spec.Key = m.Key
	}
	if spec.Long == nil && spec.ID == "" {
		spec.Long = m.long
	}
	return spec
}

// A Predicted has the labels of new rows.
type Predicted struct {
	Assignments result.Assignments
	Notes       []string
}

// A Source reads relations.
type Source interface {
	Read(ctx context.Context, spec input.Spec) (*input.Table, error)
}

// A ColumnSource reads columns of a relation beside its features, as limits of clusters need them.
type ColumnSource interface {
	ReadColumns(ctx context.Context, relation string, wanted []input.Beside, t *input.Table) ([]framework.LabelColumn, error)
}

// Predict labels the rows of a relation, which is read as spec says, but for its
// columns: these are the model's. Where spec.ID is empty, the key is that of the run.
// unseen says what becomes of categories that the model does not know; threads change
// no result.
func (m *Model) Predict(ctx context.Context, src Source, spec input.Spec, threads int, unseen matrix.Unseen) (*Predicted, error) {
	if err := m.CheckUnseen(unseen); err != nil {
		return nil, err
	}
	spec = m.Wanted(spec)
	t, err := src.Read(ctx, spec)
	if err != nil {
		return nil, m.ofTriples(ofRunsKey(err, spec.Key), spec.Long)
	}
	if m.farthest != nil && len(t.Absent) > 0 {
		return nil, framework.Faultf(framework.Data, "flag-needs-columns", "the relation does not have %s: its distances are over fewer columns "+
			"than those of the fitted rows", input.ColumnNames(t.Absent)).At("flag")
	}
	data, err := m.Replay(t, unseen)
	if err != nil {
		return nil, err
	}
	defer func() { _ = data.Close() }()
	set, done, err := m.limits(ctx, src, spec.Relation, t)
	if err != nil {
		return nil, notEnforced(err)
	}
	defer done()
	labels, err := m.label(ctx, data, set, threads)
	if err != nil {
		return nil, notEnforced(err)
	}
	distances, err := m.rank(ctx, data, threads)
	if err != nil {
		return nil, err
	}
	outliers := m.flag(labels)
	p := &Predicted{Assignments: result.Assigned(t, labels)}
	p.Assignments.Unlabelled, p.Assignments.By, p.Assignments.Distances = input.NoCells, m.run, distances
	if spec.Key != "" && t.KeyName == input.RowNumber {
		p.Notes = append(p.Notes, fmt.Sprintf("the relation has no column %s, which is the key of the run: rows are numbered from 1; %s names "+
			"another key",
			spec.Key, framework.Setting("id")))
	}
	if len(t.Absent) > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("the relation does not have %s; labels do not depend on that, and distances are over the other "+
			"columns",
			input.ColumnNames(t.Absent)))
	}
	if m.farthest != nil {
		p.Notes = append(p.Notes, fmt.Sprintf("%s, farther than %.4g from all centers", input.Counted(outliers, "row is an outlier",
			"rows are outliers"),
			*m.farthest))
	}
	p.Notes = append(p.Notes, t.Warnings...)
	if left := t.LeftOut(); left != "" {
		p.Notes = append(p.Notes, left)
	}
	return p, nil
}

// Unseen are the rules for categories that a model does not know.
var Unseen = []string{string(matrix.UnseenError), string(matrix.UnseenIgnore), string(matrix.UnseenNearest)}

// CheckUnseen refuses to leave cells out for an algorithm that cannot.
func (m *Model) CheckUnseen(unseen matrix.Unseen) error {
	if unseen != matrix.UnseenIgnore || m.MissingOK() {
		return nil
	}
	return framework.Faultf(framework.Usage, "bad-flag", "%s cannot handle missing cells, so %s is not possible", m.algorithm.Name,
		framework.SettingTo("unseen", unseen)).At("unseen").
		WithHint("%s takes the most frequent category instead", framework.SettingTo("unseen", matrix.UnseenNearest))
}

// label labels rows in this process if the algorithm can, else in that of its
// plugin.
func (m *Model) label(ctx context.Context, data *matrix.Data, set framework.LabelSet, threads int) (*fit.Prediction, error) {
	c, done, err := m.measuring(ctx, data)
	if err != nil {
		return nil, err
	}
	defer done()
	if set != nil {
		return fit.Enforce(ctx, c, m.model, set, data, threads)
	}
	return fit.Predict(ctx, c, m.model, data, threads)
}

// rank measures the nearest centers of rows, where label labels them; nil: that is not
// wanted.
func (m *Model) rank(ctx context.Context, data *matrix.Data, threads int) (*result.Distances, error) {
	if m.distances == 0 {
		return nil, nil
	}
	c, done, err := m.measuring(ctx, data)
	if err != nil {
		return nil, err
	}
	defer done()
	return Ranked(fit.Rank(ctx, c, m.model, data, m.distances, threads))
}

// measuring returns what measures rows, until done is called.
func (m *Model) measuring(ctx context.Context, data *matrix.Data) (_ framework.Clusterer, done func(), err error) {
	problem := m.problem
	if data.IsSparse() {
		problem.Sparse, problem.Columns = true, slices.Clone(problem.Columns)
		for l, base := range m.stored.Recipe.Base() {
			problem.Columns[l].Base = base
		}
	}
	if m.algorithm.Local == nil {
		return m.algorithm.Open(ctx, problem, data)
	}
	c, err := m.algorithm.Local.New(problem)
	return c, func() {}, err
}

// ofTriples adds to the fault of a relation without the columns of the model that the run
// read triples.
func (m *Model) ofTriples(err error, l *input.Long) error {
	if f := framework.AsFault(err); f != nil && f.Code == "column-not-found" && l != nil && l.Perhaps {
		return f.WithHint("the run read triples, with the columns %s; %s names those of other triples",
			input.ColumnNames([]string{l.Key, l.Feature, l.Value}), framework.Setting("long"))
	}
	return err
}

// ofRunsKey says of what is wrong with a key that nobody has given where it comes
// from.
func ofRunsKey(err error, key string) error {
	f := framework.AsFault(err)
	if key == "" || f == nil || f.Where != framework.Setting("id") {
		return err
	}
	return f.WithWhere("the key of the run").
		WithHint("name another key with %s, or number the rows: SELECT * EXCLUDE (%s) FROM …", framework.Setting("id"), schema.Quote(key))
}

// optional returns the columns that new rows need not have: their features do not
// tell the clusters apart. Where missing cells cannot be left out, only those
// without weight are. All columns count in the length of a row, if rows are divided by it.
func (m *Model) optional() map[string]bool {
	tells := fit.Telling(m.model)
	if !slices.Contains(tells, true) || m.stored.Recipe.Scaling.Norm != "" {
		return nil
	}
	all := map[string]bool{}
	for i, f := range m.stored.Recipe.Features {
		needed := tells[i] || !m.MissingOK() && !m.weightless(i)
		before, seen := all[f.Column()]
		all[f.Column()] = !needed && (before || !seen)
	}
	return all
}

// weightless reports whether distances are the same whatever a feature is.
func (m *Model) weightless(feature int) bool {
	return len(m.model.FeatureWeights) > 0 && m.model.FeatureWeights[feature] == 0
}

// Replay scales rows as those of the fit were, and seals them.
func (m *Model) Replay(t *input.Table, unseen matrix.Unseen) (*matrix.Data, error) {
	var fill []bool // an algorithm without missing cells gets the cells of columns that are not there
	if len(t.Absent) > 0 && !m.MissingOK() {
		fill = make([]bool, m.problem.P)
		for l := range fill {
			fill[l] = m.weightless(l)
		}
	}
	if err := Settle(t, m.algorithm.Description, m.problem.Params); err != nil {
		return nil, err
	}
	return m.stored.Recipe.Replay(t.Builder, t.Sources, unseen, fill)
}
