/* The bytes that the lanes of a wave access together: up to 16 for each lane, at base + at[lane].
 * Rows of registers are their transpose: row k has dword k of every lane. */
#ifndef MX_LANE_BYTES_H
#define MX_LANE_BYTES_H

#include <string.h>

#include "wave.h"

typedef uint32_t mx_quad __attribute__((vector_size(16)));

struct mx_lane_bytes {
	uint64_t lanes;     /* that take part */
	const uint64_t *at; /* for each lane; [from, to) has the bytes of all that take part */
	unsigned bytes;     /* of a lane: 1, 2, 4, 8, 12 or 16 */
	uint64_t from, to;
};

/* `base` is the address of LDS, say, or 0 where `at` has addresses. */
static inline void *mx_place(uintptr_t base, uint64_t at) {
	return (void *)(base + at);
}

/* The lanes of a mask that has all lanes of a wave: 64 or 32. 0: it has others. */
static inline unsigned mx_all_lanes(uint64_t lanes) {
	return lanes == ~0ull ? 64 : lanes == ~0u ? 32 : 0;
}

/* ---- one size, the first n lanes ---- */

static inline mx_quad mx_quad_load(const void *p) {
	mx_quad q;
	memcpy(&q, p, sizeof q);
	return q;
}

/* Four lanes of 16 bytes become four dwords of four rows, and back. */
static inline void mx_transpose(mx_quad q[4]) {
	mx_quad a = __builtin_shufflevector(q[0], q[1], 0, 4, 1, 5);
	mx_quad b = __builtin_shufflevector(q[2], q[3], 0, 4, 1, 5);
	mx_quad c = __builtin_shufflevector(q[0], q[1], 2, 6, 3, 7);
	mx_quad d = __builtin_shufflevector(q[2], q[3], 2, 6, 3, 7);
	q[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
	q[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
	q[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
	q[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

/* Quads of lanes and the four rows that have their dwords; lane_rows.c. */
void mx_rows_of_quads(mx_vreg *row, uintptr_t base, const uint64_t *at, unsigned n);
void mx_quads_of_rows(uintptr_t base, const uint64_t *at, const mx_vreg *row, unsigned n);

static inline void mx_rows_of_pairs(mx_vreg *row, uintptr_t base, const uint64_t *at, unsigned n) {
	for (unsigned l = 0; l < n; l += 4) {
		mx_quad q[2];
		for (unsigned i = 0; i < 4; i++)
			memcpy((char *)q + 8 * i, mx_place(base, at[l + i]), 8);
		mx_quad low = __builtin_shufflevector(q[0], q[1], 0, 2, 4, 6);
		mx_quad high = __builtin_shufflevector(q[0], q[1], 1, 3, 5, 7);
		memcpy(&row[0][l], &low, sizeof low);
		memcpy(&row[1][l], &high, sizeof high);
	}
}

static inline void mx_row_of_dwords(uint32_t *row, uintptr_t base, const uint64_t *at, unsigned n) {
	for (unsigned l = 0; l < n; l++)
		memcpy(&row[l], mx_place(base, at[l]), 4);
}

static inline void mx_row_to_dwords(uintptr_t base, const uint64_t *at, const uint32_t *row,
                                    unsigned n) {
	for (unsigned l = 0; l < n; l++)
		memcpy(mx_place(base, at[l]), &row[l], 4);
}

/* ---- any size and lanes ---- */

/* Bytes of a lane in row k. */
static inline unsigned mx_bytes_of_row(const struct mx_lane_bytes *x, unsigned k) {
	return x->bytes - 4 * k < 4 ? x->bytes - 4 * k : 4;
}

/* Data narrower than a dword is extended with zeros. */
static inline void mx_lane_rows(mx_vreg *row, uintptr_t base, const struct mx_lane_bytes *x) {
	unsigned n = mx_all_lanes(x->lanes), l;
	switch (n ? x->bytes : 0) {
	case 4: mx_row_of_dwords(row[0], base, x->at, n); return;
	case 8: mx_rows_of_pairs(row, base, x->at, n); return;
	case 16: mx_rows_of_quads(row, base, x->at, n); return;
	}
	MX_FOR_LANES(l, x->lanes) {
		for (unsigned k = 0; 4 * k < x->bytes; k++) {
			row[k][l] = 0;
			memcpy(&row[k][l], mx_place(base, x->at[l] + 4 * k), mx_bytes_of_row(x, k));
		}
	}
}

/* Lanes write in ascending order. */
static inline void mx_lane_rows_store(uintptr_t base, const struct mx_lane_bytes *x,
                                      const mx_vreg *row) {
	unsigned n = mx_all_lanes(x->lanes), l;
	switch (n ? x->bytes : 0) {
	case 4: mx_row_to_dwords(base, x->at, row[0], n); return;
	case 16: mx_quads_of_rows(base, x->at, row, n); return;
	}
	MX_FOR_LANES(l, x->lanes) {
		for (unsigned k = 0; 4 * k < x->bytes; k++)
			memcpy(mx_place(base, x->at[l] + 4 * k), &row[k][l], mx_bytes_of_row(x, k));
	}
}

static inline void mx_lane_bytes_set(uintptr_t base, const struct mx_lane_bytes *x, uint8_t value) {
	unsigned n = mx_all_lanes(x->lanes), l;
	if (n && x->bytes == 4)
		for (l = 0; l < n; l++)
			memset(mx_place(base, x->at[l]), value, 4);
	else if (n && x->bytes == 16)
		for (l = 0; l < n; l++)
			memset(mx_place(base, x->at[l]), value, 16);
	else
		MX_FOR_LANES(l, x->lanes) {
			memset(mx_place(base, x->at[l]), value, x->bytes);
		}
}

/* Whether any of the bytes has one of the bits of `flags`, and whether all have all. */
bool mx_lane_bytes_any(uintptr_t base, const struct mx_lane_bytes *x, uint8_t flags);
bool mx_lane_bytes_all(uintptr_t base, const struct mx_lane_bytes *x, uint8_t flags);

#endif
