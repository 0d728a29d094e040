/* Loading a tile from the registers of a wave. */
#include "tile.h"

/* The bytes of one lane's operand, registers in order, least significant byte first. */
static void lane_bytes(const uint32_t (*regs)[MX_LANES], unsigned vgprs, unsigned lane,
                       uint8_t *bytes) {
	for (unsigned i = 0; i < 4 * vgprs; i++)
		bytes[i] = regs[i / 4][lane] >> (8 * (i % 4));
}

void mx_tile_load(struct mx_tile *t, mx_shape s, mx_format f, const uint32_t (*regs)[MX_LANES],
                  const uint8_t *scale, unsigned block) {
	unsigned MN = mx_mn(s), K = mx_shape_k(s), blocks = K / block, mn, k;
	uint8_t bytes[32];
	for (unsigned lane = 0; lane < MX_LANES; lane++) {
		lane_bytes(regs, mx_operand_vgprs(f), lane, bytes);
		for (unsigned j = 0; j < MX_BLOCK; j++) {
			mx_place_operand(s, f, lane, j, &mn, &k);
			t->elem[mn * K + k] = mx_elem_get(f, bytes, j);
		}
	}
	for (unsigned i = 0; i < MN * blocks; i++)
		t->scale[i % MN * blocks + i / MN].v = scale[i];
}
