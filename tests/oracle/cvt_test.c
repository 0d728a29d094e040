/* The conversion instructions of gfx950 and gfx1250: each against the conversion in its name,
 * evaluated by oracle/exact, with every OP_SEL, FP16_OVFL and f32 denormal mode. */
#include "../../oracle/exact/exact.h"
#include "../../ref/mxref.h"
#include "../random.h"
#include "../tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INF  0x7f800000u
#define SIGN 0x80000000u

static uint64_t rng_state;

static uint64_t rng(void) {
	return next_random(&rng_state);
}

/* ---- an instruction by its name ---- */

struct shape {
	const char *from, *to;
	int from_bits, to_bits, n, operands;
	bool scaled, stochastic, halves; /* of the random number, one for each of two results */
};

static const char *format_of(const char *token, int *bits) {
	static const struct {
		const char *token, *name;
		int bits;
	} formats[] = { { "fp4", "E2M1", 4 },   { "fp6", "E2M3", 6 }, { "bf6", "E3M2", 6 },
		        { "fp8", "E4M3", 8 },   { "bf8", "E5M2", 8 }, { "f16", "FP16", 16 },
		        { "bf16", "BF16", 16 }, { "f32", "FP32", 32 } };
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (!strcmp(token, formats[i].token)) {
			*bits = formats[i].bits;
			return formats[i].name;
		}
	return NULL;
}

/* v_cvt [scalef32 | scale] [sr] [pk | pk8 | pk16 | pk32 | 2xpk16] TO FROM. Two f32 of a pk are two
 * operands, or one of 64 bits if there are a random operand and a scale [ISA 12.11]. */
static bool read_name(const char *name, struct shape *s) {
	char text[64], *rest, *token;
	bool pair = false;
	*s = (struct shape){ .n = 1, .operands = 1 };
	snprintf(text, sizeof text, "%s", name);
	for (token = strtok_r(text, "_", &rest); token; token = strtok_r(NULL, "_", &rest)) {
		if (!strncmp(token, "scale", strlen("scale")))
			s->scaled = true;
		else if (!strcmp(token, "sr"))
			s->stochastic = true;
		else if (!strcmp(token, "pk"))
			pair = true, s->n = 2;
		else if (!strncmp(token, "pk", strlen("pk")))
			s->n = atoi(token + strlen("pk"));
		else if (!strcmp(token, "2xpk16"))
			s->n = 32, s->operands = 2;
		else if (!s->to)
			s->to = format_of(token, &s->to_bits);
		else
			s->from = format_of(token, &s->from_bits);
	}
	s->halves = pair && s->stochastic && !s->scaled;
	if (pair && (!s->stochastic || s->halves) && s->from_bits == 32)
		s->operands = 2;
	return s->from && s->to;
}

static int op_sel_bits(const struct shape *s) {
	int in = s->from_bits * s->n, out = s->to_bits * s->n;
	int source = s->from_bits > 8 && s->scaled ? 0 : in == 8 ? 3 : in == 16 ? 1 : 0;
	return source | (out == 8 ? 0xc : out == 16 ? 8 : 0);
}

static bool bit_at(const uint32_t *words, int i) {
	return words[i / 32] >> i % 32 & 1;
}

static const char *format_in(const char *format, const struct mx_cvt_args *a) {
	return a->e5m3 && !strcmp(format, "E4M3") ? "E5M3" : format;
}

/* Value i of the source, as f32 (which holds all of them), with MODE applied. */
static uint32_t source_value(const struct shape *s, const struct mx_cvt_args *a, int i) {
	int each = s->n / s->operands, words = (each * s->from_bits + 31) / 32;
	int at = i % s->operands * words * 32 + i / s->operands * s->from_bits;
	if (s->from_bits <= 8 && s->n * s->from_bits == 8)
		at += a->op_sel % 4 * 8;
	if (op_sel_bits(s) & 1 && s->n * s->from_bits == 16)
		at += a->op_sel % 2 * 16;
	uint32_t code = 0, x;
	for (int b = 0; b < s->from_bits; b++)
		code |= (uint32_t)bit_at(a->source, at + b) << b;
	exact_decode(format_in(s->from, a), code, &x);
	if (s->from_bits == 32 && a->flush_f32 && (x & INF) == 0)
		x &= SIGN;
	return x;
}

static uint32_t result_value(const struct shape *s, const struct mx_cvt_args *a, uint32_t x,
                             uint32_t random) {
	int scale = 0;
	enum exact_overflow o = EXACT_OVERFLOW;
	uint32_t code;
	if (s->scaled) {
		int e = a->scale >> 23 & 0xff;
		if (e == 255)
			x = (x & SIGN) | 0x7fc00000;
		scale = s->from_bits > s->to_bits ? 127 - e : e - 127;
	}
	if (a->fp16_ovfl && s->to_bits == 8)
		o = EXACT_SATURATE;
	if (a->fp16_ovfl && !strcmp(s->to, "FP16") && (x & ~SIGN) != INF)
		o = EXACT_SATURATE;
	if (a->e5m3 && !strcmp(s->to, "E4M3"))
		x &= ~SIGN;
	exact_encode(format_in(s->to, a), x, scale, s->stochastic ? EXACT_SR : EXACT_RNE, o, random,
	             &code);
	return code;
}

static int expected(const struct shape *s, const struct mx_cvt_args *a, uint32_t *d) {
	int width = s->n * s->to_bits, words = (width + 31) / 32;
	int start = width == 8 ? a->op_sel / 4 * 8 : width == 16 ? a->op_sel / 8 * 16 : 0;
	uint32_t random = a->random;
	memset(d, 0, words * sizeof *d);
	d[0] = width < 32 ? a->old : 0;
	for (int i = 0; i < s->n; i++) {
		uint32_t of_i = s->halves ? a->random << 16 * (1 - i) & 0xffff0000 : random;
		uint32_t code = result_value(s, a, source_value(s, a, i), of_i);
		for (int b = 0; b < s->to_bits; b++) {
			int at = start + i * s->to_bits + b;
			d[at / 32] &= ~(1u << at % 32);
			d[at / 32] |= (code >> b & 1) << at % 32;
		}
		random = random * 2 ^ (random >= SIGN ? 0xc5 : 0);
	}
	return words;
}

/* Any bits, an f32 in the range of the formats, often with few bits, or a special value. */
static uint32_t any_f32(void) {
	uint32_t x = (uint32_t)rng();
	switch (rng() % 16) {
	case 0: return (x & SIGN) | INF;
	case 1: return x | INF;
	case 2:
	case 3: return x;
	case 4: return x & 0x80ffffff; /* around the smallest normal */
	}
	x &= ~0u << rng() % 23;
	return (x & 0x807fffff) | (uint32_t)(100 + rng() % 46) << 23;
}

static uint32_t any_dword(const struct shape *s) {
	if (s->from_bits == 32)
		return any_f32();
	if (!strcmp(s->from, "BF16"))
		return any_f32() >> 16 | (any_f32() & 0xffff0000);
	return (uint32_t)rng();
}

struct cvt_tally {
	unsigned wrong;
	struct mx_cvt_args a;
	uint32_t source[32], got, want;
	int word;
};

static void judge_cvt(struct cvt_tally *t, mx_cvt_op op, const struct shape *s,
                      const struct mx_cvt_args *a) {
	uint32_t got[33], want[33];
	memset(got, 0xa5, sizeof got);
	memset(want, 0xa5, sizeof want);
	mx_status status = mx_cvt(op, a, got);
	if (a->op_sel & ~op_sel_bits(s))
		t->wrong += status != MX_BAD_OPTION;
	else
		expected(s, a, want);
	int i = 0;
	while (i < 33 && got[i] == want[i])
		i++;
	if (i < 33 && !t->wrong++) {
		t->a = *a;
		memcpy(t->source, a->source, sizeof t->source);
		t->got = got[i];
		t->want = want[i];
		t->word = i;
	}
}

/* The first dword of a source; small formats take all their codes. */
static uint32_t nth_dword(const struct shape *s, unsigned i) {
	return s->from_bits <= 8 ? i * 0x01010101u + (i >> 8 & 0xff) : any_dword(s);
}

static void test_cvt(mx_cvt_op op) {
	struct mx_cvt_info info = mx_cvt_info(op);
	struct shape s;
	if (!read_name(info.name + strlen("v_cvt_"), &s)) {
		ok(false, "%s has a name that this test can parse", info.name);
		return;
	}
	struct cvt_tally t = { 0 };
	unsigned all = s.n > 2 ? 19200 / s.n : s.to_bits == 32 ? 6000 : 16000;
	unsigned rounds = is_long() ? all : all / 4; /* every OP_SEL and mode within 128 */
	for (unsigned i = 0; i < rounds; i++) {
		uint32_t source[32];
		struct mx_cvt_args a = {
			.source = source,
			.scale = i % 2 ? (uint32_t)rng() : (uint32_t)(110 + rng() % 40) << 23,
			.random = (uint32_t)rng(),
			.old = (uint32_t)rng(),
			.op_sel = i % 16,
			.fp16_ovfl = i >> 4 & 1,
			.flush_f32 = i >> 5 & 1,
			.e5m3 = i >> 6 & 1,
		};
		if (rng() % 16 == 0)
			a.scale |= INF;
		for (int k = 0; k < 32; k++)
			source[k] = k ? any_dword(&s) : nth_dword(&s, i);
		judge_cvt(&t, op, &s, &a);
		a.op_sel &= op_sel_bits(&s);
		judge_cvt(&t, op, &s, &a);
	}
	if (!ok(!t.wrong, "%s with every OP_SEL, FP16_OVFL and f32 denormal mode", info.name))
		diag("first wrong of %u: dword %d is %08x, exactly %08x: source %08x %08x, "
		     "scale %08x, random %08x, old %08x, op_sel %x, fp16_ovfl %d, flush %d, e5m3 "
		     "%d",
		     t.wrong, t.word, t.got, t.want, t.source[0], t.source[1], t.a.scale,
		     t.a.random, t.a.old, t.a.op_sel, t.a.fp16_ovfl, t.a.flush_f32, t.a.e5m3);
}

/* Every 8-bit, 6-bit and 4-bit code with every exponent of the scale. */
static void test_cvt_codes(mx_cvt_op op) {
	struct mx_cvt_info info = mx_cvt_info(op);
	struct shape s;
	if (!read_name(info.name + strlen("v_cvt_"), &s) || s.from_bits > 8)
		return;
	struct cvt_tally t = { 0 };
	int calls = s.n == 32 ? 2 : 256 / s.n, e5m3 = !strcmp(s.from, "E4M3");
	for (int e = 0; e < (s.scaled ? 256 : 1); e++)
		for (int i = 0; i < calls << e5m3; i++) {
			uint32_t source[32] = { 0 };
			for (int k = 0; k < s.n; k++) {
				uint32_t code = (uint32_t)(i * s.n + k) & ((1u << s.from_bits) - 1);
				for (int b = 0; b < s.from_bits; b++)
					source[(k * s.from_bits + b) / 32] |=
						(code >> b & 1) << (k * s.from_bits + b) % 32;
			}
			judge_cvt(&t, op, &s,
			          &(struct mx_cvt_args){ .source = source,
			                                 .scale = (uint32_t)e << 23,
			                                 .e5m3 = i >= calls });
		}
	if (!ok(!t.wrong, "%s of every code%s", info.name, s.scaled ? " and scale" : ""))
		diag("first wrong of %u: dword %d is %08x, exactly %08x: source %08x, scale %08x",
		     t.wrong, t.word, t.got, t.want, t.source[0], t.a.scale);
}

static void test_cvt_info(void) {
	int bad = 0;
	for (int op = 0; op < MX_CVTS; op++) {
		struct mx_cvt_info i = mx_cvt_info(op);
		struct shape s;
		if (!read_name(i.name + strlen("v_cvt_"), &s) || strcmp(i.from, s.from) ||
		    strcmp(i.to, s.to) || i.values != s.n || i.data != s.operands ||
		    i.scaled != s.scaled || i.stochastic != s.stochastic ||
		    i.data_dwords != (s.n / s.operands * s.from_bits + 31) / 32 ||
		    i.dst_dwords != (s.n * s.to_bits + 31) / 32 ||
		    i.partial != (s.n * s.to_bits < 32) || i.op_sel != op_sel_bits(&s))
			if (!bad++)
				diag("first wrong: %s", i.name);
	}
	ok(!bad, "each of %d conversion instructions has the properties of its name", MX_CVTS);
}

/* The examples of MLIR's amdgpu.scaled_ext_packed_matrix, and a measurement of FP4 with SCALE_SEL 0
 * in ROCm/mori: { SCALE_SEL, the first lane, bytes of lanes 0 to 15 and of 16 to 31 }; the first
 * lane -1: reserved. */
static const int places_of_4_bits[][4] = {
	{ 0, 0, 0, 1 },  { 2, 0, 2, 3 },  { 6, 16, 2, 3 }, { 1, 0, 0, 2 },
	{ 7, 16, 1, 3 }, { 4, 16, 0, 1 }, { 8, -1 },
};
static const int places_of_8_bits[][4] = {
	{ 0, 0, 0, 0 },   { 2, 0, 1, 1 }, { 4, 0, 2, 2 }, { 6, 0, 3, 3 }, { 10, 16, 1, 1 },
	{ 13, 16, 2, 3 }, { 1, 0, 0, 1 }, { 3, -1 },      { 5, -1 },      { 9, -1 },
};

static bool is_at(const char *name, const int place[4]) {
	unsigned from, byte;
	mx_cvt_op op;
	bool good = mx_cvt_by_name(name, &op);
	for (unsigned lane = 0; lane < 32 && good; lane++) {
		mx_status s = mx_cvt_scale_place(op, (unsigned)place[0], lane, &from, &byte);
		good = place[1] < 0 ? s == MX_BAD_OPTION
		                    : s == MX_OK && from == (unsigned)place[1] + lane % 16 &&
		                              byte == (unsigned)place[2 + lane / 16];
	}
	return good;
}

static void test_scale_places(void) {
	unsigned bad = 0, from, byte;
	for (size_t i = 0; i < sizeof places_of_4_bits / sizeof *places_of_4_bits; i++)
		bad += !is_at("v_cvt_scale_pk8_f32_fp4", places_of_4_bits[i]) ||
		       !is_at("v_cvt_scale_pk16_f16_bf6", places_of_4_bits[i]);
	for (size_t i = 0; i < sizeof places_of_8_bits / sizeof *places_of_8_bits; i++)
		bad += !is_at("v_cvt_scale_pk8_bf16_fp8", places_of_8_bits[i]) ||
		       !is_at("v_cvt_scale_pk8_f32_bf8", places_of_8_bits[i]);
	ok(!bad, "scales in lanes and bytes by SCALE_SEL");
	ok(mx_cvt_scale_place(MX_CVT_f32_fp8, 0, 0, &from, &byte) == MX_BAD_OPTION &&
	           mx_cvt_scale_place(MX_CVT_scale_pk8_f32_fp4, 0, 32, &from, &byte) ==
	                   MX_BAD_OPTION,
	   "and an op without them and a lane above 31 are refused");
}

int main(void) {
	test_cvt_info();
	test_scale_places();
	for (int op = 0; op < MX_CVTS; op++) {
		test_cvt(op);
		test_cvt_codes(op);
	}
	return done_testing();
}
