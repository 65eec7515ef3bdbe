package model

// Meaning says what the score tells, in a sentence for people.
func (s Score) Meaning() string { return meanings[s.Name] }

var meanings = map[string]string{
	"pairwise_f":         "1 when the pairs of rows in one cluster are those of one class, 0 when none is",
	"ari":                "1 when clusters and classes are the same, about 0 when they are unrelated",
	"nmi_max":            "what clusters tell of classes: 1 all, 0 nothing; relative to the larger entropy",
	"nmi_arithmetic":     "the same, relative to the mean of both entropies",
	"nmi_geometric":      "the same, relative to their geometric mean",
	"nmi_min":            "the same, relative to the smaller one",
	"nvi":                "distance of clusters from classes: 0 the same, 1 unrelated",
	"rand":               "share of the pairs of rows that clusters and classes agree on",
	"cer":                "share of the pairs of rows that they do not agree on",
	"majority_error":     "share of rows that are not of the main class of their cluster",
	"purity":             "share of rows that are of the main class of their cluster",
	"mixed_clusters":     "clusters that have rows of several classes",
	"mixed_rows":         "rows in those clusters",
	"silhouette":         "1 when clusters are compact and far apart, 0 when they touch",
	"explained_variance": "share of the variance that is between clusters; one cluster has 0",
	"calinski_harabasz":  "variance between clusters by that within; compares numbers of clusters",
	"davies_bouldin":     "spread of clusters by the distance to the worst neighbor; 0 is apart",
}
