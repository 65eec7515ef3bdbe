package fit

import (
	"context"
	"slices"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
)

// keptBytes is how many bytes of labels and statistics Starts keep, at most.
const keptBytes = 16 << 20

// Starts make the starts of several fits of the same rows, which may differ in the
// number of clusters and in parameters. They share what does not depend on these:
// distances of rows to each other, start labels, and their statistics where the
// algorithm collects these in common. Each fit has the very starts that it has without
// them. Several goroutines may use them.
type Starts struct {
	rows     framework.Rows
	settings Settings
	first    seeders // of the largest number of clusters

	mu     sync.Mutex
	byK    map[int]seeders
	labels map[startOf][]int32
	counts map[startOf]counts
	kept   int // bytes
}

// counts are the statistics of start labels.
type counts struct {
	stats framework.Stats
	sizes []int
}

// startOf is one start.
type startOf struct{ k, restart int }

// NewStarts returns the starts of fits with the settings and with each of the numbers
// of clusters in ks, of which there must be one. p says all else.
func NewStarts(p framework.Problem, rows framework.Rows, s Settings, ks []int) (*Starts, error) {
	p.K = slices.Max(ks)
	all := s
	all.Restarts *= len(slices.Compact(slices.Sorted(slices.Values(ks))))
	first, err := newSeeders(p, rows, Start{}, all)
	return &Starts{rows: rows, settings: s, first: first, byK: map[int]seeders{}, labels: map[startOf][]int32{},
		counts: map[startOf]counts{}}, err
}

// of returns the seeders for a number of clusters.
func (s *Starts) of(k int) (all seeders, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.byK[k]; ok {
		return known, nil
	}
	if all[0], err = s.first[0].For(k); err != nil {
		return all, err
	}
	if all[1] = all[0]; s.first[1] != s.first[0] {
		if all[1], err = s.first[1].For(k); err != nil {
			return all, err
		}
	}
	s.byK[k] = all
	return all, nil
}

// Labels returns the labels of a restart, which nobody may change.
func (s *Starts) Labels(ctx context.Context, k, restart, threads int) ([]int32, error) {
	of := startOf{k, restart}
	s.mu.Lock()
	labels, ok := s.labels[of]
	s.mu.Unlock()
	if ok {
		return labels, nil
	}
	all, err := s.of(k)
	if err != nil {
		return nil, err
	}
	if labels, err = all.of(restart).Labels(ctx, restart, threads); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if size := 4 * len(labels); s.kept+size <= keptBytes {
		s.labels[of], s.kept = labels, s.kept+size
	}
	return labels, nil
}

// load writes the statistics of a start to the state, if they are kept.
func (s *Starts) load(of startOf, st *state) bool {
	s.mu.Lock()
	kept, ok := s.counts[of]
	s.mu.Unlock()
	if ok {
		for i, v := range kept.stats {
			copy(st.stats[i], v)
		}
		copy(st.sizes, kept.sizes)
	}
	return ok
}

// keep keeps the statistics of a start, if there is room.
func (s *Starts) keep(of startOf, st *state) {
	size := 8 * len(st.sizes)
	for _, v := range st.stats {
		size += 8 * len(v)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.counts[of]; ok || s.kept+size > keptBytes {
		return
	}
	c := counts{sizes: slices.Clone(st.sizes)}
	for _, v := range st.stats {
		c.stats = append(c.stats, slices.Clone(v))
	}
	s.counts[of] = c
	s.kept += size
}
