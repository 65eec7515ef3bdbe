//go:build campaign && linux

package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// The campaign kills fits whose rows stay in DuckDB at random moments, and goes on with
// them until they end:
//
//	SQLCLUSTER_CAMPAIGN_KILLS=20 SQLCLUSTER_CAMPAIGN_SEED=1 go test -tags campaign -run CampaignOfKilledEngine -v ./cmd/sqlcluster
func TestCampaignOfKilledEngineFitsThatGoOnEndsWithTheSameTables(t *testing.T) {
	kills := fromEnvironment(t, "SQLCLUSTER_CAMPAIGN_KILLS", 4)
	seed := uint64(fromEnvironment(t, "SQLCLUSTER_CAMPAIGN_SEED", 1))
	dir := t.TempDir()
	fit := []string{"fit", "SELECT i AS id, hash(i) % 1000 AS a, hash(i + 7) % 1000 AS b, hash(i + 9) % 1000 AS c FROM range(300000) t(i)",
		"--id", "id", "-k", "8", "--restarts", "2", "--engine", "duckdb", "--db", "runs.duckdb", "-q"}
	began := time.Now()
	succeed(t, dir, append(fit, "--into", "whole")...)
	took := time.Since(began)
	path := filepath.Join(dir, "runs.duckdb")
	want := tablesOf(t, path, "whole", "centers", "clusters", "trace", "features", "assignments")
	resumed := 0
	for i := range kills {
		after := time.Duration(framework.Rand(seed, "kill", uint64(i)).Float64() * float64(took))
		args := append(fit, "--into", "cut")
		for going := true; going; {
			cmd := command(t, dir, args...)
			must.Do(t, cmd.Start())
			time.Sleep(after)
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			going = !cmd.ProcessState.Exited()
			db := must.Get(store.Open(t.Context(), path, store.ReadOnly))(t)
			p := must.Get(db.LoadProgress(t.Context(), "cut"))(t)
			must.Do(t, db.Close())
			if args = append(fit, "--into", "cut"); p != nil {
				args = append(args, "--resume")
				resumed++
			}
			after += took / 8
		}
		got := tablesOf(t, path, "cut", "centers", "clusters", "trace", "features", "assignments")
		equal(t, want, got, "kill %d", i)
		succeed(t, dir, "drop", "cut", "--db", "runs.duckdb", "-q")
	}
	t.Logf("%d kills, after which %d fits went on; one whole takes %v", kills, resumed, took)
}
