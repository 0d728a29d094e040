/* The instructions that can be probed, and their random dots. */
#include "probe.h"

#include <stdio.h>

static const struct mx_probe_insn foreign[] = {
#define MX_PROBE_INSN(id, k, a, b) { #id, k, &mx_types[MX_TYPE_##a], &mx_types[MX_TYPE_##b] },
#include "insns.def"
#undef MX_PROBE_INSN
};
enum { FOREIGN = sizeof foreign / sizeof *foreign, SCALED_FORMATS = 5, SHAPES = 2 };

/* Without its bias, which is above 255. */
static const struct mx_format_info fp64 = {
	.name = "FP64", .bits = 64, .exp_bits = 11, .man_bits = 52, .specials = MX_IEEE
};

static const struct mx_format_info *type_of(mx_type t) {
	switch (t) {
	case MX_T_F16: return &mx_types[MX_TYPE_FP16];
	case MX_T_BF16: return &mx_types[MX_TYPE_BF16];
	case MX_T_FP8: return &mx_types[MX_TYPE_E4M3];
	case MX_T_BF8: return &mx_types[MX_TYPE_E5M2];
	case MX_T_I8: return &mx_types[MX_TYPE_INT8];
	case MX_T_F32: return &mx_types[MX_TYPE_FP32];
	case MX_T_F64: return &fp64;
	case MX_T_I32:
	case MX_T_U8:
	case MX_T_F8F6F4:
	case MX_T_FP4:
	case MX_T_I4:
	case MX_T_U4: break;
	}
	return NULL;
}

/* The i-th dense MFMA with types that are probed; *i is less their number if there are fewer. */
static bool dense_at(size_t *i, struct mx_probe_insn *insn) {
	const struct mx_dense *op;
	for (size_t row = 0; (op = mx_dense_at(row)); row++) {
		if (!type_of(op->a) || (*i)--)
			continue;
		*insn = (struct mx_probe_insn){
			.k = op->k, .a = type_of(op->a), .b = type_of(op->b), .gfx950 = true
		};
		snprintf(insn->name, sizeof insn->name, "%s", op->name);
		return true;
	}
	return false;
}

/* The same for sparse MFMAs: K counts the stored items of A. */
static bool sparse_at(size_t *i, struct mx_probe_insn *insn) {
	const struct mx_sparse *op;
	for (size_t row = 0; (op = mx_sparse_at(row)); row++) {
		if ((*i)--)
			continue;
		*insn = (struct mx_probe_insn){
			.k = op->k / 2, .a = type_of(op->a), .b = type_of(op->b), .gfx950 = true
		};
		snprintf(insn->name, sizeof insn->name, "%s", op->name);
		return true;
	}
	return false;
}

static bool scaled_at(size_t i, struct mx_probe_insn *insn) {
	mx_shape shape = (mx_shape)(i / (SCALED_FORMATS * SCALED_FORMATS));
	mx_format a = (mx_format)(i / SCALED_FORMATS % SCALED_FORMATS),
		  b = (mx_format)(i % SCALED_FORMATS);
	if (i >= SHAPES * SCALED_FORMATS * SCALED_FORMATS)
		return false;
	*insn = (struct mx_probe_insn){ .k = mx_shape_k(shape),
		                        .a = &mx_types[a],
		                        .b = &mx_types[b],
		                        .scaled = true,
		                        .gfx950 = true };
	mx_scaled_name(shape, a, b, insn->name);
	return true;
}

bool mx_probe_insn_at(size_t i, struct mx_probe_insn *insn) {
	if (i < FOREIGN) {
		*insn = foreign[i];
		return true;
	}
	i -= FOREIGN;
	return dense_at(&i, insn) || sparse_at(&i, insn) || scaled_at(i, insn);
}

/* ---- random dots ---- */

void mx_probe_random(const struct mx_probe_insn *insn, uint64_t seed, uint64_t n,
                     struct mx_probe_dot *dot) {
	struct mx_probe_type a = mx_probe_type_of(insn->a->name),
			     b = mx_probe_type_of(insn->b->name);
	for (unsigned k = 0; k < insn->k; k++) {
		dot->a[k] = mx_probe_element(a, seed, n, insn->k, k, 0);
		dot->b[k] = mx_probe_element(b, seed, n, insn->k, k, 1);
	}
	for (unsigned i = 0; i < MX_PROBE_BLOCKS; i++) {
		dot->sa[i] = insn->scaled ? mx_probe_scale(seed, n, i, 0) : 127;
		dot->sb[i] = insn->scaled ? mx_probe_scale(seed, n, i, 1) : 127;
	}
	dot->c = mx_probe_c(a, b, seed, n);
	dot->question = MX_QUESTION_MIXED;
}
