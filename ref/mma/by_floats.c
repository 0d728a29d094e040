/* The scaled MFMA in host floating point, for formats and profiles of which
 * every step except the last is exact.
 *
 * Every element is a multiple of its format's smallest subnormal u, at most
 * 2^width u. So the products of a block and all partial sums of them are
 * multiples of ua * ub below 2^(width_a + width_b + 5), and a float (24 bits) or
 * a double (53 bits) of at least so many bits adds them without rounding, in
 * any order, contracted into FMAs or not. The scales are powers of two: the
 * scaled dot lies between 2^-286 and 2^291, inside the doubles.
 *
 * Accumulator + dot is then rounded once to odd in double, and to nearest in
 * f32. Rounding to odd first is harmless if the wider format has two bits more
 * than the narrower one; here it has 29 more, and still more for f32 subnormals.
 * An inexact odd last bit keeps the value between the same f32 and on the same
 * side of the tie [Boldo and Melquiond, Emulation of FMA, 2008].
 *
 * Infinity, NaN and the sign of zero follow IEEE addition and multiplication, as
 * mxref.h requires; only the payload of a NaN is set. Sums start at -0, because
 * +0 would change the sign of a sum of -0s.
 *
 * This requires nearest even without flush to zero. A host program may set its
 * threads differently (-ffast-math does), so that is checked each time. */
#include "tile.h"
#include "values.h"
#include "../num/cpu.h"

enum { RUN = 16, ROWS = 4 }; /* items of a lane that are consecutive in k; rows computed together */

INLINE void load_values(mx_shape s, mx_format f, const uint32_t (*regs)[MX_LANES], float *value) {
	const struct mx_format_info *t = mx_format_info(f);
	unsigned MN = mx_mn(s), mn, k;
	for (unsigned lane = 0; lane < MX_LANES; lane += STRIP)
		for (unsigned first = 0; first < MX_BLOCK; first += RUN) {
			mx_place_item(s, t->bits, lane, first, &mn, &k);
			for (unsigned j = first; j < first + RUN; j++, k++) {
				floats x = strip_values(t, strip_codes(t->bits, regs, lane, j));
				memcpy(value + k * MN + mn, &x, sizeof x);
			}
		}
}

static void load_scales(mx_shape s, const uint8_t *code, double (*scale)[MX_TILE_MN]) {
	for (unsigned lane = 0; lane < MX_LANES; lane++) {
		unsigned mn, block;
		mx_place_scale(s, lane, &mn, &block);
		mx_f32 value = mx_e8m0_to_f32((mx_e8m0){ code[lane] });
		float x;
		memcpy(&x, &value, sizeof x);
		scale[block][mn] = x;
	}
}

/* Dots of ROWS rows of A with a strip of B over one block, in type T. */
#define DOTS(T)                                                                                    \
	INLINE void dots_##T(unsigned MN, const float *a, const float *b, doubles dot[ROWS]) {     \
		VECTOR(T) sum[ROWS];                                                               \
		for (unsigned i = 0; i < ROWS; i++)                                                \
			sum[i] = -(VECTOR(T)){ 0 };                                                \
		for (unsigned k = 0; k < MX_BLOCK; k++) {                                          \
			floats strip;                                                              \
			memcpy(&strip, b + k * MN, sizeof strip);                                  \
			for (unsigned i = 0; i < ROWS; i++)                                        \
				sum[i] += (T)a[k * MN + i] *                                       \
				          __builtin_convertvector(strip, VECTOR(T));               \
		}                                                                                  \
		for (unsigned i = 0; i < ROWS; i++)                                                \
			dot[i] = __builtin_convertvector(sum[i], doubles);                         \
	}
DOTS(float)
DOTS(double)

/* x + y rounded to odd: the nearest double or, if that is even and not exact, its
 * neighbour on the error's side. The error of a sum is a double and these
 * differences are exact [Knuth, TAOCP 4.2.2, theorem B]. With infinities it is
 * NaN, and the sum stays. */
INLINE void add_to_odd(doubles *x, const doubles *y) {
	doubles sum = *x + *y, part = sum - *x;
	doubles error = (*x - (sum - part)) + (*y - part);
	*x = to_odd(sum, error);
}

struct operands {
	float a[MX_TILE_ELEMS], b[MX_TILE_ELEMS]; /* [k][row or column] */
	double sa[MX_TILE_BLOCKS][MX_TILE_MN], sb[MX_TILE_BLOCKS][MX_TILE_MN];
};

INLINE void add_blocks(const struct operands *x, mx_shape s, bool fits_float, unsigned row,
                       unsigned col, floats acc[ROWS]) {
	unsigned MN = mx_mn(s);
	for (unsigned block = 0; block < MX_LANES / MN; block++) {
		unsigned at = block * MX_BLOCK * MN;
		const float *a = x->a + at + row, *b = x->b + at + col;
		doubles dot[ROWS], sb;
		if (fits_float)
			dots_float(MN, a, b, dot);
		else
			dots_double(MN, a, b, dot);
		memcpy(&sb, x->sb[block] + col, sizeof sb);
		for (unsigned i = 0; i < ROWS; i++) {
			doubles c = __builtin_convertvector(acc[i], doubles);
			dot[i] *= x->sa[block][row + i] * sb;
			add_to_odd(&dot[i], &c);
			acc[i] = __builtin_convertvector(dot[i], floats);
		}
	}
}

/* Registers r to r + ROWS - 1 of a result are consecutive rows. */
INLINE void strips(const struct mx_mma_args *g, const struct operands *x, mx_shape s,
                   bool fits_float) {
	unsigned row, col;
	for (unsigned r = 0; r < mx_results(s); r += ROWS)
		for (unsigned lane = 0; lane < MX_LANES; lane += STRIP) {
			floats acc[ROWS];
			for (unsigned i = 0; i < ROWS; i++)
				memcpy(&acc[i], &g->c[r + i][lane], sizeof *acc);
			mx_place_result(s, lane, r, &row, &col);
			add_blocks(x, s, fits_float, row, col, acc);
			for (unsigned i = 0; i < ROWS; i++) {
				words nan = (words)(acc[i] != acc[i]);
				words d = ((words)acc[i] & ~nan) | (nan & MX_F32_NAN);
				memcpy(&g->d[r + i][lane], &d, sizeof d);
			}
		}
}

/* The bits of a sum of products of a block. */
static unsigned bits_of_sum(const struct mx_mma_args *g) {
	return mx_width(g->fmt_a) + mx_width(g->fmt_b) + 5;
}

INLINE void run(const struct mx_mma_args *g) {
	bool fits_float = bits_of_sum(g) <= 24;
	struct operands x;
	load_values(g->shape, g->fmt_a, g->a, x.a);
	load_values(g->shape, g->fmt_b, g->b, x.b);
	load_scales(g->shape, g->scale_a, x.sa);
	load_scales(g->shape, g->scale_b, x.sb);
	if (g->shape == MX_16X16X128)
		strips(g, &x, MX_16X16X128, fits_float);
	else
		strips(g, &x, MX_32X32X64, fits_float);
}

static void run_portable(const struct mx_mma_args *g) {
	run(g);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void run_avx2(const struct mx_mma_args *g) {
	run(g);
}
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) static void
run_avx512(const struct mx_mma_args *g) {
	run(g);
}

static void (*best(void))(const struct mx_mma_args *) {
	if (mx_cpu_has(MX_CPU_V4))
		return run_avx512;
	return mx_cpu_has(MX_CPU_V3) ? run_avx2 : run_portable;
}

/* MXCSR but for its flags: all exceptions masked, to nearest, subnormals kept. */
bool mx_environment_is_ieee(void) {
	enum { FLAGS = 0x3f, DEFAULT = 0x1f80 };
	return (__builtin_ia32_stmxcsr() & ~FLAGS) == DEFAULT;
}
#else
static void (*best(void))(const struct mx_mma_args *) {
	return run_portable;
}

/* Subnormal results are kept; 1 plus a quarter ulp is 1, and 1 plus three quarters is more. */
bool mx_environment_is_ieee(void) {
	volatile float least = 0x1p-126f, one = 1;
	return least / 2 > 0 && one + 0x1p-25f == one && one + 0x3p-25f > one;
}
#endif

bool mx_mma_by_floats(const struct mx_mma_args *g) {
	if (g->profile->align || g->profile->group != MX_BLOCK || bits_of_sum(g) > 53 ||
	    !mx_scales_are_e8m0(g) || !mx_environment_is_ieee())
		return false;
	best()(g);
	return true;
}
