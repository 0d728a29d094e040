/* Draws: columns side by side give the bits of draws one by one, anywhere. */
#include "../../cases/draw.h"
#include "../random.h"
#include "../tap.h"

#include <string.h>

static uint64_t state = 14;

/* A known answer of Philox4x32-10 [Random123 1.14, kat_vectors]: all of key and counter 0. */
static void known_answer(void) {
	struct draw d = draw_at((struct stream){ { 0 } }, DRAW_ELEMENT, 0, 0);
	const struct draw right = { { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } };
	if (!ok(!memcmp(&d, &right, sizeof d), "a draw is Philox4x32-10"))
		diag("0x%08x, must be 0x%08x", d.w[0], right.w[0]);
}

/* Below 2^32, above, and across; row and column are below 2^40. */
static size_t place(unsigned kind) {
	uint64_t r = next_random(&state);
	return kind == 0   ? r % 5000
	       : kind == 1 ? r % ((UINT64_C(1) << 40) - DRAW_LINE)
	                   : (UINT64_C(1) << 32) - r % DRAW_LINE;
}

static void side_by_side(void) {
	for (unsigned i = 0; i < 3000; i++) {
		uint64_t key = next_random(&state);
		struct stream s = { { (uint32_t)key, (uint32_t)(key >> 32) } };
		size_t row = place(i % 3), column = place(i / 3 % 3);
		int32_t got[DRAW_LINE], want[DRAW_LINE], portable[DRAW_LINE];
		bool low = column >> 32 == (column + DRAW_LINE - 1) >> 32;
		draw_normals(s, i % 4, row, column, got);
		draw_normals_plain(s, i % 4, row, column, want);
		(low ? draw_normals_portable : draw_normals_plain)(s, i % 4, row, column, portable);
		if (memcmp(got, want, sizeof got) || memcmp(portable, want, sizeof want)) {
			ok(false, "normals side by side are those one by one");
			diag("row %zu, column %zu: %d, must be %d", row, column, got[0], want[0]);
			return;
		}
	}
	ok(true, "normals side by side are those one by one");
}

static void few(void) {
	bool same = true;
	for (unsigned i = 0; same && i < 3000; i++) {
		struct stream s = { { (uint32_t)next_random(&state), i } };
		size_t row = place(i % 3), column = place(i / 3 % 3);
		struct draw got[DRAW_FEW], want[DRAW_FEW];
		size_t n = 1 + i % DRAW_FEW;
		draw_few(s, i % 4, row, column, n, got);
		draw_few_plain(s, i % 4, row, column, n, want);
		same = !memcmp(got, want, n * sizeof *got);
		if (!same)
			diag("row %zu, column %zu", row, column);
	}
	ok(same, "a few draws side by side are those one by one");
}

int main(void) {
	known_answer();
	side_by_side();
	few();
	return done_testing();
}
