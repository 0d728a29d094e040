/* Every scalar and vector ALU opcode on edge-case operands, against the manual's definitions in
 * vector.def and salu.def. */
#include "define_int.h"
#include "machine_test.h"

#include <math.h>

enum { LANES = 64, MOST_DWORDS = 20 };

/* ---- functions that the definitions use ---- */

#define SIGN 0x80000000u

static float f(uint32_t u) {
	float x;
	memcpy(&x, &u, 4);
	return x;
}

static uint32_t bits(float x) {
	uint32_t u;
	memcpy(&u, &x, 4);
	return u;
}

static bool is_nan(uint32_t u) {
	return (u & 0x7fffffff) > 0x7f800000;
}

/* A float result. The manual does not define NaN results; assumed: the first NaN source made quiet,
 * otherwise 0x7fc00000. Missing sources are 0. */
static uint32_t F(float value, uint32_t x, uint32_t y, uint32_t z) {
	uint32_t nan = is_nan(x) ? x : is_nan(y) ? y : is_nan(z) ? z : 0x7fc00000;
	return isnan(value) ? nan | 0x400000 : bits(value);
}

/* Rounds by comparing with both neighbours in exact arithmetic. */
static uint32_t bf16(uint32_t u) {
	uint32_t low = u & 0xffff0000;
	if (is_nan(u))
		return u >> 16 | 0x40;
	if (u % 0x10000 == 0x8000)
		return (low >> 16) + (low >> 16 & 1);
	return (low >> 16) + (u % 0x10000 > 0x8000);
}

/* Rounds toward zero and saturates; NaN becomes 0. */
static int64_t truncated(double x, double least, double most) {
	return isnan(x) ? 0 : (int64_t)fmin(fmax(trunc(x), least), most);
}

static int64_t low24(uint32_t u) {
	return (int64_t)(u % 0x1000000) - (u & 0x800000 ? 0x1000000 : 0);
}

static uint32_t reversed(uint32_t u) {
	uint32_t r = 0;
	for (int i = 0; i < 32; i++)
		r |= (u >> i & 1) << (31 - i);
	return r;
}

static uint32_t leading_zeros(uint32_t u) {
	uint32_t n = 0;
	while (n < 32 && !(u << n & SIGN))
		n++;
	return n < 32 ? n : -1u;
}

/* The number of leading bits equal to the sign; -1 if all are equal. */
static uint32_t leading_like_sign(uint64_t u, unsigned size) {
	for (unsigned i = 1; i < size; i++)
		if ((u >> (size - 1 - i) & 1) != (u >> (size - 1) & 1))
			return i;
	return -1u;
}

static uint64_t quads(uint64_t u) {
	uint64_t r = 0;
	for (unsigned i = 0; i < 16; i++)
		if (u >> 4 * i & 15)
			r |= 1ull << i;
	return r;
}

static uint64_t whole_quads(uint64_t u) {
	for (unsigned i = 0; i < 64; i += 4)
		if (u >> i & 15)
			u |= 15ull << i;
	return u;
}

static uint32_t count(uint32_t u) {
	uint32_t n = 0;
	for (; u; u /= 2)
		n += u % 2;
	return n;
}

static uint64_t field(uint64_t u, unsigned offset, unsigned width) {
	return (uint64_t)((unsigned __int128)(u >> offset) & (((unsigned __int128)1 << width) - 1));
}

/* A field of a number with unlimited sign extension. Its sign is its top bit, or the number's if
 * the field reaches beyond the number. */
static uint64_t signed_bits(uint64_t u, unsigned offset, unsigned width, unsigned size) {
	__int128 v = (__int128)(int64_t)u >> offset;
	if (width > size - offset)
		width = size - offset;
	__int128 modulus = (__int128)1 << width, part = v & (modulus - 1);
	return (uint64_t)(width && part >> (width - 1) ? part - modulus : part);
}

static uint32_t signed_field(uint32_t u, unsigned offset, unsigned width) {
	return (uint32_t)signed_bits((uint64_t)(int32_t)u, offset, width, 32);
}

static uint32_t sorted_u(uint32_t a, uint32_t b, uint32_t c, int place) {
	uint32_t v[3] = { a, b, c };
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 2; j++)
			if (v[j] > v[j + 1]) {
				uint32_t t = v[j];
				v[j] = v[j + 1];
				v[j + 1] = t;
			}
	return v[place];
}

static uint32_t sorted_i(uint32_t a, uint32_t b, uint32_t c, int place) {
	return sorted_u(a ^ SIGN, b ^ SIGN, c ^ SIGN, place) ^ SIGN;
}

static uint32_t permuted(uint32_t a, uint32_t b, uint32_t selectors) {
	uint8_t in[8], out[4];
	uint32_t d;
	memcpy(in, &b, 4);
	memcpy(in + 4, &a, 4);
	for (int i = 0; i < 4; i++) {
		unsigned s = selectors >> 8 * i & 0xff;
		if (s >= 13)
			out[i] = 0xff;
		else if (s == 12)
			out[i] = 0;
		else if (s >= 8)
			out[i] = in[2 * (s - 8) + 1] > 127 ? 0xff : 0;
		else
			out[i] = in[s];
	}
	memcpy(&d, out, 4);
	return d;
}

/* ---- operands ---- */

static const uint32_t interesting[] = {
	0,          1,          2,          31,         32,         63,         0x80,
	0xff,       0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffff,   0x800000,
	0xffffff,   0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x55555555,
	0xaaaaaaaa, 0x01020304, 0x0c0d0807, 0x090a0b06, 0x00080010, 0x00200004, 0x0040003f,
	0x00000001, 0x00800000, 0x3f800000, 0xbf800000, 0x3f808000, 0x3f818000, 0x7f7fffff,
	0x7f7f8000, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f812345, 0xffc54321, 0x4f000000,
	0x4effffff, 0x4f800000, 0x4f7fffff, 0xcf000000, 0xcf000001, 0xbf7fffff, 0x3f000000,
	0x33800000, 0x00400000, 0x807fffff,
};
enum { INTERESTING = sizeof interesting / sizeof *interesting };

static uint64_t seed = 950;

static uint32_t operand(void) {
	uint64_t r = next_random(&seed);
	return r % 4 ? interesting[(r >> 8) % INTERESTING] : (uint32_t)(r >> 32);
}

/* ---- vector ---- */

typedef enum { NONE, VCC, SDST, X, SX, S18 } mask_result;

/* The names that a statement of valu.def uses. */
struct lane {
	unsigned lane, first;
	uint32_t a, b, c, d, s;
	uint64_t A, B, C, S, D, vcc_in, exec;
	bool vcc, s20, wide;
	uint32_t out;
	const uint32_t *v2_of;
};

#define D(value)                                                                                   \
	do {                                                                                       \
		D_ = (value);                                                                      \
		wide = true;                                                                       \
	} while (0)
/* DPP: a source lane that is out of range or inactive gives 0 or keeps d. */
#define MOVED(in_range, source, zero, result)                                                      \
	unsigned from = (in_range) ? (source) : 64;                                                \
	bool valid = from < 64 && exec >> from & 1;                                                \
	uint32_t v = valid ? v2_of[from] : 0;                                                      \
	if (valid || zero)                                                                         \
	d = result
#define MIRRORED                                                                                   \
	(exec >> (lane / 8 * 8 + 7 - lane % 8) & 1 ? v2_of[lane / 8 * 8 + 7 - lane % 8] : 0)
/* The statement with other sources. */
#define WITH(p, q, ...)                                                                            \
	const uint32_t p_ = (uint32_t)(p), q_ = (uint32_t)(q);                                     \
	{                                                                                          \
		const uint32_t a = p_, b = q_;                                                     \
		(void)a, (void)b;                                                                  \
		__VA_ARGS__;                                                                       \
	}                                                                                          \
	(void)p_
#define ROW(text, dwords, result, ...) VROW(FAMILY, __LINE__, __VA_ARGS__)
#define VROW(family, line, ...)        VROW_(family, line, __VA_ARGS__)
#define VROW_(family, line, ...)                                                                   \
	static void v_##family##line(struct lane *x) {                                             \
		const unsigned lane = x->lane, first = x->first;                                   \
		const uint32_t a = x->a, b = x->b, c = x->c, s = x->s, *v2_of = x->v2_of;          \
		const uint64_t A = x->A, B = x->B, C = x->C, S = x->S;                             \
		const uint64_t vcc_in = x->vcc_in, exec = x->exec;                                 \
		const bool vcc = x->vcc, s20 = x->s20;                                             \
		uint32_t d = x->d, out = 0;                                                        \
		uint64_t D_ = 0;                                                                   \
		bool wide = false;                                                                 \
		(void)lane, (void)first, (void)a, (void)b, (void)c, (void)s, (void)v2_of;          \
		(void)A, (void)B, (void)C, (void)S, (void)vcc_in, (void)exec, (void)vcc;           \
		(void)s20;                                                                         \
		__VA_ARGS__;                                                                       \
		x->d = wide ? (uint32_t)D_ : d;                                                    \
		x->D = wide ? D_ >> 32 : 0;                                                        \
		x->wide = wide;                                                                    \
		x->out = out;                                                                      \
	}
#include "vector.def"
#undef D

#define UNPACK(...)                                __VA_ARGS__
#define COUNT(...)                                 (sizeof((uint32_t[]){ __VA_ARGS__ }) / 4)
#define ROW(text, dwords, result, ...)             VENTRY(FAMILY, __LINE__, text, dwords, result)
#define VENTRY(family, line, text, dwords, result) VENTRY_(family, line, text, dwords, result)
#define VENTRY_(family, line, text, dwords, result)                                                \
	{ text, { UNPACK dwords }, COUNT dwords, result, v_##family##line },
static const struct vrow {
	const char *text;
	uint32_t code[MOST_DWORDS];
	size_t dwords;
	mask_result result;
	void (*define)(struct lane *x);
} vrows[] = {
#include "vector.def"
};
enum { VROWS = sizeof vrows / sizeof *vrows };

/* A round's memory: operands v2 to v9 of each lane, scalars, then results. */
struct vround {
	uint32_t v[8][LANES];
	uint64_t exec, vcc, s12, s20;
	uint32_t unused[56];
	uint32_t d[2][LANES];
	struct {
		uint64_t vcc, exec, s18;
	} masks;
	uint32_t unused2[314];
};
enum { ROUNDS = 24 };

static const uint32_t vector_prologue[] = {
	0x9202ff02, 0x00001000, /* s_mul_i32 s2, s2, 0x1000 */
	0x80000200,             /* s_add_u32 s0, s0, s2 */
	0x82018001,             /* s_addc_u32 s1, s1, 0 */
	0xc00e0100, 0x00000800, /* s_load_dwordx8 s[4:11], s[0:1], 0x800 */
	0x24000082,             /* v_lshlrev_b32_e32 v0, 2, v0 */
	0xdc508000, 0x02000000, /* global_load_dword v2, v0, s[0:1] */
	0xdc508100, 0x03000000, /* global_load_dword v3, v0, s[0:1] offset:256 */
	0xdc508200, 0x04000000, /* global_load_dword v4, v0, s[0:1] offset:512 */
	0xdc508300, 0x05000000, /* global_load_dword v5, v0, s[0:1] offset:768 */
	0xdc508400, 0x06000000, /* global_load_dword v6, v0, s[0:1] offset:1024 */
	0xdc508500, 0x07000000, /* global_load_dword v7, v0, s[0:1] offset:1280 */
	0xdc508600, 0x08000000, /* global_load_dword v8, v0, s[0:1] offset:1536 */
	0xdc508700, 0x09000000, /* global_load_dword v9, v0, s[0:1] offset:1792 */
	0x7e1c0280,             /* v_mov_b32_e32 v14, 0 */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xbeea0106,             /* s_mov_b64 vcc, s[6:7] */
	0xbe8c0108,             /* s_mov_b64 s[12:13], s[8:9] */
	0xbe94010a,             /* s_mov_b64 s[20:21], s[10:11] */
	0xbe920180,             /* s_mov_b64 s[18:19], 0 */
	0xbefe0104,             /* s_mov_b64 exec, s[4:5] */
};

static const uint32_t vector_epilogue[] = {
	0xbe8e017e,             /* s_mov_b64 s[14:15], exec */
	0xbefe01c1,             /* s_mov_b64 exec, -1 */
	0xdc708900, 0x00000800, /* global_store_dword v0, v8, s[0:1] offset:2304 */
	0xdc708a00, 0x00000900, /* global_store_dword v0, v9, s[0:1] offset:2560 */
	0x7e20026a,             /* v_mov_b32_e32 v16, vcc_lo */
	0x7e22026b,             /* v_mov_b32_e32 v17, vcc_hi */
	0x7e24020e,             /* v_mov_b32_e32 v18, s14 */
	0x7e26020f,             /* v_mov_b32_e32 v19, s15 */
	0x7e280212,             /* v_mov_b32_e32 v20, s18 */
	0x7e2a0213,             /* v_mov_b32_e32 v21, s19 */
	0xdc7c8b00, 0x0000100e, /* global_store_dwordx4 v14, v[16:19], s[0:1] offset:2816 */
	0xdc748b10, 0x0000140e, /* global_store_dwordx2 v14, v[20:21], s[0:1] offset:2832 */
	0xbf810000,             /* s_endpgm */
};

static void set_up_round(struct vround *r, unsigned i) {
	for (unsigned k = 0; k < 8; k++)
		for (unsigned l = 0; l < LANES; l++)
			r->v[k][l] = operand();
	r->exec = i == 0 ? ~0ull : i == 1 ? 0 : i == 2 ? 1ull << 63 : next_random(&seed);
	r->vcc = i % 3 ? next_random(&seed) : 0;
	r->s12 = operand() | (uint64_t)operand() << 32;
	r->s20 = next_random(&seed);
}

static struct lane lane_of(const struct vround *r, unsigned l) {
#define PAIR(k) (r->v[k][l] | (uint64_t)r->v[(k) + 1][l] << 32)
	return (struct lane){
		.lane = l,
		.first = r->exec ? (unsigned)__builtin_ctzll(r->exec) : 0,
		.a = r->v[0][l],
		.b = r->v[2][l],
		.c = r->v[4][l],
		.d = r->v[6][l],
		.s = (uint32_t)r->s12,
		.A = PAIR(0),
		.B = PAIR(2),
		.C = PAIR(4),
		.S = r->s12,
		.vcc_in = r->vcc,
		.exec = r->exec,
		.vcc = r->vcc >> l & 1,
		.s20 = r->s20 >> l & 1,
		.v2_of = r->v[0],
	};
}

/* Checks the registers of one lane; adds its bit to the mask. */
static bool lane_right(const struct vrow *row, const struct vround *r, unsigned l, uint64_t *mask) {
	struct lane x = lane_of(r, l);
	bool active = r->exec >> l & 1;
	row->define(&x);
	uint32_t low = active ? x.d : r->v[6][l];
	uint32_t high = active && x.wide ? (uint32_t)x.D : r->v[7][l];
	if (row->result == S18)
		*mask = x.out;
	else if (active)
		*mask |= (uint64_t)(x.out & 1) << l;
	if (r->d[0][l] == low && r->d[1][l] == high)
		return true;
	diag("%s: lane %u%s: v2 %08x%08x v4 %08x%08x v6 %08x%08x s12 %016llx", row->text, l,
	     active ? "" : " (inactive)", r->v[1][l], r->v[0][l], r->v[3][l], r->v[2][l],
	     r->v[5][l], r->v[4][l], (unsigned long long)r->s12);
	diag("got %08x%08x, want %08x%08x", r->d[1][l], r->d[0][l], high, low);
	return false;
}

static bool masks_right(const struct vrow *row, const struct vround *r, uint64_t mask) {
	uint64_t vcc = r->vcc, exec = r->exec, s18 = 0;
	switch (row->result) {
	case NONE: break;
	case X: exec = mask; /* fall through */
	case VCC: vcc = mask; break;
	case SX: exec = mask; /* fall through */
	case SDST:
	case S18: s18 = mask;
	}
	if (r->masks.vcc == vcc && r->masks.exec == exec && r->masks.s18 == s18)
		return true;
	diag("%s: got vcc %016llx exec %016llx s[18:19] %016llx", row->text,
	     (unsigned long long)r->masks.vcc, (unsigned long long)r->masks.exec,
	     (unsigned long long)r->masks.s18);
	diag("want vcc %016llx exec %016llx s[18:19] %016llx", (unsigned long long)vcc,
	     (unsigned long long)exec, (unsigned long long)s18);
	return false;
}

static bool round_right(const struct vrow *row, const struct vround *r) {
	uint64_t mask = 0;
	for (unsigned l = 0; l < LANES; l++)
		if (!lane_right(row, r, l, &mask))
			return false;
	return masks_right(row, r, mask);
}

/* ---- scalar ---- */

/* The names that a statement of salu.def uses. */
struct scalars {
	uint32_t a, b;
	uint64_t A, B, D, E;
	bool scc;
};

/* The lanes of a fork. */
struct halves {
	uint64_t pass, fail;
	bool both, fail_first;
};

static struct halves halves(uint64_t mask, uint64_t exec) {
	struct halves h = { .pass = mask & exec, .fail = exec & ~mask };
	h.both = h.pass && h.fail;
	h.fail_first = count((uint32_t)h.fail) + count((uint32_t)(h.fail >> 32)) <
	               count((uint32_t)h.pass) + count((uint32_t)(h.pass >> 32));
	return h;
}

#define ROW(text, dwords, ...) SROW(__LINE__, __VA_ARGS__)
#define SROW(line, ...)        SROW_(line, __VA_ARGS__)
#define SROW_(line, ...)                                                                           \
	static void s_##line(struct scalars *x) {                                                  \
		const uint32_t a = x->a, b = x->b;                                                 \
		const uint64_t A = x->A, B = x->B, D_in = x->D;                                    \
		uint64_t E = x->E, D = D_in;                                                       \
		uint32_t d = (uint32_t)D;                                                          \
		bool scc = x->scc;                                                                 \
		(void)a, (void)b, (void)A, (void)B;                                                \
		__VA_ARGS__;                                                                       \
		x->D = D != D_in ? D : (D >> 32) << 32 | d;                                        \
		x->E = E;                                                                          \
		x->scc = scc;                                                                      \
	}
#include "salu.def"

#define ROW(text, dwords, ...)      SENTRY(__LINE__, text, dwords)
#define SENTRY(line, text, dwords)  SENTRY_(line, text, dwords)
#define SENTRY_(line, text, dwords) { text, { UNPACK dwords }, COUNT dwords, s_##line },
static const struct srow {
	const char *text;
	uint32_t code[MOST_DWORDS];
	size_t dwords;
	void (*define)(struct scalars *x);
} srows[] = {
#include "salu.def"
};
enum { SROWS = sizeof srows / sizeof *srows };

/* A tuple's memory: s[4:11] with EXEC in s[10:11], SCC, then results. */
struct tuple {
	uint64_t a, b, d, exec;
	uint32_t scc, unused[7];
	uint64_t d_out, exec_out;
	uint32_t scc_out, unused2[11];
};
enum { TUPLES = 400 };

static const uint32_t scalar_prologue[] = {
	0x8e028702,             /* s_lshl_b32 s2, s2, 7 */
	0x80000200,             /* s_add_u32 s0, s0, s2 */
	0x82018001,             /* s_addc_u32 s1, s1, 0 */
	0xc00e0100, 0x00000000, /* s_load_dwordx8 s[4:11], s[0:1], 0x0 */
	0xc0020300, 0x00000020, /* s_load_dword s12, s[0:1], 0x20 */
	0x7e000280,             /* v_mov_b32_e32 v0, 0 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xbefe010a,             /* s_mov_b64 exec, s[10:11] */
	0xbf07800c,             /* s_cmp_lg_u32 s12, 0 */
};

static const uint32_t scalar_epilogue[] = {
	0x85108081,             /* s_cselect_b32 s16, 1, 0 */
	0xbe8e017e,             /* s_mov_b64 s[14:15], exec */
	0xbefe0181,             /* s_mov_b64 exec, 1 */
	0x7e040208,             /* v_mov_b32_e32 v2, s8 */
	0x7e060209,             /* v_mov_b32_e32 v3, s9 */
	0x7e08020e,             /* v_mov_b32_e32 v4, s14 */
	0x7e0a020f,             /* v_mov_b32_e32 v5, s15 */
	0x7e0c0210,             /* v_mov_b32_e32 v6, s16 */
	0xdc7c8040, 0x00000200, /* global_store_dwordx4 v0, v[2:5], s[0:1] offset:64 */
	0xdc708050, 0x00000600, /* global_store_dword v0, v6, s[0:1] offset:80 */
	0xbf810000,             /* s_endpgm */
};

static bool tuple_right(const struct srow *row, const struct tuple *t) {
	struct scalars x = { (uint32_t)t->a, (uint32_t)t->b, t->a, t->b, t->d, t->exec, t->scc };
	row->define(&x);
	if (t->d_out == x.D && t->exec_out == x.E && t->scc_out == x.scc)
		return true;
	diag("%s: a %016llx b %016llx d %016llx exec %016llx scc %u", row->text,
	     (unsigned long long)t->a, (unsigned long long)t->b, (unsigned long long)t->d,
	     (unsigned long long)t->exec, t->scc);
	diag("got d %016llx exec %016llx scc %u", (unsigned long long)t->d_out,
	     (unsigned long long)t->exec_out, t->scc_out);
	diag("want d %016llx exec %016llx scc %u", (unsigned long long)x.D, (unsigned long long)x.E,
	     x.scc);
	return false;
}

static void set_up_tuple(struct tuple *t) {
	t->a = operand() | (uint64_t)operand() << 32;
	t->b = operand() | (uint64_t)operand() << 32;
	t->d = operand() | (uint64_t)operand() << 32;
	t->exec = next_random(&seed) % 4 ? next_random(&seed) : 0;
	t->scc = next_random(&seed) % 2;
	if (next_random(&seed) % 4 == 0)
		t->b = t->a;
	if (next_random(&seed) % 8 == 0)
		t->a = next_random(&seed) % 2 ? ~0ull : 0;
}

/* ---- the tests ---- */

static uint64_t *executed; /* by opcode, over all runs */

/* Runs a row between the prologue and the epilogue. */
static bool run_row(struct machine *m, const uint32_t *prologue, size_t before, const uint32_t *row,
                    size_t dwords, const uint32_t *epilogue, size_t after) {
	struct code c = { 0 };
	append(&c, prologue, before);
	append(&c, row, 4 * dwords);
	append(&c, epilogue, after);
	run_code(m, &c);
	for (size_t i = 0; m->ran && i < mx_gfx950.n_ops; i++)
		executed[i] += m->report.stats.by_op[i];
	return only_notes(m);
}

static void test_vector_row(struct machine *m, const struct vrow *row) {
	struct vround *r = (struct vround *)arena;
	fill_arena(0xee);
	for (unsigned i = 0; i < ROUNDS; i++)
		set_up_round(&r[i], i);
	bool ran = run_row(m, vector_prologue, sizeof vector_prologue, row->code, row->dwords,
	                   vector_epilogue, sizeof vector_epilogue);
	unsigned i = 0;
	while (ran && i < ROUNDS && round_right(row, &r[i]))
		i++;
	if (!ok(ran && i == ROUNDS, "%s", row->text))
		show_findings(m);
}

static void test_scalar_row(struct machine *m, const struct srow *row) {
	struct tuple *t = (struct tuple *)arena;
	fill_arena(0xee);
	for (unsigned i = 0; i < TUPLES; i++)
		set_up_tuple(&t[i]);
	bool ran = run_row(m, scalar_prologue, sizeof scalar_prologue, row->code, row->dwords,
	                   scalar_epilogue, sizeof scalar_epilogue);
	unsigned i = 0;
	while (ran && i < TUPLES && tuple_right(row, &t[i]))
		i++;
	if (!ok(ran && i == TUPLES, "%s", row->text))
		show_findings(m);
}

/* number_test.c covers conversions and MFMA, float_test.c floats, and taint.def s_sendmsghalt,
 * which ends the wave. */
static bool is_alu(const struct mx_op *op) {
	return op->encoding < MX_DS && op->encoding != MX_SMEM && !mx_is_cvt(op) &&
	       strcmp(op->name, "s_sendmsghalt") && strncmp(op->name, "v_mfma", 6) &&
	       strncmp(op->name, "v_smfmac", 8);
}

static void test_coverage(void) {
	unsigned missing = 0;
	for (size_t i = 0; i < mx_gfx950.n_ops; i++)
		if (is_alu(&mx_gfx950.ops[i]) && !has_floats(&mx_gfx950.ops[i]) && !executed[i])
			if (!missing++)
				diag("first missing: %s", mx_gfx950.ops[i].name);
	ok(!missing, "every scalar and vector ALU opcode of the table has a directed vector");
}

int main(void) {
	struct machine m = machine();
	_Static_assert(sizeof(struct vround) == 4096 && ROUNDS * 4096 <= ARENA, "rounds fit");
	_Static_assert(sizeof(struct tuple) == 128 && TUPLES * 128 <= ARENA, "tuples fit");
	executed = calloc(mx_gfx950.n_ops, sizeof *executed);
	m.launch.grid[0] = TUPLES;
	for (unsigned i = 0; i < SROWS; i++)
		test_scalar_row(&m, &srows[i]);
	m.launch.grid[0] = ROUNDS;
	for (unsigned i = 0; i < VROWS; i++)
		test_vector_row(&m, &vrows[i]);
	test_coverage();
	mx_report_free(&m.report);
	free(executed);
	return done_testing();
}
