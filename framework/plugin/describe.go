package plugin

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

func wireDescription(d framework.Description) *pb.Description {
	w := &pb.Description{
		Name: valid(d.Name), Version: valid(d.Version), Summary: valid(d.Summary), Paper: valid(d.Paper),
		Missing: d.Missing, Categorical: d.Categorical, Groups: d.Groups, Constraints: d.Constraints, Path: valid(d.Path), Looser: valid(string(d.Looser)), Links: d.Links, Empty: valid(string(d.Empty)), Scale: valid(d.Scale),
		Center: valid(d.Center), Predict: validMap(d.Predict),
	}
	for _, term := range d.ObjectiveTerms {
		w.ObjectiveTerms = append(w.ObjectiveTerms, valid(term))
	}
	for _, p := range d.Params {
		param := &pb.Param{
			Name: valid(p.Name), Type: valid(string(p.Type)), Required: p.Required, DefaultText: valid(p.Default),
			Min: p.Min, Max: p.Max, Doc: valid(p.Doc), Center: validMap(p.Center),
		}
		for _, c := range p.Choices {
			param.Choices = append(param.Choices, valid(c))
		}
		w.Params = append(w.Params, param)
	}
	return w
}

func readDescription(w *pb.Description) framework.Description {
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

func wireSetDescription(d framework.SetDescription) *pb.SetDescription {
	w := &pb.SetDescription{
		Kind: valid(d.Kind), Version: valid(d.Version), Summary: valid(d.Summary), Source: valid(d.Source), Example: wireRows(d.Example),
	}
	for _, name := range d.Uses {
		w.Uses = append(w.Uses, valid(name))
	}
	return w
}

func readSetDescription(w *pb.SetDescription) framework.SetDescription {
	return framework.SetDescription{
		Kind: w.GetKind(), Version: w.GetVersion(), Summary: w.GetSummary(), Source: w.GetSource(), Uses: w.GetUses(), Example: readRows(w.GetExample()),
	}
}

func validMap(m map[string]string) map[string]string {
	if m == nil {
		return nil
	}
	w := make(map[string]string, len(m))
	for name, v := range m {
		w[valid(name)] = valid(v)
	}
	return w
}

func wireFeatures(features []framework.Feature) []*pb.Feature {
	w := make([]*pb.Feature, len(features))
	for i, f := range features {
		w[i] = &pb.Feature{
			Column: int64(f.Column), Cluster: int64(f.Cluster), Selected: f.Selected, Weight: f.Weight, Gain: f.Gain, Rank: int64(f.Rank),
		}
	}
	return w
}

// readFeatures refuses features that there are not, and more of them than one for
// each feature, or for each of each cluster.
func readFeatures(w []*pb.Feature, s shape) ([]framework.Feature, error) {
	if len(w) > max(1, s.k)*s.p {
		return nil, nonsense("%d rows about %d features", len(w), s.p)
	}
	features := make([]framework.Feature, len(w))
	for i, f := range w {
		if f.GetColumn() < 0 || f.GetColumn() >= int64(s.p) || f.GetCluster() < -1 || f.GetCluster() >= int64(s.k) {
			return nil, nonsense("feature %d of %d for cluster %d of %d", f.GetColumn(), s.p, f.GetCluster(), s.k)
		}
		features[i] = framework.Feature{
			Column: int(f.GetColumn()), Cluster: int(f.GetCluster()), Selected: f.GetSelected(), Weight: f.GetWeight(), Gain: f.GetGain(), Rank: int(f.GetRank()),
		}
	}
	return features, nil
}
