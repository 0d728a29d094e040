/* The dense MFMAs on registers: each result is one dot, by integers, FMAs or a profile. */
#include "dense.h"
#include "step.h"
#include "tile.h"
#include "../num/number.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

enum { MAX_K = 64, OPERAND_VGPRS = 4 };
#define F64_SIGN (UINT64_C(1) << 63)
#define F64_NAN  UINT64_C(0x7FF8000000000000)

/* ---- items ---- */

static unsigned bits_of_item(unsigned vgprs, unsigned items) {
	return 32 * vgprs / items;
}

uint64_t mx_get_item(const uint32_t (*regs)[MX_LANES], unsigned bits, unsigned lane,
                     unsigned item) {
	unsigned at = bits * item / 32, shift = bits * item % 32;
	uint64_t x = regs[at][lane];
	if (shift + bits > 32)
		x |= (uint64_t)regs[at + 1][lane] << 32;
	return x >> shift & (UINT64_MAX >> (64 - bits));
}

/* Results are 32 or 64 bits wide. */
static void set_item(uint32_t (*regs)[MX_LANES], unsigned bits, unsigned lane, unsigned item,
                     uint64_t v) {
	regs[bits * item / 32][lane] = v;
	if (bits == 64)
		regs[2 * item + 1][lane] = v >> 32;
}

/* ---- broadcast: the lane that an operand's lane is read from [ISA 7.1.6] ---- */

static unsigned lane_of_a(const struct mx_dense_args *g, unsigned lane) {
	unsigned size = MX_LANES >> g->cbsz;
	return g->op->d == MX_T_F64 ? lane : lane % size + size * g->abid;
}

static unsigned lane_of_b(const struct mx_dense_args *g, unsigned lane) {
	if (g->op->d == MX_T_F64)
		return lane;
	switch (g->blgp) {
	case 1: return lane % 32;
	case 2: return lane % 32 + 32;
	case 3: return (lane + 16) % 64;
	case 4:
	case 5:
	case 6:
	case 7: return lane % 16 + 16 * (g->blgp - 4);
	}
	return lane;
}

/* Both operands as [block * M + row or column][k]. */
struct operands {
	uint64_t a[MX_LANES][MAX_K], b[MX_LANES][MAX_K];
};

static void load(struct operands *x, const struct mx_dense_args *g) {
	const struct mx_dense *op = g->op;
	unsigned items = mx_dense_operand_items(op), block, mn, k;
	unsigned bits = bits_of_item(mx_dense_operand_vgprs(op), items);
	for (unsigned lane = 0; lane < MX_LANES; lane++)
		for (unsigned i = 0; i < items; i++) {
			mx_dense_operand(op, lane, i, &block, &mn, &k);
			x->a[block * op->m + mn][k] =
				mx_get_item(g->a, bits, lane_of_a(g, lane), i);
			x->b[block * op->m + mn][k] =
				mx_get_item(g->b, bits, lane_of_b(g, lane), i);
		}
}

/* ---- dots by type ---- */

static int64_t integer(mx_type t, uint64_t code) {
	switch (t) {
	case MX_T_U4:
	case MX_T_U8: return (int64_t)code;
	case MX_T_I4: return (int64_t)(code << 60) >> 60;
	default: return (int8_t)code;
	}
}

static uint64_t dot_integers(const struct mx_dense_args *g, const uint64_t *a, const uint64_t *b,
                             uint64_t c) {
	int64_t sum = (int32_t)c;
	for (unsigned k = 0; k < g->op->k; k++)
		sum += integer(g->op->a, a[k]) * integer(g->op->b, b[k]);
	if (g->clamp || g->profile->over)
		sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
	return (uint32_t)sum;
}

/* A chain of FMAs: the host's, in the environment that mx_mma_dense() sets. */
static uint64_t chain_f64(unsigned K, const uint64_t *a, const uint64_t *b, uint64_t c) {
	double x, y, sum;
	memcpy(&sum, &c, sizeof sum);
	for (unsigned k = 0; k < K; k++) {
		memcpy(&x, &a[k], sizeof x);
		memcpy(&y, &b[k], sizeof y);
		sum = fma(x, y, sum);
	}
	memcpy(&c, &sum, sizeof c);
	return isnan(sum) ? F64_NAN : c;
}

static uint64_t dot_f64(const struct mx_dense_args *g, const uint64_t *a, const uint64_t *b,
                        uint64_t c) {
	uint64_t x[MAX_K], y[MAX_K];
	for (unsigned k = 0; k < g->op->k; k++) {
		x[k] = a[k] ^ (g->blgp & 1 ? F64_SIGN : 0);
		y[k] = b[k] ^ (g->blgp & 2 ? F64_SIGN : 0);
	}
	c ^= g->blgp & 4 ? F64_SIGN : 0;
	if (g->profile->group == 1 && mx_profile_is_basic(g->profile))
		return chain_f64(g->op->k, x, y, c);
	return mx_dot_f64(g->profile, g->op->k, x, y, c);
}

const struct mx_format_info *mx_type_info(mx_type t) {
	switch (t) {
	case MX_T_F32: return &mx_types[MX_TYPE_FP32];
	case MX_T_F16: return &mx_types[MX_TYPE_FP16];
	case MX_T_BF16: return &mx_types[MX_TYPE_BF16];
	case MX_T_BF8: return &mx_types[MX_TYPE_E5M2];
	default: return &mx_types[MX_TYPE_E4M3];
	}
}

struct pairs {
	const struct mx_format_info *ta, *tb;
	const uint64_t *a, *b;
};

static struct mx_term product_of(const mx_profile *p, const void *of, unsigned k) {
	const struct pairs *x = of;
	return mx_term_product(p, mx_term_of_code(x->ta, (uint32_t)x->a[k]),
	                       mx_term_of_code(x->tb, (uint32_t)x->b[k]));
}

static uint64_t dot_profile(const struct mx_dense_args *g, const uint64_t *a, const uint64_t *b,
                            uint64_t c) {
	struct pairs x = { mx_type_info(g->op->a), mx_type_info(g->op->b), a, b };
	return mx_dot_steps(g->profile, g->op->k, product_of, &x, (mx_f32){ c }, g->clamp).v;
}

uint64_t mx_dense_dot(const struct mx_dense_args *g, const uint64_t *a, const uint64_t *b,
                      uint64_t c) {
	switch (g->op->a) {
	case MX_T_I4:
	case MX_T_U4:
	case MX_T_I8:
	case MX_T_U8: return dot_integers(g, a, b, c);
	case MX_T_F64: return dot_f64(g, a, b, c);
	default: return dot_profile(g, a, b, c);
	}
}

/* ---- by alignment ---- */

void mx_dense_factors(const mx_profile *p, mx_type t, unsigned n, const uint64_t *codes,
                      struct mx_term *factors) {
	for (unsigned i = 0; i < n; i++)
		factors[i] =
			mx_term_element(p, mx_term_of_code(mx_type_info(t), (uint32_t)codes[i]));
}

/* C of a block by row and column, or D back to the registers. */
static void move_block(const struct mx_dense_args *g, unsigned block, mx_tile_results x,
                       bool back) {
	unsigned in, row, col;
	for (unsigned i = 0; i < mx_dense_result_items(g->op); i++)
		for (unsigned lane = 0; lane < MX_LANES; lane++) {
			mx_dense_result(g->op, lane, i, &in, &row, &col);
			if (in == block && back)
				g->d[i][lane] = x[row][col];
			else if (in == block)
				x[row][col] = g->c[i][lane];
		}
}

/* For profiles that align; false if it does not apply. */
static bool by_alignment(const struct mx_dense_args *g) {
	const struct mx_dense *op = g->op;
	bool by_profile = op->d == MX_T_F32 && op->a != MX_T_F32;
	struct mx_term a[MX_TILE_ELEMS], b[MX_TILE_ELEMS];
	struct mx_factors x = { g->profile, op->m, op->k, a, b, g->clamp };
	struct operands codes;
	mx_tile_results c, d;
	if (!by_profile || !g->profile->align || op->m < 16)
		return false;
	load(&codes, g);
	for (unsigned block = 0; block < op->blocks; block++) {
		for (unsigned i = 0, at = block * op->m; i < op->m; i++, at++) {
			mx_dense_factors(g->profile, op->a, op->k, codes.a[at], a + i * op->k);
			mx_dense_factors(g->profile, op->b, op->k, codes.b[at], b + i * op->k);
		}
		move_block(g, block, c, false);
		mx_factors_products(&x, (const uint32_t(*)[MX_TILE_MN])c, d);
		move_block(g, block, d, true);
	}
	return true;
}

/* ---- the instruction ---- */

/* The results with a bit in lanes[item], one by one. */
static void some_plain(const struct mx_dense_args *g, const uint64_t *lanes) {
	const struct mx_dense *op = g->op;
	unsigned items = mx_dense_result_items(op), block, row, col;
	unsigned bits = bits_of_item(mx_dense_result_vgprs(op), items);
	struct operands x;
	load(&x, g);
	for (unsigned lane = 0; lane < MX_LANES; lane++)
		for (unsigned i = 0; i < items; i++) {
			if (!(lanes[i] >> lane & 1))
				continue;
			mx_dense_result(op, lane, i, &block, &row, &col);
			uint64_t c = mx_get_item(g->c, bits, lane, i);
			set_item(g->d, bits, lane, i,
			         mx_dense_dot(g, x.a[block * op->m + row], x.b[block * op->m + col],
			                      c));
		}
}

static void run_plain(const void *args) {
	static const uint64_t all[MX_DENSE_RESULTS] = { [0 ... MX_DENSE_RESULTS - 1] = UINT64_MAX };
	some_plain(args, all);
}

typedef uint32_t operand_regs[OPERAND_VGPRS][MX_LANES];

/* An operand after broadcast: itself, or a copy. */
static const uint32_t (*broadcast(const struct mx_dense_args *g, const uint32_t (*regs)[MX_LANES],
                                  unsigned (*lane_of)(const struct mx_dense_args *, unsigned),
                                  operand_regs copy))[MX_LANES] {
	if (!g->cbsz && !g->blgp)
		return regs;
	for (unsigned r = 0; r < mx_dense_operand_vgprs(g->op); r++)
		for (unsigned lane = 0; lane < MX_LANES; lane++)
			copy[r][lane] = regs[r][lane_of(g, lane)];
	return (const uint32_t(*)[MX_LANES])copy;
}

static void run(const void *args) {
	const struct mx_dense_args *g = args;
	uint64_t again[MX_DENSE_RESULTS] = { 0 }, any = 0;
	operand_regs a, b;
	struct mx_products products = { .op = g->op,
		                        .profile = g->profile,
		                        .a = broadcast(g, g->a, lane_of_a, a),
		                        .b = broadcast(g, g->b, lane_of_b, b),
		                        .c = g->c,
		                        .d = g->d,
		                        .clamp = g->clamp,
		                        .lanes = MX_LANES,
		                        .run_a = mx_dense_operand_items(g->op),
		                        .run_b = mx_dense_operand_items(g->op) };
	bool done = mx_products_by_aligned_doubles(&products, again);
	if (!done && by_alignment(g))
		return;
	if (!done && !(mx_profile_is_basic(g->profile) && mx_mma_by_doubles(&products, again))) {
		run_plain(g);
		return;
	}
	for (unsigned i = 0; i < MX_DENSE_RESULTS; i++)
		any |= again[i];
	if (any)
		some_plain(g, again);
}

static bool is_possible(mx_type a, const mx_profile *p) {
	return (a != MX_T_F32 && a != MX_T_F64) || (!p->align && (a == MX_T_F32 || !p->bits));
}

mx_status mx_check_profile_for(mx_type a, const mx_profile *p) {
	mx_status status = mx_profile_check(p);
	return !status && !is_possible(a, p) ? MX_BAD_PROFILE : status;
}

static mx_status check(const struct mx_dense_args *g) {
	if (!g || !g->op || !g->a || !g->b || !g->c || !g->d || !g->profile)
		return MX_BAD_POINTER;
	if (g->blgp > 7 || (g->op->d != MX_T_F64 && (g->cbsz > 4 || 1u << g->cbsz > g->op->blocks ||
	                                             g->abid >= 1u << g->cbsz)))
		return MX_BAD_OPTION;
	return mx_check_profile_for(g->op->a, g->profile);
}

/* The thread's rounding mode and flush to zero must have no effect. The volatile pointer keeps
 * the compiler from moving floating-point operations across the calls of fesetenv(). */
void mx_in_default_environment(void (*f)(const void *), const void *args) {
	void (*volatile body)(const void *) = f;
	fenv_t environment;
	if (mx_environment_is_ieee()) {
		body(args);
		return;
	}
	fegetenv(&environment);
	fesetenv(FE_DFL_ENV);
	body(args);
	fesetenv(&environment);
}

mx_status mx_mma_dense(const struct mx_dense_args *args) {
	mx_status status = check(args);
	if (!status)
		mx_in_default_environment(run, args);
	return status;
}

mx_status mx_mma_dense_plain(const struct mx_dense_args *args) {
	mx_status status = check(args);
	if (!status)
		mx_in_default_environment(run_plain, args);
	return status;
}

const mx_profile *mx_dense_profile(const struct mx_dense *op, const mx_profile *p) {
	if (!op || !p)
		return NULL;
	const mx_profile *known = p->name ? mx_profile_by_name(p->name) : NULL;
	bool half = op->a == MX_T_F16 || op->a == MX_T_BF16,
	     wide = op->a == MX_T_F32 || op->a == MX_T_F64;
	if (wide && (known || !is_possible(op->a, p)))
		return mx_profile_by_name("fma32");
	return half && known && !strcmp(p->name, "cdna3") ? mx_profile_by_name("cdna3_half") : p;
}
