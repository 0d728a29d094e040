/* One scaled MFMA, 16x16x128, MXFP8 by MXFP8, with two accumulation profiles: the number of
 * elements of the result that differ, and the first of them.
 *
 *   cc two_profiles.c $(pkg-config --cflags --libs mxref) -o two_profiles
 */
#include <mxref.h>
#include <stdio.h>
#include <string.h>

enum { N = 16, K = 128, BLOCKS = K / MX_BLOCK };

/* A matrix in memory: K contiguous, one code to a byte, a scale for each 32 k. */
struct matrix {
	mx_elem code[N][K];
	mx_e8m0 scale[N][BLOCKS];
};

/* Pseudorandom codes without NaN, scales from 2^-4 to 2^3. */
static void fill(struct matrix *m, uint32_t seed) {
	for (unsigned i = 0; i < N; i++)
		for (unsigned k = 0; k < K; k++) {
			seed = seed * 1664525 + 1013904223;
			uint8_t code = seed >> 24;
			m->code[i][k].v = code == 0x7F || code == 0xFF ? 0 : code;
			m->scale[i][k / MX_BLOCK].v = 123 + (seed >> 16 & 7);
		}
}

/* Loads the registers: a lane holds 32 codes, four to a register, and one scale. */
static void load(const struct matrix *m, uint32_t reg[8][MX_LANES], uint8_t scale[MX_LANES]) {
	memset(reg, 0, 8 * sizeof *reg);
	for (unsigned lane = 0; lane < MX_LANES; lane++) {
		unsigned row, k, block;
		for (unsigned j = 0; j < 32; j++) {
			mx_layout_operand(MX_16X16X128, MX_E4M3, lane, j, &row, &k);
			reg[j / 4][lane] |= (uint32_t)m->code[row][k].v << 8 * (j % 4);
		}
		mx_layout_scale(MX_16X16X128, lane, &row, &block);
		scale[lane] = m->scale[row][block].v;
	}
}

static void multiply(const char *profile, const struct matrix *a, const struct matrix *b,
                     uint32_t d[4][MX_LANES]) {
	static uint32_t ra[8][MX_LANES], rb[8][MX_LANES], c[4][MX_LANES];
	uint8_t sa[MX_LANES], sb[MX_LANES];
	load(a, ra, sa);
	load(b, rb, sb);
	struct mx_mma_args args = {
		.profile = mx_profile_by_name(profile),
		.shape = MX_16X16X128,
		.fmt_a = MX_E4M3,
		.fmt_b = MX_E4M3,
		.a = ra,
		.b = rb,
		.c = c,
		.scale_a = sa,
		.scale_b = sb,
		.d = d,
	};
	mx_mma_scaled(&args);
}

static float as_float(uint32_t bits) {
	float x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

int main(void) {
	static struct matrix a, b;
	static uint32_t x[4][MX_LANES], y[4][MX_LANES];
	unsigned differ = 0;
	fill(&a, 1);
	fill(&b, 2);
	multiply("block32", &a, &b, x);
	multiply("fused", &a, &b, y);
	for (unsigned r = 0; r < 4; r++)
		for (unsigned lane = 0; lane < MX_LANES; lane++) {
			unsigned row, col;
			mx_layout_result(MX_16X16X128, lane, r, &row, &col);
			if (x[r][lane] == y[r][lane] || differ++)
				continue;
			printf("first difference at [%u][%u]:\n", row, col);
			printf("  block32  0x%08X  %.9g\n", x[r][lane], as_float(x[r][lane]));
			printf("  fused    0x%08X  %.9g\n", y[r][lane], as_float(y[r][lane]));
		}
	printf("%u of %u elements differ\n", differ, N * N);
	return 0;
}
