package job_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// readTuning is a tuning of rows that are read, which each process makes anew.
type readTuning struct {
	algorithm, ks, grid string
	change              func(*settings.TuneOptions)
	draws               int    // that are kept: that of the rows, and those that are drawn
	path                string // of the database with the tables of the run
}

// process makes the tuning, or goes on with it, keeps what is done, and ends after so many draws were kept; 0: not before
// the end. It returns all tables.
func (r readTuning) process(t *testing.T, resume bool, most int) (*result.Tune, error) {
	t.Helper()
	db := must.Get(store.Open(t.Context(), r.path, store.ReadWrite))(t)
	defer func() { must.Do(t, db.Close()) }()
	tuning := newTuning(t, r.algorithm, r.ks, r.grid, func(o *settings.TuneOptions) {
		o.Draws = 3
		r.change(o)
	})
	defer tuning.Close()
	must.Do(t, tuning.Read(t.Context(), classless{mixture(threeClusters)}, nil))
	if resume {
		of, draws, err := db.LoadDraws(t.Context(), "run")
		must.Do(t, err)
		must.Do(t, tuning.Resume(of, draws))
	} else {
		must.Do(t, db.WriteTune(t.Context(), "run", false, must.Get(tuning.Begun())(t)))
	}
	kept := 0
	tuning.Keep = func(ctx context.Context, draws []result.TuneDraw) error {
		if most > 0 && kept == most { // it has ended
			return errPower
		}
		err := db.AddDraws(ctx, "run", draws)
		if kept++; kept == most {
			return errors.Join(err, errPower)
		}
		return err
	}
	if err := tuning.Run(t.Context(), nil); err != nil {
		return nil, err
	}
	var done *job.Fitted
	if tuning.Chosen() >= 0 {
		done = must.Get(tuning.FitChosen(t.Context()))(t)
	}
	tables := must.Get(tuning.Tables(done, ""))(t)
	must.Do(t, db.WriteTune(t.Context(), "run", true, tables))
	if there := must.Get(db.Standing(t.Context(), "run"))(t); !there.Ended || there.Tuning != nil {
		t.Errorf("%+v is left of a tuning that has ended", there)
	}
	return tables, nil
}

func TestATuningOfRowsThatAreReadThatEndsAfterAllThatItKeepsGoesOnToTheSameBits(t *testing.T) {
	plain := func(*settings.TuneOptions) {}
	for name, r := range map[string]readTuning{ // three draws of each kind, and the rows
		"numbers of clusters":          {"kmeans", "2:4", "", plain, 4, ""},
		"numbers, and features":        {"skfr", "2:4", "1,2", plain, 7, ""},
		"features":                     {"skfr", "3", "1,2", plain, 4, ""},
		"an objective that is to grow": {"spherical", "2:4", "", plain, 4, ""},
		"points that are not possible": {"skfr", "2,3,1000", "1,2,7", plain, 7, ""},
		"halves, which are made again": {"kmeans", "2:4", "", func(o *settings.TuneOptions) { o.Method = "stability" }, 4, ""},
		"several methods, and a sample": {"kmeans", "2:4", "", func(o *settings.TuneOptions) {
			o.Method, o.Sample = "gap,gap-axes,silhouette", 60
		}, 7, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r.path = filepath.Join(t.TempDir(), "whole.duckdb")
			want := must.Get(r.process(t, false, 0))(t)
			r.path = filepath.Join(t.TempDir(), "cut.duckdb")
			got, err := r.process(t, false, 1)
			processes := 1
			for ; errors.Is(err, errPower) && processes <= r.draws; processes++ { // else it makes what was kept again
				got, err = r.process(t, true, 1)
			}
			must.Do(t, err)
			if d := cmp.Diff(want, got, sameTune); d != "" {
				t.Error(d)
			}
			if want.Final != nil && (want.Final.Fit.Model == "" || want.Final.Fit.Model != got.Final.Fit.Model) {
				t.Errorf("the model %q, and of a chain of processes %q", want.Final.Fit.Model, got.Final.Fit.Model)
			}
			// Each but the last ends after a draw, and only the first may keep that of the rows.
			if processes < r.draws || processes > r.draws+1 {
				t.Errorf("%d processes for %d draws", processes, r.draws)
			}
		})
	}
}
