package duck

import (
	"context"
	"database/sql"

	"github.com/duckdb/duckdb-go/v2"
)

// A Listed is a table function of few rows, which the driver of database/sql makes.
type Listed struct {
	Name      string
	Arguments int // texts
	Columns   []ListedColumn

	// Rows returns the rows, as values of the types of their columns and nil for NULL.
	Rows func(arguments []string) ([][]any, error)
}

// A ListedColumn is a column of a Listed: of texts, or of BOOLEANs.
type ListedColumn struct {
	Name    string
	Boolean bool
}

// RegisterListed adds a table function to the database of a connection.
func RegisterListed(ctx context.Context, db *sql.DB, l Listed) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // it goes back to where it was
	text, err := duckdb.NewTypeInfo(duckdb.TYPE_VARCHAR)
	if err != nil {
		return err
	}
	boolean, err := duckdb.NewTypeInfo(duckdb.TYPE_BOOLEAN)
	if err != nil {
		return err
	}
	f := duckdb.ChunkTableFunction{BindArguments: func(_ map[string]any, arguments ...any) (duckdb.ChunkTableSource, error) {
		texts := make([]string, len(arguments))
		for i, a := range arguments {
			texts[i], _ = a.(string)
		}
		rows, err := l.Rows(texts)
		return &listing{columns: l.infos(text, boolean), rows: rows}, err
	}}
	for range l.Arguments {
		f.Config.Arguments = append(f.Config.Arguments, text)
	}
	return duckdb.RegisterTableUDF(conn, l.Name, f)
}

func (l Listed) infos(text, boolean duckdb.TypeInfo) []duckdb.ColumnInfo {
	all := make([]duckdb.ColumnInfo, len(l.Columns))
	for i, c := range l.Columns {
		all[i] = duckdb.ColumnInfo{Name: c.Name, T: text}
		if c.Boolean {
			all[i].T = boolean
		}
	}
	return all
}

// A listing is one call of a Listed.
type listing struct {
	columns []duckdb.ColumnInfo
	rows    [][]any
	next    int
}

func (l *listing) ColumnInfos() []duckdb.ColumnInfo { return l.columns }
func (l *listing) Cardinality() *duckdb.CardinalityInfo {
	return &duckdb.CardinalityInfo{Cardinality: uint(len(l.rows)), Exact: true}
}

func (l *listing) Init() {}

// FillChunk implements duckdb.ChunkTableSource. The driver has no NULLs row by row.
func (l *listing) FillChunk(chunk duckdb.DataChunk) error {
	n := min(len(l.rows)-l.next, duckdb.GetDataChunkCapacity())
	for i, row := range l.rows[l.next:][:n] {
		for c, v := range row {
			if err := chunk.SetValue(c, i, v); err != nil {
				return err
			}
		}
	}
	l.next += n
	return chunk.SetSize(n)
}
