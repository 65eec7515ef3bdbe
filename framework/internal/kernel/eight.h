// eight of filter.h, for both instruction sets of x86.

static inline __attribute__((always_inline)) TARGET void NAME(eight)(const int halved, float *panel, const char *const *row,
                                                                            int64_t from, int64_t n) {
	enum { STRIDE = 2 * LANES * WIDE };
	int64_t l = 0;
	for (; l < n; l += 8) {
		if (l + 8 > n && n < 8) break;
		if (l + 8 > n) l = n - 8; // some of them again
		__m256 r[8], pair[8], four[8];
		for (int t = 0; t < 8; t++)
			r[t] = halved ? _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)((const uint16_t *)row[t] + from + l)))
			              : _mm256_loadu_ps((const float *)row[t] + from + l);
		for (int t = 0; t < 8; t += 2) pair[t] = _mm256_unpacklo_ps(r[t], r[t + 1]), pair[t + 1] = _mm256_unpackhi_ps(r[t], r[t + 1]);
		for (int t = 0; t < 8; t += 4) {
			four[t] = _mm256_shuffle_ps(pair[t], pair[t + 2], 0x44), four[t + 1] = _mm256_shuffle_ps(pair[t], pair[t + 2], 0xee);
			four[t + 2] = _mm256_shuffle_ps(pair[t + 1], pair[t + 3], 0x44), four[t + 3] = _mm256_shuffle_ps(pair[t + 1], pair[t + 3], 0xee);
		}
		float *to = panel + l * STRIDE;
		for (int t = 0; t < 4; t++) {
			_mm256_storeu_ps(to + t * STRIDE, _mm256_permute2f128_ps(four[t], four[t + 4], 0x20));
			_mm256_storeu_ps(to + (t + 4) * STRIDE, _mm256_permute2f128_ps(four[t], four[t + 4], 0x31));
		}
	}
	for (; l < n; l++)
		for (int t = 0; t < 8; t++)
			panel[l * STRIDE + t] = halved ? F_CELL((const uint16_t *)row[t] + from + l) : ((const float *)row[t])[from + l];
}
