/* The scaled MFMA on registers: the plain version, and the choice of a fast one. */
#include "tile.h"

void mx_mma_scaled_plain(const struct mx_mma_args *args) {
	unsigned MN = mx_shape_mn(args->shape), K = mx_shape_k(args->shape), row, col;
	unsigned blocks = K / MX_BLOCK;
	struct mx_tile a, b;
	mx_tile_load(&a, args->shape, args->fmt_a, args->a, args->scale_a);
	mx_tile_load(&b, args->shape, args->fmt_b, args->b, args->scale_b);
	for (unsigned r = 0; r < MN * MN / MX_LANES; r++)
		for (unsigned lane = 0; lane < MX_LANES; lane++) {
			mx_layout_result(args->shape, lane, r, &row, &col);
			mx_f32 d = mx_mma_dot(args->profile, args->fmt_a, args->fmt_b, K,
			                      a.elem + row * K, a.scale + row * blocks,
			                      b.elem + col * K, b.scale + col * blocks,
			                      (mx_f32){ args->c[r][lane] });
			args->d[r][lane] = d.v;
		}
}

void mx_mma_scaled(const struct mx_mma_args *args) {
	if (!mx_mma_by_floats(args) && !mx_mma_by_integers(args))
		mx_mma_scaled_plain(args);
}
