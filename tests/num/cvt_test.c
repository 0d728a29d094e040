/* gfx950's conversion instructions: values by hand from the manual.
 * tests/oracle/cvt_test.c compares each instruction with an exact evaluation. */
#include "../../ref/mxref.h"
#include "../float_bits.h"
#include "../random.h"
#include "../tap.h"

#include <math.h>
#include <string.h>

static uint32_t cvt1(mx_cvt_op op, struct mx_cvt_args a) {
	uint32_t d[32] = { 0xBADC0DE };
	return mx_cvt(op, &a, d) == MX_OK ? d[0] : 0xBADC0DE;
}

#define SOURCE(...)                                                                                \
	.source = (const uint32_t[32]) {                                                           \
		__VA_ARGS__                                                                        \
	}
enum { ONE = 0x3F800000, TWO = 0x40000000, OLD = 0x55667788 };

static void test_cvt_selection(void) {
	int bad = 0;
	for (int k = 0; k < 4; k++) {
		/* 6 and -1 are 0x7 and 0xA. */
		uint32_t got =
			cvt1(MX_CVT_scalef32_pk_fp4_f32,
		             (struct mx_cvt_args){ SOURCE(0x40C00000, 0xBF800000), .scale = ONE,
		                                   .old = OLD, .op_sel = k << 2 });
		bad += got != ((OLD & ~(0xFFu << 8 * k)) | 0xA7u << 8 * k);
		got = cvt1(MX_CVT_sr_fp8_f32, (struct mx_cvt_args){ SOURCE(0xC3E00000), .old = OLD,
		                                                    .op_sel = k << 2 });
		bad += got != ((OLD & ~(0xFFu << 8 * k)) | 0xFEu << 8 * k);
		got = cvt1(MX_CVT_scalef32_f32_fp8,
		           (struct mx_cvt_args){ SOURCE(0x38404850), .scale = TWO, .old = OLD,
		                                 .op_sel = k });
		bad += got != (const uint32_t[4]){ 0x41800000, 0x41000000, 0x40800000, TWO }[k];
	}
	ok(!bad, "OP_SEL[3:2] chooses the byte that is written, OP_SEL[1:0] the byte that is read");
	bad = 0;
	for (int k = 0; k < 2; k++) {
		uint32_t got = cvt1(MX_CVT_scalef32_pk_fp8_f16,
		                    (struct mx_cvt_args){ SOURCE(0xBC005F00), .scale = ONE,
		                                          .old = OLD, .op_sel = k << 3 });
		bad += got != ((OLD & ~(0xFFFFu << 16 * k)) | 0xB87Eu << 16 * k);
		got = cvt1(MX_CVT_scalef32_f16_bf8,
		           (struct mx_cvt_args){ SOURCE(0x3C00), .scale = ONE, .old = OLD,
		                                 .op_sel = k << 3 | 1 });
		bad += got != ((OLD & ~(0xFFFFu << 16 * k)) | 0x3C00u << 16 * k);
		uint32_t pair[2];
		mx_cvt(MX_CVT_pk_f32_bf8, &(struct mx_cvt_args){ SOURCE(0x40BC3C7C), .op_sel = k },
		       pair);
		bad += pair[0] != (k ? 0xBF800000 : 0x7F800000) || pair[1] != (k ? TWO : ONE);
	}
	ok(!bad, "OP_SEL[3] chooses the word that is written, OP_SEL[0] the word that is read");
}

static void test_cvt_overflow(void) {
	struct mx_cvt_args a = { SOURCE(0x43E88000, 0xFF800000), .scale = ONE }; /* 465, -Inf */
	ok(cvt1(MX_CVT_scalef32_pk_fp8_f32, a) == 0xFF7F && cvt1(MX_CVT_pk_bf8_f32, a) == 0xFC5F &&
	           cvt1(MX_CVT_pk_f16_f32, a) == 0xFC005F44 &&
	           cvt1(MX_CVT_scalef32_pk_fp4_f32, a) == 0xF7,
	   "with FP16_OVFL 0, 465 and -Inf are NaN in FP8, 448 and -Inf in BF8, saturated in FP4");
	a.fp16_ovfl = true;
	ok(cvt1(MX_CVT_scalef32_pk_fp8_f32, a) == 0xFE7E && cvt1(MX_CVT_pk_bf8_f32, a) == 0xFB5F &&
	           cvt1(MX_CVT_pk_f16_f32, a) == 0xFC005F44,
	   "with FP16_OVFL 1 they saturate, but -Inf stays in binary16");
	a.source = (const uint32_t[]){ 0x7F7FFFFF, 0xFFC12345 };
	ok(cvt1(MX_CVT_pk_f16_f32, a) == 0xFE097BFF && cvt1(MX_CVT_pk_fp8_f32, a) == 0xFF7E &&
	           cvt1(MX_CVT_pk_bf16_f32, a) == 0xFFC17F80,
	   "FP16_OVFL clamps the largest f32 in binary16 and FP8, not in bf16; NaN stays");
}

/* Sums of all pairs of finite codes, made in binary16 and converted back. */
static unsigned overflowing_sums(mx_format f, mx_cvt_op op) {
	unsigned count = 0;
	for (uint32_t p = 0; p < 65536; p++) {
		double a = as_float(mx_elem_to_f32(f, (mx_elem){ p & 0xFF }).v);
		double b = as_float(mx_elem_to_f32(f, (mx_elem){ p >> 8 }).v);
		if (!isfinite(a) || !isfinite(b))
			continue;
		uint16_t sum = mx_f16_from_f32((mx_f32){ bits_of(a + b) }).v;
		uint32_t code = cvt1(op, (struct mx_cvt_args){ SOURCE(sum), .scale = ONE }) & 0x7F;
		count += code == (f == MX_E4M3 ? 0x7F : 0x7C);
	}
	return count;
}

static void test_cvt_by_hand(void) {
	unsigned e4m3 = overflowing_sums(MX_E4M3, MX_CVT_scalef32_pk_fp8_f16);
	unsigned e5m2 = overflowing_sums(MX_E5M2, MX_CVT_scalef32_pk_bf8_f16);
	if (!ok(e4m3 == 436 && e5m2 == 120,
	        "436 E4M3 and 120 E5M2 sums overflow, as reported from a gfx950"))
		diag("got %u and %u", e4m3, e5m2);
	ok(mx_prng(1) == 2 && mx_prng(0x80000000) == 197 &&
	           mx_prng(0xC0000001) == (0x80000002 ^ 197) && mx_prng(0) == 0,
	   "v_prng_b32 shifts, and xors 197 if the bit shifted out is 1");
	/* 2.25 and 2.5, 1/4 and 1/2 from 2 to 3; randoms 0x80000000 and then 197: neither moves.
	 * 0xC0000000 moves the first; then 0x80000000 ^ 197 is enough for the second. */
	struct mx_cvt_args a = { SOURCE(0x40100000, 0x40200000), .scale = ONE,
		                 .random = 0x80000000 };
	ok(cvt1(MX_CVT_scalef32_sr_pk_fp4_f32, a) == 0x44,
	   "stochastic FP4 of 2.25 and 2.5 by 0x80000000 is 2 and 2");
	a.random = 0xC0000000;
	ok(cvt1(MX_CVT_scalef32_sr_pk_fp4_f32, a) == 0x55,
	   "and by 0xC0000000 3 and 3: the second value has the next random number");
	a = (struct mx_cvt_args){ SOURCE(0x00400000, 0x80400000), .scale = 0 };
	ok(cvt1(MX_CVT_scalef32_pk_fp4_f32, a) == 0xA2, "a scale of 0 is 2^-127");
	a.flush_f32 = true;
	ok(cvt1(MX_CVT_scalef32_pk_fp4_f32, a) == 0x80,
	   "subnormal f32 are zero if MODE flushes them");
	a = (struct mx_cvt_args){ SOURCE(0xBF800000, ONE), .scale = 0x7F800000 };
	ok(cvt1(MX_CVT_scalef32_pk_fp8_f32, a) == 0x7FFF &&
	           cvt1(MX_CVT_scalef32_pk_fp4_f32, a) == 0x7F &&
	           cvt1(MX_CVT_scalef32_f32_fp8,
	                (struct mx_cvt_args){ SOURCE(0xB8), .scale = 0xFFABCDEF }) == 0xFFC00000,
	   "a scale of exponent 0xFF makes every value NaN, the largest FP4 (assumed)");
	a = (struct mx_cvt_args){ SOURCE(ONE, TWO), .scale = 0xC0490FDB };
	ok(cvt1(MX_CVT_scalef32_pk_fp8_f32, a) == 0x3830, "only the exponent of a scale counts");
}

static void test_cvt_2xpk16(void) {
	uint32_t source[32], d[6];
	for (int i = 0; i < 32; i++) /* first operand 1, second 2 */
		source[i] = i < 16 ? ONE : TWO;
	mx_cvt(MX_CVT_scalef32_2xpk16_fp6_f32,
	       &(struct mx_cvt_args){ .source = source, .scale = ONE }, d);
	int bad = 0;
	for (int i = 0; i < 32; i++)
		bad += mx_elem_get(MX_E2M3, (const uint8_t *)d, i).v != (i % 2 ? 0x10 : 0x08);
	ok(!bad, "2xpk16 takes its values from the two operands alternately");
	mx_cvt(MX_CVT_scalef32_pk32_f32_fp6,
	       &(struct mx_cvt_args){ .source = memcpy(source, d, sizeof d), .scale = ONE },
	       source);
	bad = 0;
	for (int i = 0; i < 32; i++)
		bad += source[i] != (i % 2 ? TWO : ONE);
	ok(!bad, "pk32 widens them again, also in place");
}

/* Random changes of the data operands change no other bits of the result than the dependents. */
static int wrong_dependents(mx_cvt_op op, uint8_t op_sel, uint64_t *random) {
	struct mx_cvt_info info = mx_cvt_info(op);
	unsigned dwords = info.data * info.data_dwords, wrong = 0;
	for (int i = 0; i < 64; i++) {
		uint32_t source[32], changes[32] = { 0 }, d[32], changed[32], dependents[32];
		struct mx_cvt_args a = { .source = source, .scale = ONE, .op_sel = op_sel };
		for (unsigned k = 0; k < dwords; k++)
			source[k] = (uint32_t)next_random(random);
		changes[next_random(random) % dwords] = (uint32_t)next_random(random);
		mx_cvt(op, &a, d);
		mx_cvt_dependents(op, op_sel, changes, dependents);
		for (unsigned k = 0; k < dwords; k++)
			source[k] ^= changes[k];
		mx_cvt(op, &a, changed);
		for (unsigned k = 0; k < info.dst_dwords; k++)
			wrong += (d[k] ^ changed[k]) & ~dependents[k] ? 1 : 0;
	}
	return wrong;
}

static unsigned dependent_bits(mx_cvt_op op, const uint32_t *bits) {
	uint32_t d[32];
	unsigned n = 0;
	mx_cvt_dependents(op, 0, bits, d);
	for (unsigned k = 0; k < mx_cvt_info(op).dst_dwords; k++)
		n += (unsigned)__builtin_popcount(d[k]);
	return n;
}

static void test_cvt_dependents(void) {
	int bad = 0, loose = 0;
	uint64_t random = 1;
	uint32_t one[32] = { 1 }, all[32], d;
	memset(all, 0xff, sizeof all);
	for (mx_cvt_op op = 0; op < MX_CVTS; op++) {
		struct mx_cvt_info info = mx_cvt_info(op);
		for (unsigned sel = 0; sel < 16; sel++)
			bad += sel & ~info.op_sel ? 0 : wrong_dependents(op, (uint8_t)sel, &random);
		loose += dependent_bits(op, one) * info.values != dependent_bits(op, all);
	}
	ok(!bad, "a value's bits are those that change with its source");
	ok(!loose, "one of n values has 1/n of the result's bits");
	ok(mx_cvt_dependents(MX_CVTS, 0, one, &d) == MX_BAD_OPTION &&
	           mx_cvt_dependents(MX_CVT_pk_bf16_f32, 1, one, &d) == MX_BAD_OPTION,
	   "dependents: no such instruction, an unused bit of OP_SEL");
}

static void test_cvt_refuses(void) {
	uint32_t d[33] = { 7 };
	mx_cvt_op op;
	struct mx_cvt_args a = { SOURCE(0), .op_sel = 1 };
	ok(mx_cvt(MX_CVT_scalef32_pk_fp4_f32, &a, d) == MX_BAD_OPTION &&
	           mx_cvt(MX_CVT_pk_bf16_f32, &a, d) == MX_BAD_OPTION && d[0] == 7,
	   "an unused bit of OP_SEL is an error, and nothing is written");
	unsigned wide = 0, halves = 0;
	for (mx_cvt_op i = 0; i < MX_CVTS; i++) {
		struct mx_cvt_info info = mx_cvt_info(i);
		wide += !info.partial;
		halves += !info.partial && info.op_sel & 12;
	}
	ok(wide > 20 && !halves, "OP_SEL selects no part of %u wide results", wide);
	a.op_sel = 0;
	ok(mx_cvt(MX_CVTS, &a, d) == MX_BAD_OPTION && !mx_cvt_info(MX_CVTS).name,
	   "there is no instruction after the last");
	ok(mx_cvt(MX_CVT_f32_fp8, &a, NULL) == MX_BAD_POINTER &&
	           mx_cvt(MX_CVT_f32_fp8, NULL, d) == MX_BAD_POINTER &&
	           mx_cvt(MX_CVT_f32_fp8, &(struct mx_cvt_args){ 0 }, d) == MX_BAD_POINTER,
	   "null pointers are errors");
	ok(mx_cvt_by_name("v_cvt_scalef32_sr_pk32_bf6_bf16", &op) &&
	           op == MX_CVT_scalef32_sr_pk32_bf6_bf16 && !mx_cvt_by_name("v_cvt_f64_f32", &op),
	   "instructions are found by name");
}

int main(void) {
	test_cvt_selection();
	test_cvt_overflow();
	test_cvt_by_hand();
	test_cvt_2xpk16();
	test_cvt_dependents();
	test_cvt_refuses();
	return done_testing();
}
