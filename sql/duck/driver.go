//go:build !duckdb_extension

package duck

import (
	"database/sql/driver"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Connector returns what database/sql opens further connections to the same
// database with. They have to be closed before db is.
func (db *DB) Connector() (driver.Connector, error) {
	options := url.Values{}
	for name, value := range db.settings() {
		options.Set(name, value)
	}
	file, err := filepath.Abs(db.file)
	if err != nil {
		return nil, openFault(db.path, db.mode, err.Error())
	}
	// The driver takes the path and the settings as one text, in which it reads the
	// path as that of a URL.
	source := file + "?" + options.Encode()
	if read, err := url.Parse(source); err != nil || read.RawQuery != options.Encode() || strings.Contains(file, "?") {
		return nil, framework.Faultf(framework.Data, "database-name-unusable",
			"a session cannot open %s: its path has a character that the driver of DuckDB takes for another thing", db.path).
			At("db").WithHint("rename the file or its directory, without ? # %% and control characters")
	}
	c, err := duckdb.NewConnector(source, nil)
	if err != nil {
		return nil, openFault(db.path, db.mode, err.Error())
	}
	return c, nil
}

// openFile opens the file that place has found. Two connections of this process to one
// file share the database, those of database/sql included: the lock on the file keeps
// out other processes only.
func (db *DB) openFile(config mapping.Config) (state mapping.State, message string) {
	state = mapping.GetOrCreateFromCache(duckdb.GetInstanceCache(), db.file, &db.db, config, &message)
	return state, message
}
