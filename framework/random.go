package framework

import (
	"hash/fnv"
	"math/rand/v2"
)

// Rand returns the random stream of (seed, purpose, index). Equal arguments give the
// same stream on any machine and any number of threads; different arguments give
// unrelated streams.
func Rand(seed uint64, purpose string, index ...uint64) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(purpose)) // a hash never returns an error
	state := mix(seed ^ h.Sum64())
	for _, i := range index {
		state = mix(state ^ mix(i+1))
	}
	return rand.New(rand.NewPCG(state, mix(state^0x9e3779b97f4a7c15)))
}

// mix is the finaliser of splitmix64 (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
