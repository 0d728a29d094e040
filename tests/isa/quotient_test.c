/* Divisions and square roots as clang 22 compiles them for gfx950, at -O2 from
 *     p[i + 256] = p[i] / p[i + 128];      p[i + 256] = __builtin_sqrt(p[i]);
 * are correctly rounded, compared with the host's division and root. */
#include "../float_bits.h"
#include "machine_test.h"

#include <math.h>

enum { LANES = 64, SECOND = 128, RESULT = 256, DATA = 64 };

static const uint32_t divide_f32[] = {
	0xc0060000, 0x00000000, /* s_load_dwordx2 s[0:1], s[0:1], 0x0 */
	0x24000082,             /* v_lshlrev_b32_e32 v0, 2, v0 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xdc508000, 0x01000000, /* global_load_dword v1, v0, s[0:1] */
	0xdc508200, 0x02000000, /* global_load_dword v2, v0, s[0:1] offset:512 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0xd1e00203, 0x04060502, /* v_div_scale_f32 v3, s[2:3], v2, v2, v1 */
	0x7e084503,             /* v_rcp_f32_e32 v4, v3 */
	0xd1e06a05, 0x04060501, /* v_div_scale_f32 v5, vcc, v1, v2, v1 */
	0xd1cb0006, 0x23ca0903, /* v_fma_f32 v6, -v3, v4, 1.0 */
	0x76080906,             /* v_fmac_f32_e32 v4, v6, v4 */
	0x0a0c0905,             /* v_mul_f32_e32 v6, v5, v4 */
	0xd1cb0007, 0x24160d03, /* v_fma_f32 v7, -v3, v6, v5 */
	0x760c0907,             /* v_fmac_f32_e32 v6, v7, v4 */
	0xd1cb0003, 0x24160d03, /* v_fma_f32 v3, -v3, v6, v5 */
	0xd1e20003, 0x041a0903, /* v_div_fmas_f32 v3, v3, v4, v6 */
	0xd1de0001, 0x04060503, /* v_div_fixup_f32 v1, v3, v2, v1 */
	0xdc708400, 0x00000100, /* global_store_dword v0, v1, s[0:1] offset:1024 */
	0xbf810000,             /* s_endpgm */
};

static const uint32_t divide_f64[] = {
	0xc0060000, 0x00000000, /* s_load_dwordx2 s[0:1], s[0:1], 0x0 */
	0x24180083,             /* v_lshlrev_b32_e32 v12, 3, v0 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xdc548000, 0x0000000c, /* global_load_dwordx2 v[0:1], v12, s[0:1] */
	0xdc548400, 0x0200000c, /* global_load_dwordx2 v[2:3], v12, s[0:1] offset:1024 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0xd1e10204, 0x04020502, /* v_div_scale_f64 v[4:5], s[2:3], v[2:3], v[2:3], v[0:1] */
	0x7e0c4b04,             /* v_rcp_f64_e32 v[6:7], v[4:5] */
	0xd1e16a08, 0x04020500, /* v_div_scale_f64 v[8:9], vcc, v[0:1], v[2:3], v[0:1] */
	0xd1cc000a, 0x23ca0d04, /* v_fma_f64 v[10:11], -v[4:5], v[6:7], 1.0 */
	0x080c1506,             /* v_fmac_f64_e32 v[6:7], v[6:7], v[10:11] */
	0xd1cc000a, 0x23ca0d04, /* v_fma_f64 v[10:11], -v[4:5], v[6:7], 1.0 */
	0x080c1506,             /* v_fmac_f64_e32 v[6:7], v[6:7], v[10:11] */
	0xd281000a, 0x00020d08, /* v_mul_f64 v[10:11], v[8:9], v[6:7] */
	0xd1cc0004, 0x24221504, /* v_fma_f64 v[4:5], -v[4:5], v[10:11], v[8:9] */
	0xd1e30004, 0x042a0d04, /* v_div_fmas_f64 v[4:5], v[4:5], v[6:7], v[10:11] */
	0xd1df0000, 0x04020504, /* v_div_fixup_f64 v[0:1], v[4:5], v[2:3], v[0:1] */
	0xdc748800, 0x0000000c, /* global_store_dwordx2 v12, v[0:1], s[0:1] offset:2048 */
	0xbf810000,             /* s_endpgm */
};

static const uint32_t divide_f16[] = {
	0xc0060000, 0x00000000, /* s_load_dwordx2 s[0:1], s[0:1], 0x0 */
	0x24000081,             /* v_lshlrev_b32_e32 v0, 1, v0 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xdc488100, 0x01000000, /* global_load_ushort v1, v0, s[0:1] offset:256 */
	0xdc488000, 0x02000000, /* global_load_ushort v2, v0, s[0:1] */
	0xbf8c0f71,             /* s_waitcnt vmcnt(1) */
	0x7e061701,             /* v_cvt_f32_f16_e32 v3, v1 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0x7e081702,             /* v_cvt_f32_f16_e32 v4, v2 */
	0x7e064503,             /* v_rcp_f32_e32 v3, v3 */
	0xbf800000,             /* s_nop 0 */
	0x0a080704,             /* v_mul_f32_e32 v4, v4, v3 */
	0xd3a04005, 0x2c0a0901, /* v_fma_mix_f32 v5, -v1, v4, v2 op_sel_hi:[1,0,1] */
	0xbf800000,             /* s_nop 0 */
	0x76080705,             /* v_fmac_f32_e32 v4, v5, v3 */
	0xd3a04005, 0x2c0a0901, /* v_fma_mix_f32 v5, -v1, v4, v2 op_sel_hi:[1,0,1] */
	0xbf800000,             /* s_nop 0 */
	0x0a060705,             /* v_mul_f32_e32 v3, v5, v3 */
	0x260606ff, 0xff800000, /* v_and_b32_e32 v3, 0xff800000, v3 */
	0x02060903,             /* v_add_f32_e32 v3, v3, v4 */
	0x7e061503,             /* v_cvt_f16_f32_e32 v3, v3 */
	0xd2070001, 0x040a0303, /* v_div_fixup_f16 v1, v3, v1, v2 */
	0xdc688200, 0x00000100, /* global_store_short v0, v1, s[0:1] offset:512 */
	0xbf810000,             /* s_endpgm */
};

static const uint32_t sqrt_f32[] = {
	0xc0060080, 0x00000000, /* s_load_dwordx2 s[2:3], s[0:1], 0x0 */
	0x24000082,             /* v_lshlrev_b32_e32 v0, 2, v0 */
	0xbe8000ff, 0x0f800000, /* s_mov_b32 s0, 0xf800000 */
	0x7e0602ff, 0x00000260, /* v_mov_b32_e32 v3, 0x260 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xdc508000, 0x01020000, /* global_load_dword v1, v0, s[2:3] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0x0a0402ff, 0x4f800000, /* v_mul_f32_e32 v2, 0x4f800000, v1 */
	0x7c880200,             /* v_cmp_gt_f32_e32 vcc, s0, v1 */
	0xbf800001,             /* s_nop 1 */
	0x00020501,             /* v_cndmask_b32_e32 v1, v1, v2, vcc */
	0x7e044f01,             /* v_sqrt_f32_e32 v2, v1 */
	0xbf800000,             /* s_nop 0 */
	0x680804c1,             /* v_add_u32_e32 v4, -1, v2 */
	0x680a0481,             /* v_add_u32_e32 v5, 1, v2 */
	0xd1cb0006, 0x24060504, /* v_fma_f32 v6, -v4, v2, v1 */
	0xd1cb0007, 0x24060505, /* v_fma_f32 v7, -v5, v2, v1 */
	0xd0460000, 0x00020c80, /* v_cmp_ge_f32_e64 s[0:1], 0, v6 */
	0xbf800001,             /* s_nop 1 */
	0xd1000002, 0x00020902, /* v_cndmask_b32_e64 v2, v2, v4, s[0:1] */
	0xd0410000, 0x00020e80, /* v_cmp_lt_f32_e64 s[0:1], 0, v7 */
	0xbf800001,             /* s_nop 1 */
	0xd1000002, 0x00020b02, /* v_cndmask_b32_e64 v2, v2, v5, s[0:1] */
	0x0a0804ff, 0x37800000, /* v_mul_f32_e32 v4, 0x37800000, v2 */
	0x00040902,             /* v_cndmask_b32_e32 v2, v2, v4, vcc */
	0x7c200701,             /* v_cmp_class_f32_e32 vcc, v1, v3 */
	0xbf800001,             /* s_nop 1 */
	0x00020302,             /* v_cndmask_b32_e32 v1, v2, v1, vcc */
	0xdc708400, 0x00020100, /* global_store_dword v0, v1, s[2:3] offset:1024 */
	0xbf810000,             /* s_endpgm */
};

static const uint32_t sqrt_f64[] = {
	0xc0060000, 0x00000000, /* s_load_dwordx2 s[0:1], s[0:1], 0x0 */
	0x24100083,             /* v_lshlrev_b32_e32 v8, 3, v0 */
	0xbe820080,             /* s_mov_b32 s2, 0 */
	0xbe830888,             /* s_brev_b32 s3, 8 */
	0x7e0402ff, 0x00000100, /* v_mov_b32_e32 v2, 0x100 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xdc548000, 0x00000008, /* global_load_dwordx2 v[0:1], v8, s[0:1] */
	0x7e0802ff, 0xffffff80, /* v_mov_b32_e32 v4, 0xffffff80 */
	0x7e1202ff, 0x00000260, /* v_mov_b32_e32 v9, 0x260 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0x7cc80002,             /* v_cmp_gt_f64_e32 vcc, s[2:3], v[0:1] */
	0xbf800001,             /* s_nop 1 */
	0x00040480,             /* v_cndmask_b32_e32 v2, 0, v2, vcc */
	0xd2840000, 0x00020500, /* v_ldexp_f64 v[0:1], v[0:1], v2 */
	0x7e044d00,             /* v_rsq_f64_e32 v[2:3], v[0:1] */
	0x00140880,             /* v_cndmask_b32_e32 v10, 0, v4, vcc */
	0x7c241300,             /* v_cmp_class_f64_e32 vcc, v[0:1], v9 */
	0xd2810004, 0x00020500, /* v_mul_f64 v[4:5], v[0:1], v[2:3] */
	0xd2810002, 0x0001e102, /* v_mul_f64 v[2:3], v[2:3], 0.5 */
	0xd1cc0006, 0x23c20902, /* v_fma_f64 v[6:7], -v[2:3], v[4:5], 0.5 */
	0x08080d04,             /* v_fmac_f64_e32 v[4:5], v[4:5], v[6:7] */
	0x08040d02,             /* v_fmac_f64_e32 v[2:3], v[2:3], v[6:7] */
	0xd1cc0006, 0x24020904, /* v_fma_f64 v[6:7], -v[4:5], v[4:5], v[0:1] */
	0x08080506,             /* v_fmac_f64_e32 v[4:5], v[6:7], v[2:3] */
	0xd1cc0006, 0x24020904, /* v_fma_f64 v[6:7], -v[4:5], v[4:5], v[0:1] */
	0x08080506,             /* v_fmac_f64_e32 v[4:5], v[6:7], v[2:3] */
	0xd2840002, 0x00021504, /* v_ldexp_f64 v[2:3], v[4:5], v10 */
	0x00020303,             /* v_cndmask_b32_e32 v1, v3, v1, vcc */
	0x00000102,             /* v_cndmask_b32_e32 v0, v2, v0, vcc */
	0xdc748800, 0x00000008, /* global_store_dwordx2 v8, v[0:1], s[0:1] offset:2048 */
	0xbf810000,             /* s_endpgm */
};

static uint64_t seed = 950;

/* A random number of `bits` bits with `mantissa` mantissa bits, sometimes near an edge. */
static uint64_t operand(unsigned bits, unsigned mantissa) {
	uint64_t k = next_random(&seed), u = next_random(&seed), sign = UINT64_C(1) << (bits - 1);
	uint64_t infinity = sign - (UINT64_C(1) << mantissa), low = u & 7;
	uint64_t one = (infinity >> 1) & infinity;
	switch (k % 16) {
	case 0: return (u & sign) | low;
	case 1: return (u & sign) | (infinity - low);
	case 2: return (u & sign) | (one - 4 + low);
	case 3: return (u & sign) | ((UINT64_C(1) << mantissa) - 4 + low);
	case 4: return (u & sign) | (u & ((UINT64_C(1) << mantissa) - 1));
	case 5: return (u & sign) | infinity | (low == 7 ? u & (one ^ infinity) : 0);
	case 6: return (u & (sign | infinity)) | low;
	case 7: return (u & (sign | infinity)) | ((UINT64_C(1) << mantissa) - 1 - low);
	default: return u & (sign | (sign - 1));
	}
}

/* The bits of x. Half precision is rounded from double a second time, which is harmless: quotients
 * of 11 bits are never within 2^-23 of a rounding boundary. */
static uint64_t bits_as(double x, unsigned bytes) {
	float single = (float)x;
	uint16_t half = half_of(x);
	uint64_t u = 0;
	memcpy(&u, bytes == 8 ? (void *)&x : bytes == 4 ? (void *)&single : (void *)&half, bytes);
	return u;
}
static double number(uint64_t u, unsigned bytes) {
	double x;
	float single;
	uint16_t half;
	memcpy(&x, &u, 8);
	memcpy(&single, &u, 4);
	memcpy(&half, &u, 2);
	return bytes == 8 ? x : bytes == 4 ? (double)single : half_value(half);
}

struct sequence {
	const char *name;
	const uint32_t *code;
	size_t code_bytes;
	unsigned bytes, mantissa;
	bool root;
};

static uint64_t want(const struct sequence *s, uint64_t a, uint64_t b) {
	double x = number(a, s->bytes), y = number(b, s->bytes);
	if (s->bytes == 4 && s->root)
		return bits_as(sqrtf((float)x), 4);
	if (s->bytes == 4)
		return bits_as((float)x / (float)y, 4);
	return bits_as(s->root ? sqrt(x) : x / y, s->bytes);
}

static void place(const struct sequence *s, unsigned i, uint64_t u) {
	memcpy(arena + DATA + s->bytes * i, &u, s->bytes);
}
static uint64_t at(const struct sequence *s, unsigned i) {
	uint64_t u = 0;
	memcpy(&u, arena + DATA + s->bytes * i, s->bytes);
	return u;
}

/* Runs one launch; returns the first wrong lane, or LANES. */
static unsigned round_of(struct machine *m, const struct sequence *s) {
	for (unsigned i = 0; i < LANES; i++) {
		place(s, i, operand(8 * s->bytes, s->mantissa));
		place(s, SECOND + i, operand(8 * s->bytes, s->mantissa));
	}
	run_bytes(m, s->code, s->code_bytes);
	for (unsigned i = 0; m->ran && i < LANES; i++) {
		uint64_t w = want(s, at(s, i), at(s, SECOND + i)), got = at(s, RESULT + i);
		if (got != w && !(isnan(number(w, s->bytes)) && isnan(number(got, s->bytes))))
			return i;
	}
	return no_findings(m) ? LANES : 0;
}

static void test_sequence(struct machine *m, const struct sequence *s, unsigned rounds) {
	unsigned wrong = LANES;
	uint64_t self = (uintptr_t)arena + DATA;
	fill_arena(0);
	memcpy(arena, &self, 8);
	for (unsigned n = 0; n < rounds && wrong == LANES; n++)
		wrong = round_of(m, s);
	if (!ok(wrong == LANES, "%s: %u correctly rounded", s->name, rounds * LANES)) {
		show_findings(m);
		diag("%llx, %llx: got %llx, want %llx", (unsigned long long)at(s, wrong),
		     (unsigned long long)at(s, SECOND + wrong),
		     (unsigned long long)at(s, RESULT + wrong),
		     (unsigned long long)want(s, at(s, wrong), at(s, SECOND + wrong)));
	}
}

#define CODE(name) name, sizeof name
int main(void) {
	static const struct sequence sequences[] = {
		{ "f32 quotients", CODE(divide_f32), 4, 23, false },
		{ "f64 quotients", CODE(divide_f64), 8, 52, false },
		{ "f16 quotients", CODE(divide_f16), 2, 10, false },
		{ "f32 roots", CODE(sqrt_f32), 4, 23, true },
		{ "f64 roots", CODE(sqrt_f64), 8, 52, true },
	};
	struct machine m = machine();
	unsigned rounds = is_long() ? 50000 : 300;
	for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
		test_sequence(&m, &sequences[i], rounds);
	mx_report_free(&m.report);
	return done_testing();
}
