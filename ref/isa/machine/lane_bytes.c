/* The bytes that the lanes of a wave access together: tests of their states. */
#include "lane_bytes.h"

/* The union of the bytes of all lanes, each xor `flip`. Several sums, so that no load waits for the
 * one before it. */
static uint64_t any_of_quads(uintptr_t base, const uint64_t *at, unsigned n, mx_quad flip) {
	mx_quad any[4] = { { 0 } };
	for (unsigned l = 0; l < n; l += 4)
		for (unsigned i = 0; i < 4; i++)
			any[i] |= mx_quad_load(mx_place(base, at[l + i])) ^ flip;
	any[0] |= any[1] | any[2] | any[3];
	return (any[0][0] | any[0][2]) | (uint64_t)(any[0][1] | any[0][3]) << 32;
}

static uint64_t any_of_pairs(uintptr_t base, const uint64_t *at, unsigned n, uint64_t flip) {
	uint64_t any[2] = { 0 }, v;
	for (unsigned l = 0; l < n; l++) {
		memcpy(&v, mx_place(base, at[l]), 8);
		any[l % 2] |= v ^ flip;
	}
	return any[0] | any[1];
}

static uint64_t any_of_dwords(uintptr_t base, const uint64_t *at, unsigned n, uint32_t flip) {
	uint32_t any[2] = { 0 }, v;
	for (unsigned l = 0; l < n; l++) {
		memcpy(&v, mx_place(base, at[l]), 4);
		any[l % 2] |= v ^ flip;
	}
	return any[0] | any[1];
}

static uint64_t any_of_bytes(uintptr_t base, const struct mx_lane_bytes *x, uint8_t flip) {
	uint8_t any = 0;
	unsigned l;
	MX_FOR_LANES(l, x->lanes) {
		const uint8_t *p = mx_place(base, x->at[l]);
		for (unsigned i = 0; i < x->bytes; i++)
			any |= p[i] ^ flip;
	}
	return any;
}

static uint64_t any_of(uintptr_t base, const struct mx_lane_bytes *x, uint8_t flip) {
	uint32_t dword = flip * 0x01010101u;
	unsigned n = mx_all_lanes(x->lanes);
	if (n && x->bytes == 16)
		return any_of_quads(base, x->at, n, (mx_quad){ dword, dword, dword, dword });
	if (n && x->bytes == 8)
		return any_of_pairs(base, x->at, n, dword | (uint64_t)dword << 32);
	if (n && x->bytes == 4)
		return any_of_dwords(base, x->at, n, dword);
	return any_of_bytes(base, x, flip);
}

bool mx_lane_bytes_any(uintptr_t base, const struct mx_lane_bytes *x, uint8_t flags) {
	return any_of(base, x, 0) & flags * 0x0101010101010101u;
}

bool mx_lane_bytes_all(uintptr_t base, const struct mx_lane_bytes *x, uint8_t flags) {
	return !(any_of(base, x, flags) & flags * 0x0101010101010101u);
}
