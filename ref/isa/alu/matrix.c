/* Matrix instructions: passes registers to ref/mma and writes the result [ISA chapter 7]. EXEC is
 * ignored. */
#include <string.h>

#include "../../mma/matrix_profiles.h"
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "lanes.h"
#include "products.h"

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
	bool half = in->mai.wmma && (in->mai.wmma->c == MX_T_F16 || in->mai.wmma->c == MX_T_BF16);
	if (wide && mx_source(in, 2) != MX_INT_0)
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(WIDE_CONSTANT));
	if (half && mx_source(in, 2) != MX_INT_0)
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(HALF_CONSTANT));
	uint32_t value = mx_sread(w, in, mx_source(in, 2));
	for (unsigned r = 0; r < in->operand[MX_AT_SRC2].dwords; r++)
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
		return p ? p : mx_dense_profile(in->mai.dense, l->profile);
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
	return lanes & w->lanes;
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
                         const mx_vreg *d, uint32_t rows, uint32_t cols) {
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

/* ---- kept results: of dense and of scaled forms ---- */

/* What else than registers and the profile decides a result. */
struct fields {
	mx_opcode op;
	uint8_t neg, abs, clamp, overflow;
};

static struct fields fields_of(const struct mx_wave *w, const struct mx_inst *in) {
	return (struct fields){ in->op->id, in->neg, in->abs, in->clamp, overflow_clamps(w) };
}

static bool keeps_products(const struct mx_wave *w) {
	return w->group->run->launch->products;
}

static void add_registers(struct mx_product *p, const struct mx_inst *in, unsigned position,
                          const uint32_t (*regs)[MX_LANES]) {
	mx_product_of(p, regs, in->operand[position].dwords * sizeof *regs);
}

/* A, B and C of any kind. */
struct factors {
	const uint32_t (*a)[MX_LANES], (*b)[MX_LANES], (*c)[MX_LANES];
};

/* The pieces that all kinds have, if products are kept; else none. `f` stays valid as long as they.
 */
static void begin_product(struct mx_product *p, const struct mx_wave *w, const struct mx_inst *in,
                          const mx_profile *profile, const struct factors *x, struct fields *f) {
	p->n = 0;
	if (!keeps_products(w))
		return;
	*f = fields_of(w, in);
	mx_product_of(p, f, sizeof *f);
	mx_product_of(p, &in->mai, sizeof in->mai);
	mx_product_of(p, profile, sizeof *profile);
	add_registers(p, in, MX_AT_SRC0, x->a);
	add_registers(p, in, MX_AT_SRC1, x->b);
	add_registers(p, in, MX_AT_SRC2, x->c);
}

static const mx_vreg *multiply_dense(struct mx_wave *w, const struct mx_inst *in,
                                     const struct mx_dense_args *g, mx_status *s) {
	struct fields f;
	struct mx_product p;
	begin_product(&p, w, in, g->profile, &(struct factors){ g->a, g->b, g->c }, &f);
	const mx_vreg *known = p.n ? mx_products_find(w, &p) : NULL;
	if (known)
		return known;
	*s = mx_mma_dense(g);
	if (*s == MX_OK && p.n)
		mx_products_keep(w, &p, g->d, in->op->d);
	return g->d;
}

/* Dense forms: broadcasts and blocks mix lanes, so one unwritten bit taints all of D. */
static void exec_dense(struct mx_wave *w, const struct mx_inst *in) {
	unsigned n = in->op->d;
	_Alignas(64) mx_vreg constant[MAX_D], d[MAX_D], u;
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
	mx_status s = MX_OK;
	const mx_vreg *result = multiply_dense(w, in, &args, &s);
	if (s != MX_OK) {
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE_OF(REFUSED, mx_strerror(s)));
		return;
	}
	bool bad = operand_unwritten(w, in, MX_AT_SRC0) | operand_unwritten(w, in, MX_AT_SRC1) |
	           operand_unwritten(w, in, MX_AT_SRC2);
	memset(u, 0xff, sizeof u);
	for (unsigned r = 0; r < n; r++)
		mx_vwrite(w, mx_row_at(in, MX_AT_RESULT) + r, ~0ull, result[r], bad ? u : NULL);
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

/* ---- WMMAs of gfx1250 ---- */

enum { MAX_AB = 16 }; /* registers of the largest operand */

/* A or B, and what a copy needs. */
struct wmma_side {
	struct mx_wmma_operand operand;
	mx_vreg negated[MAX_AB], scales[2];
	uint32_t rows; /* or columns with unwritten bits */
};

/* NEG of A and B [LLVM]: of items of 16 bits neg_lo negates the even ones, neg_hi the odd ones; of
 * integers neg_lo says that they are signed. */
static void apply_neg(const struct mx_inst *in, mx_side s, struct wmma_side *x) {
	bool low = in->neg >> s & 1, high = in->abs >> s & 1;
	mx_type t = in->mai.wmma->ab[s];
	uint32_t flip =
		t == MX_T_F32 ? (uint32_t)low << 31 : (uint32_t)low << 15 | (uint32_t)high << 31;
	bool is_integer = t == MX_T_I8 || t == MX_T_I4;
	x->operand.is_unsigned = is_integer && !low;
	if (is_integer || !flip)
		return;
	for (unsigned r = 0; r < in->operand[MX_AT_SRC0 + s].dwords; r++)
		for (unsigned l = 0; l < MX_WAVE32; l++)
			x->negated[r][l] = x->operand.regs[r][l] ^ flip;
	x->operand.regs = (const uint32_t(*)[MX_LANES])x->negated;
}

/* Scales in VGPRs, or common to all lanes. */
static bool find_scales(struct mx_wave *w, const struct mx_inst *in, mx_side s,
                        struct wmma_side *x) {
	const struct mx_operand *o = &in->operand[MX_AT_SCALE_A + s];
	x->operand.scale_format = in->mai.scale_format[s];
	x->operand.scale_row = in->mai.byte[s];
	x->operand.scales = (const uint32_t(*)[MX_LANES])x->scales;
	if (o->code >= MX_VGPR) {
		x->operand.scales = registers(w, in, MX_AT_SCALE_A + s);
		return x->operand.scales;
	}
	if (o->code >= MX_SGPR_FILE && o->dwords > 1) {
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(SCALE_CODE, o->code));
		return false;
	}
	for (unsigned r = 0; r < o->dwords; r++)
		for (unsigned l = 0; l < MX_WAVE32; l++)
			x->scales[r][l] = mx_sread(w, in, o->code + r);
	return true;
}

/* Lanes l and 16 + l have row l of an operand and of its indices; of one with 32 rows row 16 + l,
 * too. Its scales are those of lane l and row l, else of one half. */
static uint32_t unwritten_rows(const struct mx_wave *w, const struct mx_inst *in, mx_side s) {
	bool both = s == MX_SIDE_A && in->mai.wmma->m == 32;
	uint64_t lanes = operand_unwritten(w, in, MX_AT_SRC0 + s);
	if (s == MX_SIDE_A && in->mai.wmma->sparse)
		lanes |= operand_unwritten(w, in, MX_AT_SRC2);
	uint32_t rows = (uint32_t)(lanes | lanes >> 16) & 0xffff;
	rows |= both ? rows << 16 : 0;
	if (!in->mai.wmma->block)
		return rows;
	uint32_t scales = (uint32_t)operand_unwritten(w, in, MX_AT_SCALE_A + s);
	return rows | (both ? scales : scales >> 16 * in->mai.byte[s] & 0xffff);
}

static uint64_t hash_of(const uint32_t (*regs)[MX_LANES], unsigned n) {
	uint32_t of_lane[MX_WAVE32] = { 0 };
	uint64_t hash = n;
	for (unsigned r = 0; r < n; r++)
		for (unsigned l = 0; l < MX_WAVE32; l++)
			of_lane[l] = (of_lane[l] ^ regs[r][l]) * 0x9E3779B1u;
	for (unsigned l = 0; l < MX_WAVE32; l++)
		hash = (hash ^ of_lane[l]) * 0x9E3779B97F4A7C15u;
	return hash;
}

/* Reuse of an operand is a hint if it is that of the WMMA before, else undefined [ISA 7.12]. */
static bool reuse_is_right(struct mx_wave *w, const struct mx_inst *in, mx_side s,
                           const uint32_t (*regs)[MX_LANES]) {
	uint64_t before = w->matrix[s];
	w->matrix[s] = hash_of(regs, in->operand[MX_AT_SRC0 + s].dwords);
	if (!in->mai.reuse[s] || w->matrix[s] == before)
		return true;
	mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(REUSED, s));
	return false;
}

static bool find_side(struct mx_wave *w, const struct mx_inst *in, mx_side s, struct wmma_side *x) {
	x->operand =
		(struct mx_wmma_operand){ .regs = registers(w, in, MX_AT_SRC0 + s),
		                          .format = s == MX_SIDE_A ? in->mai.cbsz : in->mai.blgp };
	x->rows = unwritten_rows(w, in, s);
	if (!x->operand.regs || !reuse_is_right(w, in, s, x->operand.regs) ||
	    (in->mai.wmma->block && !find_scales(w, in, s, x)))
		return false;
	apply_neg(in, s, x);
	return true;
}

/* Where C is. */
static unsigned wmma_c_at(const struct mx_inst *in) {
	return mx_is_sparse(in) ? MX_AT_RESULT : MX_AT_SRC2;
}

/* The bits of a lane's item in C, which are unwritten. */
static bool c_unwritten(const struct mx_wave *w, const struct mx_inst *in, unsigned lane,
                        unsigned item) {
	unsigned code = mx_operand_at(in, wmma_c_at(in)),
		 two = mx_wmma_result_items(in->mai.wmma) / in->operand[wmma_c_at(in)].dwords;
	uint32_t bits = two == 1 ? UINT32_MAX : UINT32_C(0xffff) << 16 * (item % 2);
	return code >= MX_VGPR && mx_vunwritten(w, mx_row(code) + item / two, lane) & bits;
}

static void write_wmma(struct mx_wave *w, const struct mx_inst *in, mx_vreg *d, uint32_t rows,
                       uint32_t cols) {
	const struct mx_wmma *op = in->mai.wmma;
	unsigned n = mx_wmma_result_vgprs(op), two = mx_wmma_result_items(op) / n, row, col;
	bool written = !(rows | cols | operand_unwritten(w, in, wmma_c_at(in)));
	for (unsigned r = 0; r < n && written; r++)
		mx_vwrite(w, mx_row_at(in, MX_AT_RESULT) + r, ~0ull, d[r], NULL);
	for (unsigned r = 0; r < n && !written; r++) {
		mx_vreg u = { 0 };
		for (unsigned i = 0; i < two; i++)
			for (unsigned l = 0; l < MX_WAVE32; l++) {
				mx_wmma_result(op, l, two * r + i, &row, &col);
				if (rows >> row & 1 || cols >> col & 1 ||
				    c_unwritten(w, in, l, two * r + i))
					u[l] |= two == 1 ? UINT32_MAX : UINT32_C(0xffff) << 16 * i;
			}
		mx_vwrite(w, mx_row_at(in, MX_AT_RESULT) + r, ~0ull, d[r], u);
	}
}

static void exec_wmma(struct mx_wave *w, const struct mx_inst *in) {
	const struct mx_wmma *op = in->mai.wmma;
	_Alignas(64) mx_vreg constant[MAX_D], d[MAX_D];
	struct wmma_side a, b;
	bool by_profile = op->d != MX_T_I32 && op->ab[MX_SIDE_A] != MX_T_F32;
	if (!find_side(w, in, MX_SIDE_A, &a) || !find_side(w, in, MX_SIDE_B, &b))
		return;
	struct mx_wmma_args args = {
		.op = op,
		.profile = by_profile ? common_profile(w, in)
		                      : mx_wmma_profile(op, w->group->run->launch->profile),
		.ab = { a.operand, b.operand },
		.c = op->sparse ? registers(w, in, MX_AT_RESULT) : accumulator(w, in, constant),
		.d = d,
		.index = op->sparse ? registers(w, in, MX_AT_SRC2) : NULL,
		.index_key = in->mai.abid,
		.abs_c = in->abs >> 2 & 1,
		.neg_c = in->neg >> 2 & 1,
		.clamp = op->d == MX_T_I32 ? in->clamp : overflow_clamps(w)
	};
	if (!args.c || (op->sparse && !args.index) || !registers(w, in, MX_AT_RESULT))
		return;
	mx_assume(w, in, 0, in->assumes);
	memset(d, 0, mx_wmma_result_vgprs(op) * sizeof *d); /* also the lanes above 31 */
	mx_status s = mx_mma_wmma(&args);
	if (s == MX_BAD_OPTION && op->sparse)
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(SPARSE_INDICES));
	else if (s != MX_OK)
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE_OF(REFUSED, mx_strerror(s)));
	else
		write_wmma(w, in, d, a.rows, b.rows);
}

static const mx_vreg *multiply_scaled(struct mx_wave *w, const struct mx_inst *in,
                                      const struct mx_mma_args *g) {
	struct fields f;
	struct mx_product p;
	begin_product(&p, w, in, g->profile, &(struct factors){ g->a, g->b, g->c }, &f);
	if (p.n) {
		mx_product_of(&p, g->scale_a, MX_LANES);
		mx_product_of(&p, g->scale_b, MX_LANES);
	}
	const mx_vreg *known = p.n ? mx_products_find(w, &p) : NULL;
	if (known)
		return known;
	mx_mma_scaled(g);
	if (p.n)
		mx_products_keep(w, &p, g->d, in->op->d);
	return g->d;
}

void mx_exec_mfma(struct mx_wave *w, const struct mx_inst *in);
void mx_exec_mfma(struct mx_wave *w, const struct mx_inst *in) {
	mx_shape shape = in->op->d == 4 ? MX_16X16X128 : MX_32X32X64;
	unsigned n = in->op->d, mn = mx_shape_mn(shape);
	_Alignas(64) mx_vreg constant[MAX_D], d[MAX_D];
	uint8_t scale_a[MX_LANES], scale_b[MX_LANES];

	w->group->run->report->stats.mfma++;
	w->matrices++;
	if (in->mai.wmma) {
		exec_wmma(w, in);
		return;
	}
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
	const mx_vreg *result = multiply_scaled(w, in, &args);
	uint64_t a = operand_unwritten(w, in, MX_AT_SRC0) | scale_unwritten(w, in, 0);
	uint64_t b = operand_unwritten(w, in, MX_AT_SRC1) | scale_unwritten(w, in, 1);
	if (a | b | operand_unwritten(w, in, MX_AT_SRC2))
		write_result(w, in, shape, n, result, rows_of_lanes(a, mn), rows_of_lanes(b, mn));
	else
		for (unsigned r = 0; r < n; r++)
			mx_vwrite(w, mx_row_at(in, MX_AT_RESULT) + r, ~0ull, result[r], NULL);
}
