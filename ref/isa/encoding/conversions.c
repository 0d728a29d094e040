/* Conversion instructions: the modifiers and MODEs in which their results are known [ISA 7.3, 12.8,
 * 12.11]. */
#include <string.h>

#include "conversions.h"

enum { KEEP_F16 = 3 << 6, KEEP_ALL = 0xf << 4, ROUNDING = 0xf };
enum { WORD_0 = 4, DWORD = 6 }; /* selections of SDWA */

/* SDWA selects a byte for a conversion of one number, or a word for two; other selections are
 * illegal [ISA 12.8]. */
static bool selects(const struct mx_inst *in, const struct mx_cvt_info *info) {
	unsigned select = in->sdwa.sel[0];
	bool fits = info->values == 1 ? select < WORD_0 : select >= WORD_0 && select < DWORD;
	return (fits || select == DWORD) && !in->sdwa.sext[0];
}

/* FP8, BF8, FP6, BF6 and FP4; formats.def names them by their fields. */
static bool is_small(const char *format) {
	return format[0] == 'E';
}

/* Narrowing to 16, 8 and 4 bits rounds to nearest even, stochastic rounding ignores MODE, and FP8
 * to f32 is exact [ISA 12.8, 12.11]. No source defines the effect of MODE on scaled widening and on
 * FP6. */
static bool rounds_in_any_mode(const struct mx_cvt_info *i) {
	bool six = !strcmp(i->to, "E2M3") || !strcmp(i->to, "E3M2");
	return i->stochastic || !i->scaled || (is_small(i->to) && !six);
}

/* Sources of f32 follow MODE if the result is a small format; small formats keep denormals in any
 * MODE [ISA 7.3]. */
static bool denormals_are_known(const struct mx_cvt_info *i, uint32_t mode) {
	if (is_small(i->to) && !strcmp(i->from, "FP32"))
		return true;
	if (is_small(i->to) && !strcmp(i->from, "FP16"))
		return (mode & KEEP_F16) == KEEP_F16;
	return (is_small(i->from) && !i->scaled) || (mode & KEEP_ALL) == KEEP_ALL;
}

/* Whether SCALE_SEL, in the bits of OP_SEL, selects a lane and a byte. */
static bool has_scale(const struct mx_inst *in) {
	unsigned from, byte;
	return mx_cvt_scale_place(in->op->cvt, in->op_sel, 0, &from, &byte) == MX_OK;
}

const char *mx_cvt_refused(const struct mx_inst *in, uint32_t mode) {
	if (!in->op || !mx_is_cvt(in->op))
		return NULL;
	struct mx_cvt_info info = mx_cvt_info(in->op->cvt);
	if ((in->clamp && !(in->op->flags & MX_CLAMPS)) || in->omod)
		return "clamp or omod of a conversion";
	if (info.scale_byte && !has_scale(in))
		return "a reserved SCALE_SEL";
	if ((in->neg | in->abs) && (strcmp(info.from, "FP32") || info.data_dwords > 1))
		return "neg or abs of a source that is not one f32";
	if (in->sdwa.used && !selects(in, &info))
		return "an SDWA selection of a conversion";
	if (mode & ROUNDING && !rounds_in_any_mode(&info))
		return "this conversion with a rounding MODE other than nearest even";
	bool known = denormals_are_known(&info, mode) || (mode & KEEP_F16) == KEEP_F16;
	return known ? NULL : "this conversion with denormals of f16 flushed";
}

mx_assumption mx_cvt_rests_on(const struct mx_inst *in, uint32_t mode) {
	if (!in->op || !mx_is_cvt(in->op) || (mode & KEEP_ALL) == KEEP_ALL)
		return MX_ASSUMES_NOTHING;
	struct mx_cvt_info info = mx_cvt_info(in->op->cvt);
	return denormals_are_known(&info, mode) ? MX_ASSUMES_NOTHING : MX_ASSUMES_CVT_DENORMAL;
}
