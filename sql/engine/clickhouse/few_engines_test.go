//go:build engines && !campaign

package clickhouse

import "github.com/sqlcluster/sqlcluster/sql/engine/internal/enginetest"

// Laws hold for all cases in a campaign, and for these else.
func init() {
	enginetest.Only = []string{
		"kmeans of wine", "raw", "skfr", "skfr by cluster", "skm", "groupskm of heart", "bounds", "weights and missing cells",
		"categories with NULL", "offsets of 1e8", "ties and duplicates", "names of results"}
}
