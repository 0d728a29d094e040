/* Unwritten bits of a vector ALU result where all lanes with unwritten bits have the same: one plan
 * of trials for all lanes. Lanes without unwritten bits take part, and their results count not. */
#include <stddef.h>
#include <string.h>

#include "vtaint.h"

/* The trials of one instruction, and the differences that they make. */
struct trial {
	const struct mx_inst *in;
	const struct mx_sources *s;
	uint32_t mode;
	struct mx_unwritten unwritten; /* of each lane of `lanes` */
	uint64_t lanes;                /* with unwritten bits */
	struct mx_source_shape shape;
	mx_taint_kind kind;
	mx_vreg v[3][2];
	struct mx_lanes x, first; /* the current trial, and the trial with zeros */
	mx_vreg differs[2];
	uint64_t mask_differs;
};

static uint32_t dword_of(const struct trial *a, unsigned i, unsigned h) {
	return (uint32_t)(a->unwritten.of[i] >> 32 * h);
}

/* Finds the lanes with unwritten bits, and these bits if they are the same in all. */
static bool are_alike(struct trial *a) {
	const struct mx_op *op = a->in->op;
	mx_vreg any = { 0 }, differ = { 0 };
	for (unsigned i = 0; i < 3 && op->s[i]; i++)
		for (unsigned h = 0; h < op->s[i]; h++)
			for (unsigned l = 0; l < MX_LANES; l++)
				any[l] |= a->s->unwritten[i][h][l];
	uint64_t mask = a->s->mask_unwritten;
	a->lanes = (mx_lanes_not_zero(any) | mask) & a->s->lanes;
	unsigned first = a->lanes ? (unsigned)__builtin_ctzll(a->lanes) : 0;
	for (unsigned i = 0; i < 3 && op->s[i]; i++)
		for (unsigned h = 0; h < op->s[i]; h++) {
			const uint32_t *u = a->s->unwritten[i][h];
			a->unwritten.of[i] |= (uint64_t)u[first] << 32 * h;
			for (unsigned l = 0; l < MX_LANES; l++)
				differ[l] |= u[l] ^ u[first];
		}
	a->unwritten.of[3] = mask >> first & 1;
	return !(mx_lanes_not_zero(differ) & a->lanes) &&
	       (!(mask & a->lanes) || !(a->lanes & ~mask));
}

/* ---- trials ---- */

static void begin(struct trial *a) {
	const struct mx_op *op = a->in->op;
	memcpy(&a->x, &a->s->x, offsetof(struct mx_lanes, d));
	a->x.mask_in &= ~a->s->mask_unwritten;
	for (unsigned i = 0; i < 3 && op->s[i]; i++)
		for (unsigned h = 0; h < op->s[i]; h++)
			for (unsigned l = 0; l < MX_LANES; l++)
				a->v[i][h][l] = a->s->arranged[i][h][l] & ~dword_of(a, i, h);
}

static void flip(struct trial *a, const struct mx_variable *v) {
	for (unsigned i = 0; i < 3; i++)
		for (unsigned h = 0; v->sources >> i & 1 && h < a->in->op->s[i]; h++)
			for (unsigned l = 0; l < MX_LANES; l++)
				a->v[i][h][l] ^= (uint32_t)(v->bits >> 32 * h);
	if (v->sources >> 3 & 1)
		a->x.mask_in ^= a->lanes;
}

static void compare(struct trial *a) {
	for (unsigned h = 0; h < a->in->op->d; h++)
		for (unsigned l = 0; l < MX_LANES; l++)
			a->differs[h][l] |= a->x.d[h][l] ^ a->first.d[h][l];
	a->mask_differs |= a->x.mask_out ^ a->first.mask_out;
}

static void run_trials(struct trial *a, const struct mx_trials *t) {
	memset(a->differs, 0, a->in->op->d * sizeof *a->differs);
	begin(a);
	mx_run_trial(a->in, a->mode, a->v, &a->x);
	memcpy(a->first.d, a->x.d, a->in->op->d * sizeof *a->x.d);
	a->first.mask_out = a->x.mask_out;
	for (unsigned step = 1; step <= t->steps; step++) {
		flip(a, mx_trial_step(t, step));
		mx_run_trial(a->in, a->mode, a->v, &a->x);
		compare(a);
	}
}

/* ---- results ---- */

/* The written bits of a source, from bit `shift` on. */
static void known_bits(const struct trial *a, unsigned i, unsigned shift, uint64_t counts,
                       uint64_t *to) {
	const mx_vreg *v = a->s->arranged[i];
	uint64_t bits = counts << shift & ~a->unwritten.of[i];
	if (a->in->op->s[i] > 1)
		for (unsigned l = 0; l < MX_LANES; l++)
			to[l] = ((v[0][l] | (uint64_t)v[1][l] << 32) & bits) >> shift;
	else
		for (unsigned l = 0; l < MX_LANES; l++)
			to[l] = (v[0][l] & bits) >> shift;
}

static void sum_unwritten(const struct trial *a, mx_sum_lanes *sum, uint64_t *d) {
	const struct mx_op *op = a->in->op;
	const struct mx_type_info *t = &mx_operand_types[op->type];
	uint64_t width = t->bits == 64 ? ~0ull : (1ull << t->bits) - 1, u[MX_LANES];
	struct mx_known_lanes s[MX_TAINT_SOURCES];
	for (unsigned e = 0; e < t->elements; e++) {
		for (unsigned i = 0; i < 3 && op->s[i]; i++) {
			unsigned shift;
			uint64_t counts = mx_element_bits(op, i, e, &shift);
			known_bits(a, i, shift, counts, s[i].value);
			s[i].unwritten = a->unwritten.of[i] >> shift & counts;
			s[i].reg = 1u + a->shape.same_as[i];
		}
		uint64_t carry = a->s->x.mask_in & ~a->s->mask_unwritten;
		for (unsigned l = 0; l < MX_LANES; l++)
			s[3].value[l] = carry >> l & 1;
		s[3].unwritten = a->unwritten.of[3];
		s[3].reg = 0;
		sum(s, u);
		for (unsigned l = 0; l < MX_LANES; l++)
			d[l] |= (u[l] & width) << 16 * e;
	}
}

/* All bits below the first difference; if the result is one of the sources, those in which they
 * may differ. */
static void ordered_unwritten(const struct trial *a, uint64_t *d) {
	const struct mx_op *op = a->in->op;
	unsigned bits = mx_operand_types[op->type].bits;
	uint64_t differ[MX_LANES], known[2][MX_LANES];
	for (unsigned l = 0; l < MX_LANES; l++)
		d[l] = mx_smear_down(d[l], bits);
	if (!(op->flags & MX_CHOOSES))
		return;
	memset(differ, 0, sizeof differ);
	for (unsigned i = 0; i < 3 && op->s[i]; i++) {
		known_bits(a, i, 0, ~0ull, known[i > 0]);
		for (unsigned l = 0; l < MX_LANES; l++)
			differ[l] |= a->unwritten.of[i] | (known[i > 0][l] ^ known[0][l]);
	}
	for (unsigned l = 0; l < MX_LANES; l++)
		d[l] &= differ[l];
}

/* Lanes in which two sources may be equal, given their written bits. */
static uint64_t may_be_equal(const struct trial *a) {
	const struct mx_type_info *t = &mx_operand_types[a->in->op->source_type[0]];
	uint64_t uses = t->dwords == 1 ? t->uses : ~0ull, x[2][MX_LANES];
	uint64_t known = ~(a->unwritten.of[0] | a->unwritten.of[1]);
	mx_vreg differ;
	if (a->shape.same_as[1] != 1)
		return 0;
	for (unsigned i = 0; i < 2; i++)
		known_bits(a, i, 0, ~0ull, x[i]);
	for (unsigned l = 0; l < MX_LANES; l++) {
		uint64_t bits = (x[0][l] ^ x[1][l]) & known & uses;
		differ[l] = (uint32_t)(bits | bits >> 32);
	}
	return ~mx_lanes_not_zero(differ);
}

static uint64_t mask_unwritten(const struct trial *a) {
	if (a->kind != MX_TAINT_UNKNOWN)
		return a->mask_differs & a->lanes;
	return a->in->op->flags & MX_EQUALS ? may_be_equal(a) & a->lanes : a->lanes;
}

static void result_unwritten(const struct trial *a, mx_sum_lanes *sum, uint64_t *d) {
	bool exact = a->kind == MX_TAINT_ALL || a->kind == MX_TAINT_BITWISE;
	memset(d, 0, MX_LANES * sizeof *d);
	if (!exact && sum) {
		sum_unwritten(a, sum, d);
		return;
	}
	if (a->kind == MX_TAINT_UNKNOWN) {
		uint64_t bits = mx_all_unwritten(a->in->op, &a->unwritten);
		for (unsigned l = 0; l < MX_LANES; l++)
			d[l] = bits;
		return;
	}
	for (unsigned h = 0; h < a->in->op->d && h < 2; h++)
		for (unsigned l = 0; l < MX_LANES; l++)
			d[l] |= (uint64_t)a->differs[h][l] << 32 * h;
	if (!exact)
		ordered_unwritten(a, d);
}

static void write_unwritten(const struct trial *a, const uint64_t *bits, mx_vreg *d) {
	uint64_t counts = mx_is_half(&mx_operand_types[a->in->op->type]) ? 0xffff : ~0ull;
	uint64_t u[MX_LANES];
	for (size_t l = 0; l < MX_LANES; l++)
		u[l] = bits[l] & counts & -(a->lanes >> l & 1);
	for (size_t l = 0; l < MX_LANES; l++)
		d[0][l] = (uint32_t)u[l];
	for (size_t l = 0; a->in->op->d > 1 && l < MX_LANES; l++)
		d[1][l] = (uint32_t)(u[l] >> 32);
}

/* Whether the opcode writes a lane mask. */
static bool has_mask(const struct mx_op *op) {
	return op->unit == MX_UNIT_VCMP || !op->d || op->flags & MX_CARRY_OUT;
}

mx_unwritten_finder MX_STEPPED(mx_unwritten_together);
bool MX_STEPPED(mx_unwritten_together)(const struct mx_inst *in, uint32_t mode,
                                       const struct mx_sources *s, mx_vreg *d, uint64_t *mask) {
	struct trial a;
	struct mx_trials trials;
	uint64_t bits[MX_LANES];
	a.in = in;
	a.s = s;
	a.mode = mode;
	a.mask_differs = 0;
	a.unwritten = (struct mx_unwritten){ 0 };
	if (!are_alike(&a))
		return false;
	mx_sum_lanes *sum = in->clamp ? NULL : MX_STEPPED(mx_sum_of_lanes)(in->op);
	a.shape = mx_source_shape_of(in);
	a.kind = mx_plan_trials(in->op->flags, &a.shape, &a.unwritten, &trials);
	bool by_sum = a.kind == MX_TAINT_ORDERED && sum;
	if (a.kind != MX_TAINT_UNKNOWN && (!by_sum || has_mask(in->op)))
		run_trials(&a, &trials);
	if (in->op->d) {
		result_unwritten(&a, sum, bits);
		write_unwritten(&a, bits, d);
	}
	if (has_mask(in->op))
		*mask = mask_unwritten(&a);
	return true;
}
