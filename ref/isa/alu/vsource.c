/* Fetches the sources of the vector ALU, registers and constants, and applies modifiers [ISA
 * 6.2]. */
#include <string.h>

#include "../machine/registers.h"
#include "vector.h"

/* ---- constants ---- */

/* Inline floats 240 to 248 [ISA table 23]. The manual does not define bf16; LLVM uses the upper
 * half of the f32. */
static const struct {
	uint16_t f16, bf16;
	uint64_t f64;
} inline_floats[] = {
	{ 0x3800, 0x3f00, 0x3fe0000000000000 }, { 0xb800, 0xbf00, 0xbfe0000000000000 },
	{ 0x3c00, 0x3f80, 0x3ff0000000000000 }, { 0xbc00, 0xbf80, 0xbff0000000000000 },
	{ 0x4000, 0x4000, 0x4000000000000000 }, { 0xc000, 0xc000, 0xc000000000000000 },
	{ 0x4400, 0x4080, 0x4010000000000000 }, { 0xc400, 0xc080, 0xc010000000000000 },
	{ 0x3118, 0x3e22, 0x3fc45f306dc9c882 },
};

/* A scalar source as a vector operand of this type; A literal is the upper half of an f64; a
 * literal of a 64-bit integer is sign-extended if the type is signed [ISA 6.2.1.1]. A constant of
 * two packed dwords is the lower one, the only one that may be selected. */
uint64_t mx_scalar_source(struct mx_wave *w, const struct mx_inst *in, unsigned i) {
	const struct mx_type_info *t = &mx_operand_types[in->op->source_type[i]];
	unsigned code = mx_source(in, i);
	if (code >= MX_FLOAT_0_5 && code <= MX_FLOAT_1_2PI) {
		unsigned i = code - MX_FLOAT_0_5;
		switch (t->constants) {
		case MX_CONST_F16: return inline_floats[i].f16;
		case MX_CONST_BF16: return inline_floats[i].bf16;
		case MX_CONST_F64: return inline_floats[i].f64;
		case MX_CONST_F32: break;
		}
	}
	bool constant = code >= MX_INT_0 && code != MX_LITERAL64;
	if (t->dwords < 2 || (constant && t->elements == 2)) {
		uint64_t v = mx_sread(w, in, code);
		return t->dwords < 2 ? v : v | v << 32;
	}
	if (code == MX_LITERAL && t->is_float)
		return (uint64_t)in->literal << 32;
	return mx_sread64(w, in, code);
}

/* ---- sources ---- */

mx_vreg *mx_source_copy(const struct mx_inst *in, struct mx_sources *s, unsigned i) {
	mx_vreg *copy = s->copy[i];
	if ((const void *)s->x.s[i] != copy) {
		memcpy(copy, s->x.s[i], in->op->s[i] * sizeof *copy);
		s->x.s[i] = (const uint32_t(*)[MX_LANES])copy;
	}
	return copy;
}

static void fetch_scalar(struct mx_wave *w, const struct mx_inst *in, unsigned i,
                         struct mx_sources *s) {
	unsigned code = mx_source(in, i), n = in->op->s[i];
	uint64_t value = code <= MX_M0 && n == 1 ? w->s[code] : mx_scalar_source(w, in, i);
	for (unsigned h = 0; h < n; h++) {
		mx_broadcast(s->copy[i][h], (uint32_t)(value >> (32 * h)));
		s->any_unwritten |= mx_sread_unwritten(w, code + h) != 0;
	}
	s->x.s[i] = (const uint32_t(*)[MX_LANES])s->copy[i];
}

static void fetch_vector(struct mx_wave *w, const struct mx_inst *in, unsigned i,
                         struct mx_sources *s) {
	unsigned row = mx_indexed_row(w, in, mx_source(in, i), i), n = in->op->s[i];
	if (!mx_vgprs_exist(w, in, row, n))
		row = 0;
	s->row[i] = (uint16_t)row;
	s->x.s[i] = (const uint32_t(*)[MX_LANES])(w->v + row);
	for (unsigned h = 0; h < n; h++)
		s->any_unwritten |= w->unwritten_lanes[row + h] != 0;
}

static void fetch_mask(struct mx_wave *w, const struct mx_inst *in, struct mx_sources *s) {
	unsigned code = in->op->flags & MX_VCC_IN ? MX_VCC : mx_source(in, 2);
	s->x.mask_in = mx_sread64(w, in, code);
	if (code <= MX_EXEC) /* registers, not a constant */
		s->mask_unwritten = mx_pair(w->s_unwritten + code) & w->lanes;
	s->any_unwritten |= s->mask_unwritten != 0;
}

void mx_arrange_source(const struct mx_inst *in, const struct mx_sources *s, unsigned i,
                       mx_vreg *v) {
	if (in->sdwa.used && i < 2)
		mx_select_sub_dword(in, i, v[0], v[0]);
	for (unsigned h = 0; in->dpp.used && i == 0 && h < in->op->s[0]; h++)
		mx_move_lanes(s, v[h], v[h]);
	mx_choose_halves(in, i, v);
}

static void transform(struct mx_wave *w, const struct mx_inst *in, unsigned i,
                      struct mx_sources *s) {
	mx_vreg *v = mx_source_copy(in, s, i);
	mx_arrange_source(in, s, i, v);
	if (s->any_unwritten)
		memcpy(s->arranged[i], v, in->op->s[i] * sizeof *v);
	mx_modify_source(in, i, w->mode, v);
}

static void fetch_source(struct mx_wave *w, const struct mx_inst *in, unsigned i,
                         struct mx_sources *s) {
	if (mx_source(in, i) >= MX_VGPR)
		fetch_vector(w, in, i, s);
	else
		fetch_scalar(w, in, i, s);
}

static void finish_sources(struct mx_wave *w, const struct mx_inst *in, bool transforms,
                           struct mx_sources *s) {
	for (unsigned i = 0; i < 3 && in->op->s[i]; i++)
		if (transforms)
			transform(w, in, i, s);
		else
			memcpy(s->arranged[i], s->x.s[i], in->op->s[i] * sizeof(mx_vreg));
}

void mx_fetch(struct mx_wave *w, const struct mx_inst *in, struct mx_sources *s) {
	const struct mx_op *op = in->op;
	bool transforms = !in->plain || mx_mode_matters(op, w->mode);
	s->any_unwritten = false;
	s->mask_unwritten = s->x.mask_in = s->x.mask_out = s->x.assumed = 0;
	s->lanes = mx_exec(w);
	if (in->dpp.used)
		mx_plan_dpp(w, in, s);
	for (unsigned i = 0; i < 3 && op->s[i]; i++)
		fetch_source(w, in, i, s);
	if (op->flags & (MX_CARRY_IN | MX_VCC_IN))
		fetch_mask(w, in, s);
	if (transforms || s->any_unwritten)
		finish_sources(w, in, transforms, s);
	mx_fetch_fields(w, in, &s->x);
}
