/* The conversions of gfx1250 in programs: operands, halves, bytes and scales of their encodings,
 * against mx_cvt, which oracle/exact checks (tests/oracle/cvt_test.c). */
#include "gfx1250_program.h"

#include "../../ref/isa/encoding/decode.h"

enum { V_DATA = 8, V_DATA2 = 24, V_RANDOM = 28, V_SCALE = 29 };

static uint64_t rng_state = 1250;

static uint32_t rng(void) {
	return (uint32_t)(next_random(&rng_state) >> 20);
}

/* Half of the numbers are near 1 in f32, f16 and bf16. */
static void fill(void) {
	fill_arena(0);
	for (size_t at = 0; at < USED; at += 4) {
		uint32_t u = rng();
		put(at, u & 1 ? u : (u & 0x87ff87ff) | 0x38003800);
	}
	for (unsigned l = 0; l < LANES; l++)
		put(place_in(AT_SOURCES, V_SCALE - FIRST_SOURCE, l),
		    0x7b7c7d7e + 0x01010101 * (rng() % 4));
	put(AT_SCALARS + 8, rng() | 1);
}

/* The longest form without DPP, which has all modifiers. */
static const struct mx_isa_row *row_of(mx_cvt_op op) {
	const struct mx_isa_row *best = NULL;
	for (size_t i = 0; i < mx_gfx1250_encodings.n_rows; i++) {
		const struct mx_isa_row *r = &mx_gfx1250_encodings.rows[i];
		const struct mx_op *o = mx_gfx1250_op(r);
		if (o && mx_is_cvt(o) && o->cvt == op && r->format == MX_FORM_VOP3)
			best = r;
	}
	return best;
}

/* op_sel: as mx_cvt has it, or SCALE_SEL. LLVM has the bits of a source's byte in the other
 * order. */
static void encode(const struct mx_isa_row *row, const struct mx_cvt_info *i, unsigned op_sel,
                   bool clamp, uint32_t code[4]) {
	unsigned src[3] = { V_DATA }, n = i->data;
	bool by_byte = i->op_sel & 2;
	if (n == 2)
		src[1] = V_DATA2;
	if (i->stochastic)
		src[n++] = V_RANDOM;
	if (i->scaled)
		src[n++] = V_SCALE;
	if (by_byte)
		op_sel = (op_sel & 12) | (op_sel & 1) << 1 | (op_sel >> 1 & 1);
	mx_isa_row_blank(&mx_gfx1250_encodings, row, code);
	code[0] |= FIRST_RESULT | op_sel << 11 | (uint32_t)clamp << 15;
	for (unsigned k = 0; k < n; k++)
		code[1] |= (256 + src[k]) << 9 * k;
}

static bool lane_agrees(mx_cvt_op op, const struct mx_cvt_info *i, unsigned op_sel, bool clamp,
                        unsigned lane) {
	uint32_t data[32], want[32];
	unsigned from = lane, byte = 0;
	bool on = scalar_of(18) >> lane & 1, good = true;
	struct mx_cvt_args a = { .source = data,
		                 .random = source_of(V_RANDOM, lane),
		                 .old = old_of(FIRST_RESULT, lane),
		                 .op_sel = i->scale_byte ? 0 : op_sel,
		                 .e5m3 = clamp };
	for (unsigned k = 0; k < i->data * i->data_dwords; k++)
		data[k] = source_of(k < i->data_dwords ? V_DATA + k : V_DATA2, lane);
	if (i->scale_byte)
		mx_cvt_scale_place(op, op_sel, lane, &from, &byte);
	a.scale = source_of(V_SCALE, from);
	if (i->scale_byte)
		a.scale = (a.scale >> 8 * byte & 0xff) << 23;
	good = mx_cvt(op, &a, want) == MX_OK;
	for (unsigned k = 0; k < RESULT_REGISTERS && good; k++) {
		uint32_t w = on && k < i->dst_dwords ? want[k] : old_of(FIRST_RESULT + k, lane);
		good = result_of(FIRST_RESULT + k, lane) == w;
		if (!good)
			diag("lane %u, dword %u: 0x%08x, want 0x%08x", lane, k,
			     result_of(FIRST_RESULT + k, lane), w);
	}
	return good;
}

static bool agrees(mx_cvt_op op, const struct mx_isa_row *row, unsigned op_sel, bool clamp) {
	struct mx_cvt_info i = mx_cvt_info(op);
	struct machine m = machine();
	uint32_t code[4];
	fill();
	encode(row, &i, op_sel, clamp, code);
	run_gfx1250(&m, code, 8, USUAL_MODE);
	bool good = only_notes(&m);
	if (!good)
		show_findings(&m);
	for (unsigned l = 0; l < LANES && good; l++)
		good = lane_agrees(op, &i, op_sel, clamp, l);
	mx_report_free(&m.report);
	return good;
}

/* Whether the value of OP_SEL or SCALE_SEL has a meaning. */
static bool selects(mx_cvt_op op, const struct mx_cvt_info *i, unsigned op_sel) {
	unsigned from, byte;
	return i->scale_byte ? mx_cvt_scale_place(op, op_sel, 0, &from, &byte) == MX_OK
	                     : !(op_sel & ~i->op_sel);
}

static void test_reserved(void) {
	struct machine m = machine();
	uint32_t code[4];
	struct mx_cvt_info i = mx_cvt_info(MX_CVT_scale_pk8_f32_fp4);
	fill();
	encode(row_of(MX_CVT_scale_pk8_f32_fp4), &i, 8, false, code);
	run_gfx1250(&m, code, 8, USUAL_MODE);
	ok(finding_says(&m, "a reserved SCALE_SEL"), "a reserved SCALE_SEL stops the launch");
	mx_report_free(&m.report);
}

int main(void) {
	unsigned n = 0, n_clamped = 0;
	for (int op = 0; op < MX_CVTS; op++) {
		struct mx_cvt_info i = mx_cvt_info(op);
		const struct mx_isa_row *row = row_of(op);
		bool good = true;
		if (!row)
			continue;
		bool clamps = mx_gfx1250_op(row)->flags & MX_CLAMPS;
		for (unsigned s = 0; s < 32 && good; s++)
			if (selects(op, &i, s % 16) && (s < 16 || clamps))
				good = agrees(op, row, s % 16, s >= 16);
		ok(good, "%s with each selection%s", i.name, clamps ? ", and E5M3" : "");
		n++;
		n_clamped += clamps;
	}
	ok(n == 65 && n_clamped == 4, "%u conversions, %u of them with E5M3", n, n_clamped);
	test_reserved();
	return done_testing();
}
