/* Matrix instructions: passes registers to ref/mma and writes the result [ISA chapter 7]. EXEC is
 * ignored. */
#include <string.h>

#include "../../mma/matrix_profiles.h"
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "lanes.h"

enum { MAX_D = 32 }; /* registers of the largest result */

static const uint32_t (*registers(struct mx_wave *w, const struct mx_inst *in,
                                  unsigned position))[MX_LANES] {
	const struct mx_operand *o = &in->operand[position];
	unsigned row = mx_row(o->code);
	if (o->code < MX_VGPR)
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(NO_VGPR, o->code));
	if (o->code < MX_VGPR || !mx_vgprs_exist(w, in, row, o->dwords))
		return NULL;
	return (const uint32_t(*)[MX_LANES])(w->v + row);
}

/* C may be an inline constant, which gives all elements the same value. */
static const uint32_t (*accumulator(struct mx_wave *w, const struct mx_inst *in,
                                    mx_vreg constant[MAX_D]))[MX_LANES] {
	if (mx_source(in, 2) >= MX_VGPR)
		return registers(w, in, MX_AT_SRC2);
	bool wide = in->mai.dense && in->mai.dense->d == MX_T_F64;
	if (wide && mx_source(in, 2) != MX_INT_0)
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(WIDE_CONSTANT));
	uint32_t value = mx_sread(w, in, mx_source(in, 2));
	for (unsigned r = 0; r < in->op->d; r++)
		for (unsigned l = 0; l < MX_LANES; l++)
			constant[r][l] = value;
	return (const uint32_t(*)[MX_LANES])constant;
}

/* Without ABID[0] both scales are 1 [ISA 7.2]. */
static bool is_scaled(const struct mx_inst *in) {
	return in->mai.scaled && in->mai.abid & 1;
}

/* The scale of all lanes that is not in a register: 1, or the exponent field of an inline float
 * constant. */
static uint8_t common_scale(struct mx_wave *w, const struct mx_inst *in, unsigned code) {
	enum { ONE = 127 };
	if (!is_scaled(in) || code >= MX_VGPR)
		return ONE;
	if (code >= MX_FLOAT_0_5 && code <= MX_FLOAT_1_2PI)
		return mx_e8m0_from_f32((mx_f32){ mx_sread(w, in, code) }).v;
	mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(SCALE_CODE, code));
	return ONE;
}

/* The byte of each lane's scale that OP_SEL selects. */
static void scale_bytes(struct mx_wave *w, const struct mx_inst *in, unsigned i,
                        uint8_t bytes[MX_LANES]) {
	unsigned code = mx_operand_at(in, MX_AT_SCALE_A + i), shift = 8 * in->mai.byte[i];
	if (!is_scaled(in) || code < MX_VGPR || !mx_vgprs_exist(w, in, mx_row(code), 1)) {
		memset(bytes, common_scale(w, in, code), MX_LANES);
		return;
	}
	const uint32_t *scale = w->v[mx_row(code)];
	for (unsigned l = 0; l < MX_LANES; l++)
		bytes[l] = scale[l] >> shift;
}

/* The launch's profile, for an instruction that has none of its own. */
static const mx_profile *common_profile(struct mx_wave *w, const struct mx_inst *in) {
	const struct mx_launch *l = w->group->run->launch;
	if (l->profiles)
		mx_assume(w, in, 0, MX_ASSUMES_NO_PROFILE);
	return l->profile;
}

static const mx_profile *profile_of_dense(struct mx_wave *w, const struct mx_inst *in) {
	const struct mx_launch *l = w->group->run->launch;
	mx_type a = in->mai.dense->a;
	const mx_profile *p = l->profiles ? mx_matrix_profile_of(l->profiles, in->mai.dense) : NULL;
	if (a == MX_T_F32 || a == MX_T_F64 || a == MX_T_I8)
		return p ? p : l->profile;
	return p ? p : common_profile(w, in);
}

static const mx_profile *profile_of_sparse(struct mx_wave *w, const struct mx_inst *in) {
	const struct mx_launch *l = w->group->run->launch;
	const mx_profile *p =
		l->profiles ? mx_sparse_profile_of(l->profiles, in->mai.sparse) : NULL;
	if (in->mai.sparse->a == MX_T_I8)
		return p ? p : l->profile;
	return p ? p : common_profile(w, in);
}

static const mx_profile *profile_of_scaled(struct mx_wave *w, const struct mx_inst *in,
                                           mx_shape shape) {
	const struct mx_matrix_profiles *t = w->group->run->launch->profiles;
	const mx_profile *p = t ? t->scaled[shape][in->mai.cbsz][in->mai.blgp] : NULL;
	return p ? p : common_profile(w, in);
}

/* ---- unwritten bits of the result: an unwritten bit of A taints a row, one of B a column ---- */

static uint64_t operand_unwritten(const struct mx_wave *w, const struct mx_inst *in,
                                  unsigned position) {
	const struct mx_operand *o = &in->operand[position];
	uint64_t lanes = 0;
	for (unsigned r = 0; o->code >= MX_VGPR && r < o->dwords; r++)
		lanes |= w->unwritten_lanes[mx_row(o->code) + r];
	return lanes;
}

static uint64_t scale_unwritten(const struct mx_wave *w, const struct mx_inst *in, unsigned i) {
	unsigned row = mx_row_at(in, MX_AT_SCALE_A + i);
	uint64_t lanes = 0;
	if (!is_scaled(in) || !operand_unwritten(w, in, MX_AT_SCALE_A + i))
		return 0;
	for (unsigned l = 0; l < MX_LANES; l++)
		if (mx_vunwritten(w, row, l) >> (8 * in->mai.byte[i]) & 0xff)
			lanes |= 1ull << l;
	return lanes;
}

/* Lane l holds row (or column) l % mn of operands and of scales. */
static uint32_t rows_of_lanes(uint64_t lanes, unsigned mn) {
	uint32_t rows = 0;
	for (unsigned l = 0; l < MX_LANES; l++)
		rows |= (uint32_t)(lanes >> l & 1) << l % mn;
	return rows;
}

static void write_result(struct mx_wave *w, const struct mx_inst *in, mx_shape shape, unsigned n,
                         mx_vreg d[MAX_D], uint32_t rows, uint32_t cols) {
	for (unsigned r = 0; r < n; r++) {
		mx_vreg u;
		bool c = mx_source(in, 2) >= MX_VGPR;
		for (unsigned l = 0; l < MX_LANES; l++) {
			unsigned row, col;
			mx_layout_result(shape, l, r, &row, &col);
			bool bad = rows >> row & 1 || cols >> col & 1 ||
			           (c && mx_vunwritten(w, mx_row(mx_source(in, 2)) + r, l));
			u[l] = bad ? ~0u : 0;
		}
		mx_vwrite(w, mx_row_at(in, MX_AT_RESULT) + r, ~0ull, d[r], u);
	}
}

static bool overflow_clamps(const struct mx_wave *w) {
	return w->mode >> MX_MODE_FP16_OVFL & 1;
}

/* Dense forms: broadcasts and blocks mix lanes, so one unwritten bit taints all of D. */
static void exec_dense(struct mx_wave *w, const struct mx_inst *in) {
	unsigned n = in->op->d;
	mx_vreg constant[MAX_D], d[MAX_D], u;
	struct mx_dense_args args = {
		in->mai.dense,
		profile_of_dense(w, in),
		registers(w, in, MX_AT_SRC0),
		registers(w, in, MX_AT_SRC1),
		accumulator(w, in, constant),
		d,
		in->mai.cbsz,
		in->mai.abid,
		in->mai.blgp,
		overflow_clamps(w),
	};
	if (!args.a || !args.b || !args.c || !registers(w, in, MX_AT_RESULT))
		return;
	mx_status s = mx_mma_dense(&args);
	if (s != MX_OK) {
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE_OF(REFUSED, mx_strerror(s)));
		return;
	}
	bool bad = operand_unwritten(w, in, MX_AT_SRC0) | operand_unwritten(w, in, MX_AT_SRC1) |
	           operand_unwritten(w, in, MX_AT_SRC2);
	memset(u, 0xff, sizeof u);
	for (unsigned r = 0; r < n; r++)
		mx_vwrite(w, mx_row_at(in, MX_AT_RESULT) + r, ~0ull, d[r], bad ? u : NULL);
}

/* Sparse forms: C is D, and the third source is the index, always a VGPR. */
static void exec_sparse(struct mx_wave *w, const struct mx_inst *in) {
	unsigned n = in->op->d;
	const uint32_t(*index)[MX_LANES] = registers(w, in, MX_AT_SRC2);
	mx_vreg d[MAX_D], u;
	struct mx_sparse_args args = {
		in->mai.sparse,
		profile_of_sparse(w, in),
		registers(w, in, MX_AT_SRC0),
		registers(w, in, MX_AT_SRC1),
		index ? *index : NULL,
		d,
		in->mai.cbsz,
		in->mai.abid,
		overflow_clamps(w),
	};
	if (!args.a || !args.b || !index || !registers(w, in, MX_AT_RESULT))
		return;
	if (in->mai.blgp) {
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(SPARSE_BLGP));
		return;
	}
	if (in->assumes)
		mx_assume(w, in, 0, in->assumes);
	memcpy(d, w->v + mx_row_at(in, MX_AT_RESULT), n * sizeof *d);
	if (mx_mma_sparse(&args) != MX_OK) {
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(SPARSE_INDICES));
		return;
	}
	bool bad = operand_unwritten(w, in, MX_AT_SRC0) | operand_unwritten(w, in, MX_AT_SRC1) |
	           operand_unwritten(w, in, MX_AT_SRC2) | operand_unwritten(w, in, MX_AT_RESULT);
	memset(u, 0xff, sizeof u);
	for (unsigned r = 0; r < n; r++)
		mx_vwrite(w, mx_row_at(in, MX_AT_RESULT) + r, ~0ull, d[r], bad ? u : NULL);
}

void mx_exec_mfma(struct mx_wave *w, const struct mx_inst *in);
void mx_exec_mfma(struct mx_wave *w, const struct mx_inst *in) {
	mx_shape shape = in->op->d == 4 ? MX_16X16X128 : MX_32X32X64;
	unsigned n = in->op->d, mn = mx_shape_mn(shape);
	mx_vreg constant[MAX_D], d[MAX_D];
	uint8_t scale_a[MX_LANES], scale_b[MX_LANES];

	w->group->run->report->stats.mfma++;
	if (in->mai.dense) {
		exec_dense(w, in);
		return;
	}
	if (in->mai.sparse) {
		exec_sparse(w, in);
		return;
	}
	if (in->mai.cbsz >= MX_FORMATS || in->mai.blgp >= MX_FORMATS) {
		mx_find(w, in, MX_UNSUPPORTED, -1, 0,
		        MX_BECAUSE(MATRIX_FORMATS, in->mai.cbsz, in->mai.blgp));
		return;
	}
	scale_bytes(w, in, 0, scale_a);
	scale_bytes(w, in, 1, scale_b);
	struct mx_mma_args args = {
		profile_of_scaled(w, in, shape),
		shape,
		in->mai.cbsz,
		in->mai.blgp,
		registers(w, in, MX_AT_SRC0),
		registers(w, in, MX_AT_SRC1),
		accumulator(w, in, constant),
		scale_a,
		scale_b,
		d,
		.clamp = overflow_clamps(w),
	};
	if (!args.a || !args.b || !args.c || !registers(w, in, MX_AT_RESULT))
		return;
	mx_mma_scaled(&args);
	uint64_t a = operand_unwritten(w, in, MX_AT_SRC0) | scale_unwritten(w, in, 0);
	uint64_t b = operand_unwritten(w, in, MX_AT_SRC1) | scale_unwritten(w, in, 1);
	if (a | b | operand_unwritten(w, in, MX_AT_SRC2))
		write_result(w, in, shape, n, d, rows_of_lanes(a, mn), rows_of_lanes(b, mn));
	else
		for (unsigned r = 0; r < n; r++)
			mx_vwrite(w, mx_row_at(in, MX_AT_RESULT) + r, ~0ull, d[r], NULL);
}
