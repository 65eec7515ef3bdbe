// Labels of 0 to 255, kept in bytes: see labels.go. The file that includes this one
// defines what tile.h needs.

#define LABELS 64 // at a time: a line of bytes, and four of labels

// remember is Go's Remember. What is equal already is not written, and need not go back to memory.
TARGET void NAME(remember)(uint8_t *kept, const int32_t *label, int64_t n) {
	int64_t i = 0;
	for (; i + LABELS <= n; i += LABELS) {
		uint8_t now[LABELS], differ = 0;
		for (int r = 0; r < LABELS; r++) now[r] = (uint8_t)label[i + r];
		for (int r = 0; r < LABELS; r++) differ |= now[r] ^ kept[i + r];
		if (differ) memcpy(kept + i, now, LABELS);
	}
	for (; i < n; i++) kept[i] = (uint8_t)label[i];
}

// recall is Go's Recall.
TARGET void NAME(recall)(const uint8_t *kept, int32_t *label, int64_t n) {
	int64_t i = 0;
	for (; i + LABELS <= n; i += LABELS) {
		int32_t differ = 0;
		for (int r = 0; r < LABELS; r++) differ |= kept[i + r] ^ label[i + r];
		if (!differ) continue;
		for (int r = 0; r < LABELS; r++) label[i + r] = kept[i + r];
	}
	for (; i < n; i++) label[i] = kept[i];
}

#undef LABELS
