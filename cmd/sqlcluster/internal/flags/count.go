package flags

import (
	"strconv"

	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// clusterCount is the value of -k: one number of clusters, or several.
type clusterCount struct{ v *Values }

// Set implements pflag.Value. What several numbers may be is for the job to say.
func (c *clusterCount) Set(text string) error {
	if k, err := strconv.Atoi(text); err == nil {
		c.v.K, c.v.Ks = k, ""
		return nil
	}
	if _, err := settings.ParseKs(text); err != nil {
		return err
	}
	c.v.K, c.v.Ks = 0, text
	return nil
}

// String implements pflag.Value.
func (c *clusterCount) String() string {
	if c.v == nil {
		return "0"
	}
	if c.v.Ks != "" {
		return c.v.Ks
	}
	return strconv.Itoa(c.v.K)
}

// Type implements pflag.Value.
func (c *clusterCount) Type() string { return "clusters" }
