/* A tile: one operand of an instruction, out of the registers and in matrix order. */
#ifndef MX_TILE_H
#define MX_TILE_H

#include "../mxref.h"

enum {
	MX_TILE_ELEMS = 2048, /* MN * K of either shape */
	MX_TILE_MN = 32,      /* the larger MN */
	MX_TILE_BLOCKS = 4,   /* of the larger K */
};

struct mx_tile {
	mx_elem elem[MX_TILE_ELEMS]; /* [row of A or column of B][k] */
	mx_e8m0 scale[MX_LANES];     /* [row or column][block] */
};

void mx_tile_load(struct mx_tile *t, mx_shape s, mx_format f, const uint32_t (*regs)[MX_LANES],
                  const uint8_t *scale);

/* Two ways to do an instruction fast; mx_mma_scaled chooses. */
bool mx_mma_by_floats(const struct mx_mma_args *args);
bool mx_mma_by_integers(const struct mx_mma_args *args);

#endif
