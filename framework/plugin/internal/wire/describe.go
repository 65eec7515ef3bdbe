package wire

import (
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

func Description(d framework.Description) *pb.Description {
	w := &pb.Description{
		Name: Text(d.Name), Version: Text(d.Version), Summary: Text(d.Summary), Paper: Text(d.Paper),
		Missing: d.Missing, Categorical: d.Categorical, Groups: d.Groups, Constraints: d.Constraints, Links: d.Links, Trims: d.Trims,
		Path: Text(d.Path), Looser: Text(string(d.Looser)), Empty: Text(string(d.Empty)), Scale: Text(d.Scale),
		Center: Text(d.Center), Predict: textMap(d.Predict), ObjectiveTerms: texts(d.ObjectiveTerms),
		Sparse: d.Sparse, Dense: textMap(d.Dense), Norm: Text(d.Norm), Labels: d.Labels,
	}
	for _, p := range d.Params {
		w.Params = append(w.Params, &pb.Param{
			Name: Text(p.Name), Type: Text(string(p.Type)), Required: p.Required, DefaultText: Text(p.Default),
			Min: p.Min, Max: p.Max, Choices: texts(p.Choices), Doc: Text(p.Doc), Center: textMap(p.Center),
		})
	}
	return w
}

func ReadDescription(w *pb.Description) framework.Description {
	d := framework.Description{
		Name: w.GetName(), Version: w.GetVersion(), Summary: w.GetSummary(), Paper: w.GetPaper(),
		Missing: w.GetMissing(), Categorical: w.GetCategorical(), Groups: w.GetGroups(), Constraints: w.GetConstraints(),
		Links: w.GetLinks(), Trims: w.GetTrims(), Path: w.GetPath(), Looser: framework.Direction(w.GetLooser()),
		Empty: framework.EmptyPolicy(w.GetEmpty()), Scale: w.GetScale(),
		Center: w.GetCenter(), Predict: w.GetPredict(), ObjectiveTerms: w.GetObjectiveTerms(),
		Sparse: w.GetSparse(), Dense: w.GetDense(), Norm: w.GetNorm(), Labels: w.GetLabels(),
	}
	for _, p := range w.GetParams() {
		d.Params = append(d.Params, framework.Param{
			Name: p.GetName(), Type: framework.ParamType(p.GetType()), Required: p.GetRequired(), Default: p.GetDefaultText(),
			Min: p.Min, Max: p.Max, Choices: p.GetChoices(), Doc: p.GetDoc(), Center: p.GetCenter(),
		})
	}
	return d
}

func SetDescription(d framework.SetDescription) *pb.SetDescription {
	w := &pb.SetDescription{
		Kind: Text(d.Kind), Version: Text(d.Version), Summary: Text(d.Summary), Source: Text(d.Source),
		Uses: texts(d.Uses), Example: ConstraintRows(d.Example), Labels: d.Labels,
	}
	for _, rows := range d.More {
		w.More = append(w.More, &pb.ConstraintSet{Rows: ConstraintRows(rows)})
	}
	return w
}

func ReadSetDescription(w *pb.SetDescription) framework.SetDescription {
	d := framework.SetDescription{
		Kind: w.GetKind(), Version: w.GetVersion(), Summary: w.GetSummary(), Source: w.GetSource(),
		Uses: w.GetUses(), Example: ReadConstraintRows(w.GetExample()), Labels: w.GetLabels(),
	}
	for _, set := range w.GetMore() {
		d.More = append(d.More, ReadConstraintRows(set.GetRows()))
	}
	return d
}

// Text returns text that a protobuf string can hold.
func Text(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

func texts(list []string) []string {
	var w []string
	for _, text := range list {
		w = append(w, Text(text))
	}
	return w
}

func textMap(m map[string]string) map[string]string {
	if m == nil {
		return nil
	}
	w := make(map[string]string, len(m))
	for name, v := range m {
		w[Text(name)] = Text(v)
	}
	return w
}

func Features(features []framework.Feature) []*pb.Feature {
	w := make([]*pb.Feature, len(features))
	for i, f := range features {
		w[i] = &pb.Feature{
			Column: int64(f.Column), Cluster: int64(f.Cluster), Selected: f.Selected, Weight: f.Weight, Gain: f.Gain, Rank: int64(f.Rank),
		}
	}
	return w
}

// ReadFeatures refuses features that do not exist, and more rows than one for each
// feature of each cluster.
func ReadFeatures(w []*pb.Feature, s Shape) ([]framework.Feature, error) {
	if len(w) > max(1, s.K)*s.P {
		return nil, Nonsense("%d rows about %d features", len(w), s.P)
	}
	features := make([]framework.Feature, len(w))
	for i, f := range w {
		if f.GetColumn() < 0 || f.GetColumn() >= int64(s.P) || f.GetCluster() < -1 || f.GetCluster() >= int64(s.K) {
			return nil, Nonsense("feature %d of %d for cluster %d of %d", f.GetColumn(), s.P, f.GetCluster(), s.K)
		}
		features[i] = framework.Feature{
			Column: int(f.GetColumn()), Cluster: int(f.GetCluster()), Selected: f.GetSelected(),
			Weight: f.GetWeight(), Gain: f.GetGain(), Rank: int(f.GetRank()),
		}
	}
	return features, nil
}
