/* Conversion instructions: passes lanes to mx_cvt of ref/num and writes the results [ISA 7.3,
 * 12.11]. */
#include <string.h>

#include "../encoding/conversions.h"
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "vector.h"

enum { MAX_SOURCE = 32, MAX_RESULT = 32 }; /* dwords per lane */
enum { DWORD = 6 };                        /* selection of SDWA */

/* An operand's registers, or one scalar for all lanes. */
struct operand {
	unsigned dwords, row;
	bool scalar;
	uint32_t value, unwritten;
	uint32_t keep, flip; /* of an f32 with ABS and NEG */
	uint8_t select;      /* SDWA */
};

struct operands {
	struct mx_cvt_info info;
	struct operand data[2], random, scale;
	/* What the names of the two formats mean for results that are assumed. */
	bool from_f32, to_f32, from_bf16, to_bf16, to_nan_free, to_e4m3;
	uint32_t infinity;       /* of the source, if it has 16 bits */
	mx_assumption denormals; /* the rule for those that MODE does not keep */
	uint32_t keeps;          /* the bits of a partial result that are those of the old dword */
};

/* Once for an instruction: comparing names takes longer than the conversion of a lane. */
static void note_formats(struct operands *o) {
	const char *from = o->info.from, *to = o->info.to;
	o->from_f32 = !strcmp(from, "FP32");
	o->from_bf16 = !strcmp(from, "BF16");
	o->to_f32 = !strcmp(to, "FP32");
	o->to_bf16 = !strcmp(to, "BF16");
	o->to_e4m3 = !strcmp(to, "E4M3");
	o->to_nan_free = !strcmp(to, "E2M1") || !strcmp(to, "E2M3") || !strcmp(to, "E3M2");
	o->infinity = !strcmp(from, "FP16") ? 0x7c00 : 0x7f80;
}

static uint32_t kept_bits(const struct mx_inst *in, const struct mx_cvt_info *i) {
	uint32_t zeros[MAX_SOURCE] = { 0 }, of_zeros, of_ones;
	struct mx_cvt_args a = { .source = zeros, .op_sel = in->op_sel };
	if (!i->partial)
		return 0;
	mx_cvt(in->op->cvt, &a, &of_zeros);
	a.old = ~0u;
	mx_cvt(in->op->cvt, &a, &of_ones);
	return of_zeros ^ of_ones;
}

static bool take(struct mx_wave *w, const struct mx_inst *in, unsigned i, unsigned dwords,
                 struct operand *o) {
	unsigned code = mx_source(in, i);
	*o = (struct operand){ .dwords = dwords,
		               .scalar = code < MX_VGPR,
		               .keep = in->abs >> i & 1 ? 0x7fffffff : ~0u,
		               .flip = in->neg >> i & 1 ? 1u << 31 : 0,
		               .select = in->sdwa.used && i == 0 ? in->sdwa.sel[0] : DWORD };
	if (o->scalar && dwords != 1) {
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(OPERAND_CODE, code));
		return false;
	}
	if (o->scalar) {
		o->value = mx_sread(w, in, code);
		o->unwritten = mx_sread_unwritten(w, code);
		return true;
	}
	o->row = mx_row(code);
	return mx_vgprs_exist(w, in, o->row, dwords);
}

/* Data, then the random operand, then the scale, if present. */
static bool take_all(struct mx_wave *w, const struct mx_inst *in, struct operands *o) {
	unsigned i = 0;
	for (unsigned n = 0; n < o->info.data; n++)
		if (!take(w, in, i++, o->info.data_dwords, &o->data[n]))
			return false;
	if (o->info.stochastic && !take(w, in, i++, 1, &o->random))
		return false;
	return !o->info.scaled || take(w, in, i, 1, &o->scale);
}

/* Copies a lane's dwords of an operand to `to`, zeros for lane -1, and their unwritten bits. */
static void gather(const struct mx_wave *w, const struct operand *o, int lane, uint32_t *to,
                   uint32_t *unwritten) {
	for (unsigned k = 0; k < o->dwords; k++) {
		uint32_t value = lane < 0 ? 0 : o->scalar ? o->value : w->v[o->row + k][lane];
		to[k] = lane < 0 ? 0 : (value & o->keep) ^ o->flip;
		unwritten[k] = lane < 0    ? 0
		               : o->scalar ? o->unwritten
		                           : mx_vunwritten(w, o->row + k, (unsigned)lane);
	}
	*to = mx_sub_dword(*to, o->select, false);
	*unwritten = mx_sub_dword(*unwritten, o->select, false);
}

/* ---- operands with an assumed result ---- */

static unsigned source_dwords(const struct operands *o) {
	return o->info.data * o->info.data_dwords;
}

static bool is_nan(const struct operands *o, uint32_t u) {
	if (o->from_f32)
		return (u & 0x7fffffff) > 0x7f800000;
	return (u & 0x7fff) > o->infinity || (u >> 16 & 0x7fff) > o->infinity;
}

/* Whether a lane converts NaN to FP6 or FP4. These formats come in pairs, so both halves of each
 * dword of f16 and bf16 are tested. */
static bool loses_nan(const struct operands *o, const uint32_t *source) {
	bool nan = false;
	for (unsigned k = 0; o->to_nan_free && k < source_dwords(o); k++)
		nan |= is_nan(o, source[k]);
	return nan;
}

static bool is_denormal(bool f32, bool bf16, uint32_t u) {
	if (f32)
		return u & 0x7fffff && !(u & 0x7f800000);
	bool low = u & 0x7f && !(u & 0x7f80), high = u & 0x7f0000 && !(u & 0x7f800000);
	return bf16 && (low || high);
}

static bool any_denormal(const struct operands *o, const uint32_t *source, const uint32_t *d) {
	bool any = false;
	for (unsigned k = 0; k < source_dwords(o); k++)
		any |= is_denormal(o->from_f32, o->from_bf16, source[k]);
	for (unsigned k = 0; k < o->info.dst_dwords; k++)
		any |= is_denormal(o->to_f32, o->to_bf16, d[k]);
	return any;
}

/* Whether a lane converts a negative number to E5M3. */
static bool any_negative(const struct operands *o, const uint32_t *source) {
	uint32_t signs = 0;
	for (unsigned k = 0; o->to_e4m3 && k < source_dwords(o); k++)
		signs |= source[k] & (o->from_f32 ? 1u << 31 : 0x80008000);
	return signs;
}

static void flush_results(const struct operands *o, uint32_t *d) {
	for (unsigned k = 0; k < o->info.dst_dwords; k++)
		if (is_denormal(o->to_f32, o->to_bf16, d[k]))
			d[k] &= 1u << 31;
}

static void note(struct mx_wave *w, const struct mx_inst *in, const struct operands *o,
                 unsigned lane, const struct mx_cvt_args *a, const uint32_t *d) {
	const struct mx_cvt_info *i = &o->info;
	if (i->scaled && (a->scale >> 23 & 0xff) == 0xff)
		mx_assume(w, in, UINT64_C(1) << lane, MX_ASSUMES_SCALE_OF_NAN);
	else if (mx_kind_of(in->op) == MX_IS_EXPONENT && a->scale & ~(UINT32_C(0xff) << 23))
		mx_assume(w, in, UINT64_C(1) << lane, MX_ASSUMES_SCALE_MANTISSA);
	else if (a->e5m3 && any_negative(o, a->source))
		mx_assume(w, in, UINT64_C(1) << lane, MX_ASSUMES_UNSIGNED_FP8);
	else if (loses_nan(o, a->source))
		mx_assume(w, in, UINT64_C(1) << lane, MX_ASSUMES_NAN_TO_SMALL);
	else if (o->denormals && any_denormal(o, a->source, d))
		mx_assume(w, in, UINT64_C(1) << lane, o->denormals);
}

/* The f32 with the exponent that an E8M0 byte selects; *scale is the operand of the byte's lane.
 * *unwritten has the byte's unwritten bits. */
static void gather_byte(const struct mx_wave *w, const struct mx_inst *in, const struct operand *o,
                        unsigned lane, uint32_t *scale, uint32_t *unwritten) {
	unsigned from, byte;
	mx_cvt_scale_place(in->op->cvt, in->op_sel, lane % MX_WAVE32, &from, &byte);
	gather(w, o, (int)from, scale, unwritten);
	*scale = (*scale >> 8 * byte & 0xff) << 23;
	*unwritten = *unwritten >> 8 * byte & 0xff;
}

/* The bits of a lane's result that depend on unwritten bits of its data: of data without any, none. */
static void source_unwritten(mx_cvt_op op, const struct operands *o, const struct mx_cvt_args *a,
                             const uint32_t *of_source, uint32_t *unwritten) {
	uint32_t any = 0;
	for (unsigned k = 0; k < source_dwords(o); k++)
		any |= of_source[k];
	if (any)
		mx_cvt_dependents(op, a->op_sel, of_source, unwritten);
	else
		memset(unwritten, 0, o->info.dst_dwords * sizeof *unwritten);
}

/* Converts one lane; DPP may take the data from another lane. d gets the result, unwritten its
 * bits that depend on unwritten bits: all bits of a value depend on the value's source, on the
 * random operand and on the scale. Bits that a partial result keeps depend only on the old dword.
 */
static void convert(struct mx_wave *w, const struct mx_inst *in, const struct operands *o,
                    unsigned lane, int from, uint32_t *d, uint32_t *unwritten) {
	uint32_t source[MAX_SOURCE], of_source[MAX_SOURCE], of_random = 0, of_scale = 0;
	unsigned row = mx_row_at(in, MX_AT_RESULT), dwords = o->info.data_dwords;
	struct mx_cvt_args a = { .source = source,
		                 .op_sel = o->info.scale_byte ? 0 : in->op_sel,
		                 .fp16_ovfl = w->mode >> MX_MODE_FP16_OVFL & 1,
		                 .flush_f32 = !(w->mode & MX_MODE_F32_SOURCES),
		                 .e5m3 = in->clamp };
	for (unsigned n = 0; n < o->info.data; n++)
		gather(w, &o->data[n], n ? (int)lane : from, source + n * dwords,
		       of_source + n * dwords);
	if (o->info.stochastic)
		gather(w, &o->random, (int)lane, &a.random, &of_random);
	if (o->info.scale_byte)
		gather_byte(w, in, &o->scale, lane, &a.scale, &of_scale);
	else if (o->info.scaled)
		gather(w, &o->scale, (int)lane, &a.scale, &of_scale);
	a.old = o->info.partial ? w->v[row][lane] : 0;
	mx_cvt(in->op->cvt, &a, d);
	note(w, in, o, lane, &a, d);
	if (!(w->mode & MX_MODE_F32_RESULTS) && o->to_f32)
		flush_results(o, d);
	source_unwritten(in->op->cvt, o, &a, of_source, unwritten);
	for (unsigned k = 0; k < o->info.dst_dwords; k++)
		unwritten[k] |= of_random | of_scale ? ~o->keeps : 0;
	if (o->info.partial)
		unwritten[0] |= mx_vunwritten(w, row, lane) & o->keeps;
}

void mx_exec_cvt(struct mx_wave *w, const struct mx_inst *in) {
	struct operands o = { .info = mx_cvt_info(in->op->cvt),
		              .denormals = mx_cvt_rests_on(in, w->mode) };
	const char *why = mx_cvt_refused(in, w->mode);
	struct mx_sources s = { .lanes = mx_exec(w) };
	mx_vreg d[MAX_RESULT], unwritten[MAX_RESULT];
	uint32_t lane_result[MAX_RESULT], lane_unwritten[MAX_RESULT];
	unsigned row = mx_row_at(in, MX_AT_RESULT), l;
	if (why || (!o.info.scale_byte && in->op_sel & ~o.info.op_sel)) {
		mx_find(w, in, MX_UNSUPPORTED, -1, 0,
		        why ? MX_BECAUSE_OF(REFUSED, why) : MX_BECAUSE(OP_SEL));
		return;
	}
	note_formats(&o);
	o.keeps = kept_bits(in, &o.info);
	if (!take_all(w, in, &o) || !mx_vgprs_exist(w, in, row, o.info.dst_dwords))
		return;
	if (in->dpp.used)
		mx_plan_dpp(w, in, &s);
	MX_FOR_LANES(l, s.lanes) {
		int from = in->dpp.used ? s.from[l] : (int)l;
		convert(w, in, &o, l, from, lane_result, lane_unwritten);
		for (unsigned k = 0; k < o.info.dst_dwords; k++) {
			d[k][l] = lane_result[k];
			unwritten[k][l] = lane_unwritten[k];
		}
	}
	for (unsigned k = 0; k < o.info.dst_dwords; k++)
		mx_vwrite(w, row + k, s.lanes, d[k], unwritten[k]);
}
