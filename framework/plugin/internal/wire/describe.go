package wire

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

func Description(d framework.Description) *pb.Description {
	w := &pb.Description{
		Name: Text(d.Name), Version: Text(d.Version), Summary: Text(d.Summary), Paper: Text(d.Paper),
		Missing: d.Missing, Categorical: d.Categorical, Groups: d.Groups, Constraints: d.Constraints, Path: Text(d.Path), Looser: Text(string(d.Looser)), Links: d.Links, Empty: Text(string(d.Empty)), Scale: Text(d.Scale),
		Center: Text(d.Center), Predict: texts(d.Predict),
	}
	for _, term := range d.ObjectiveTerms {
		w.ObjectiveTerms = append(w.ObjectiveTerms, Text(term))
	}
	for _, p := range d.Params {
		param := &pb.Param{
			Name: Text(p.Name), Type: Text(string(p.Type)), Required: p.Required, DefaultText: Text(p.Default),
			Min: p.Min, Max: p.Max, Doc: Text(p.Doc), Center: texts(p.Center),
		}
		for _, c := range p.Choices {
			param.Choices = append(param.Choices, Text(c))
		}
		w.Params = append(w.Params, param)
	}
	return w
}

func ReadDescription(w *pb.Description) framework.Description {
	d := framework.Description{
		Name: w.GetName(), Version: w.GetVersion(), Summary: w.GetSummary(), Paper: w.GetPaper(),
		Missing: w.GetMissing(), Categorical: w.GetCategorical(), Groups: w.GetGroups(), Constraints: w.GetConstraints(), Path: w.GetPath(), Looser: framework.Direction(w.GetLooser()), Links: w.GetLinks(), Empty: framework.EmptyPolicy(w.GetEmpty()), Scale: w.GetScale(),
		Center: w.GetCenter(), Predict: w.GetPredict(), ObjectiveTerms: w.GetObjectiveTerms(),
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
		Kind: Text(d.Kind), Version: Text(d.Version), Summary: Text(d.Summary), Source: Text(d.Source), Example: ConstraintRows(d.Example),
	}
	for _, name := range d.Uses {
		w.Uses = append(w.Uses, Text(name))
	}
	return w
}

func ReadSetDescription(w *pb.SetDescription) framework.SetDescription {
	return framework.SetDescription{
		Kind: w.GetKind(), Version: w.GetVersion(), Summary: w.GetSummary(), Source: w.GetSource(), Uses: w.GetUses(), Example: ReadConstraintRows(w.GetExample()),
	}
}

func texts(m map[string]string) map[string]string {
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

// ReadFeatures refuses features that there are not, and more of them than one for
// each feature, or for each of each cluster.
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
			Column: int(f.GetColumn()), Cluster: int(f.GetCluster()), Selected: f.GetSelected(), Weight: f.GetWeight(), Gain: f.GetGain(), Rank: int(f.GetRank()),
		}
	}
	return features, nil
}
