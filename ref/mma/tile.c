/* Loading a tile from the registers of a wave. */
#include "tile.h"

#include <string.h>

enum { RUN = 16 }; /* elements of a lane that are consecutive in k, in all layouts */

/* The bytes of one lane's operand, registers in order, least significant byte first. */
static void lane_bytes(const uint32_t (*regs)[MX_LANES], unsigned vgprs, unsigned lane,
                       uint8_t *bytes) {
	for (unsigned i = 0; i < 4 * vgprs; i++)
		bytes[i] = regs[i / 4][lane] >> (8 * (i % 4));
}

void mx_tile_load(struct mx_tile *t, mx_shape s, mx_format f, const uint32_t (*regs)[MX_LANES],
                  const uint8_t *scale, unsigned block) {
	unsigned bits = mx_format_info(f)->bits, MN = mx_mn(s), K = mx_shape_k(s),
		 blocks = K / block, mn, k;
	uint8_t bytes[32];
	for (unsigned lane = 0; lane < MX_LANES; lane++) {
		lane_bytes(regs, mx_operand_vgprs(f), lane, bytes);
		for (unsigned first = 0; first < MX_BLOCK; first += RUN) {
			mx_place_operand(s, f, lane, first, &mn, &k);
			if (bits == 8)
				memcpy(&t->elem[mn * K + k], bytes + first, RUN);
			for (unsigned j = 0; bits < 8 && j < RUN; j++)
				t->elem[mn * K + k + j] = mx_elem_get(f, bytes, first + j);
		}
	}
	for (unsigned i = 0; i < MN * blocks; i++)
		t->scale[i % MN * blocks + i / MN].v = scale[i];
}
