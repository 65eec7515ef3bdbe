package store

import (
	"context"

	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

func tuneTables(r *result.Tune) []newTable {
	all := []newTable{{result: schema.Tune, rows: len(r.Values), columns: tuneCells(r.Values)}}
	if r.Draws == nil {
		all = append(all, newTable{result: schema.TuneFolds, rows: len(r.Folds), columns: foldCells(r.Folds)})
	} else {
		all = append(all, newTable{result: schema.TuneDraws, rows: len(r.Draws), columns: drawCells(r.Draws)})
	}
	if r.Final != nil {
		return append(all, fitTables(r.Final)...)
	}
	return append(all, newTable{result: schema.Fit, rows: 1, columns: fitCells(r.Fit)},
		newTable{result: schema.Run, rows: 1, columns: runCells(r.Run, r.Fit.RunID)})
}

func tuneCells(rows []result.TuneValue) cellWriters {
	return cellWriters{
		"point":          duck.Integers(0, func(i int) int { return rows[i].Point }),
		"method":         duck.Texts(func(i int) string { return rows[i].Method }),
		"k":              duck.Integers(0, func(i int) int { return rows[i].K }),
		"parameter":      duck.Texts(func(i int) string { return rows[i].Parameter }),
		"value":          duck.Doubles(func(i int) float64 { return rows[i].Value }),
		"status":         duck.Texts(func(i int) string { return rows[i].Status }),
		"converged":      duck.Fixed(func(i int) (bool, bool) { return rows[i].Converged, true }),
		"fits":           duck.Integers(0, func(i int) int { return rows[i].Fits }),
		"selected":       duck.Doubles(func(i int) float64 { return rows[i].Selected }),
		"score":          duck.Doubles(func(i int) float64 { return rows[i].Score }),
		"standard_error": duck.Doubles(func(i int) float64 { return rows[i].Error }),
		"best":           duck.Fixed(func(i int) (bool, bool) { return rows[i].Best, true }),
		"one_se":         duck.Fixed(func(i int) (bool, bool) { return rows[i].OneSE, true }),
	}
}

func foldCells(rows []result.TuneFold) cellWriters {
	return cellWriters{
		"point":      duck.Integers(0, func(i int) int { return rows[i].Point }),
		"repetition": duck.Integers(0, func(i int) int { return rows[i].Repetition }),
		"fold":       duck.Integers(0, func(i int) int { return rows[i].Fold }),
		"pairs":      duck.Integers(0, func(i int) int { return rows[i].Pairs }),
		"status":     duck.Texts(func(i int) string { return rows[i].Status }),
		"converged":  duck.Fixed(func(i int) (bool, bool) { return rows[i].Converged, true }),
		"iterations": duck.Integers(0, func(i int) int { return rows[i].Iterations }),
		"selected":   duck.Integers(0, func(i int) int { return rows[i].Selected }),
		"score":      duck.Doubles(func(i int) float64 { return rows[i].Score }),
	}
}

func drawCells(rows []result.TuneDraw) cellWriters {
	return cellWriters{
		"kind":       duck.Texts(func(i int) string { return rows[i].Kind }),
		"draw":       duck.Integers(0, func(i int) int { return rows[i].Draw }),
		"point":      duck.Integers(0, func(i int) int { return rows[i].Point }),
		"status":     duck.Texts(func(i int) string { return rows[i].Status }),
		"converged":  duck.Fixed(func(i int) (bool, bool) { return rows[i].Converged, true }),
		"iterations": duck.Integers(0, func(i int) int { return rows[i].Iterations }),
		"selected":   duck.Integers(0, func(i int) int { return rows[i].Selected }),
		"objective":  duck.Doubles(func(i int) float64 { return rows[i].Objective }),
		"explained":  duck.Doubles(func(i int) float64 { return rows[i].Explained }),
	}
}

// AddDraws adds fits of draws to those of a tuning that has not ended, in one
// transaction.
func (db *DB) AddDraws(ctx context.Context, run string, rows []result.TuneDraw) error {
	t, err := db.tableOf(ctx, run, schema.TuneDraws)
	if err != nil {
		return err
	}
	return db.Transaction(ctx, func() error {
		if err := db.Append(ctx, t.Schema, t.Name, len(rows), drawCells(rows).of(schema.TuneDraws)); err != nil {
			return duck.WriteFault(err, t.Name)
		}
		return nil
	})
}

// BeginTune is WriteTune of a tuning that has not ended, with what it goes on from.
func (db *DB) BeginTune(ctx context.Context, name string, replace bool, r *result.Tune, p *result.Progress) error {
	return db.writeRun(ctx, name, replace, append(tuneTables(r), progressTable("", p)), keyed{name: r.KeyName, typ: r.Keys.Type()})
}

// KeepTune writes the points of a tuning that have ended, their fits, and what it goes on from, in the place of what
// was written before, in one transaction. The run is there, and stays as it is.
func (db *DB) KeepTune(ctx context.Context, name string, r *result.Tune, p *result.Progress) error {
	schemaName, base, err := db.runTarget(ctx, name)
	if err != nil {
		return err
	}
	tables := []newTable{progressTable(base, p)}
	for _, t := range tuneTables(r) {
		if t.result == schema.Tune || t.result == schema.TuneDraws {
			t.name = base + "_" + t.result
			tables = append(tables, t)
		}
	}
	return db.create(ctx, schemaName, tables, tables, true, keyed{})
}

// LoadTune returns the row of the fit of a tuning, with its points and the fits of its draws.
func (db *DB) LoadTune(ctx context.Context, run string) (*result.Fit, *result.Tune, error) {
	fit, draws, err := db.LoadDraws(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	t, err := db.tableOf(ctx, run, schema.Tune)
	if err != nil {
		return nil, nil, err
	}
	rows, err := db.Rows(ctx, "SELECT point, method, coalesce(k, 0), coalesce(parameter, ''), coalesce(value, 'nan'), status, converged, "+
		"fits, coalesce(selected, 'nan'), coalesce(score, 'nan'), coalesce(standard_error, 'nan'), best, one_se "+
		"FROM "+t.Qualified()+" ORDER BY rowid")
	if err != nil {
		return nil, nil, duck.InternalFault("show-failed", "cannot read "+t.Name, err)
	}
	all := &result.Tune{Draws: draws}
	for _, r := range rows {
		all.Values = append(all.Values, result.TuneValue{Point: int(r[0].(int64)), Method: r[1].(string), K: int(r[2].(int64)),
			Parameter: r[3].(string), Value: r[4].(float64), Status: r[5].(string), Converged: r[6].(bool), Fits: int(r[7].(int64)),
			Selected: r[8].(float64), Score: r[9].(float64), Error: r[10].(float64), Best: r[11].(bool), OneSE: r[12].(bool)})
	}
	return fit, all, nil
}

// LoadDraws returns the row of the fit of a tuning, and the fits of its draws.
func (db *DB) LoadDraws(ctx context.Context, run string) (*result.Fit, []result.TuneDraw, error) {
	fit, err := db.LoadModel(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	t, err := db.tableOf(ctx, run, schema.TuneDraws)
	if err != nil {
		return nil, nil, err
	}
	rows, err := db.Rows(ctx, "SELECT kind, draw, point, status, converged, coalesce(iterations, -1), coalesce(selected, -1), "+
		"coalesce(objective, 'nan'), coalesce(explained, 'nan') FROM "+t.Qualified()+" ORDER BY kind, draw, point")
	if err != nil {
		return nil, nil, duck.InternalFault("show-failed", "cannot read "+t.Name, err)
	}
	draws := make([]result.TuneDraw, len(rows))
	for i, r := range rows {
		draws[i] = result.TuneDraw{Kind: r[0].(string), Draw: int(r[1].(int64)), Point: int(r[2].(int64)), Status: r[3].(string),
			Converged: r[4].(bool), Iterations: int(r[5].(int64)), Selected: int(r[6].(int64)), Objective: r[7].(float64),
			Explained: r[8].(float64)}
	}
	return fit, draws, nil
}
