//go:build campaign

package skfr_test

import "testing"

func TestCampaignTheDefaultFindsTheNumberOfClusters(t *testing.T) {
	right := 0
	for _, m := range mixtures() {
		rows, _ := m.Rows()
		k := chosenK(t, rows, 10, 40)
		t.Logf("%d clusters in %d columns, %d rows: %d chosen", m.K, m.P, m.N, k)
		if k == m.K {
			right++
		}
	}
	if right < 8 {
		t.Errorf("%d of 10 are right", right)
	}
}

func TestCampaignTheDefaultFindsNoStructureWhereThereIsNone(t *testing.T) {
	for _, uniform := range []bool{false, true} {
		for _, correlated := range []bool{false, true} {
			none := 0
			for _, b := range blobs(uniform, correlated) {
				if chosenK(t, b.Rows(), 10, 40) == 1 {
					none++
				}
			}
			t.Logf("uniform %v, correlated %v: %d of 10 have no structure", uniform, correlated, none)
			if none < 9 {
				t.Errorf("uniform %v, correlated %v: structure is found in %d of 10", uniform, correlated, 10-none)
			}
		}
	}
}
