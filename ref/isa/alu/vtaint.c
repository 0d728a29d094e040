/* Unwritten bits of a vector ALU result: the trials of taint.h, with a plan for each lane. */
#include <string.h>

#include "../machine/registers.h"
#include "vtaint.h"

/* ---- unwritten bits of the sources ---- */

static void fetch_unwritten(struct mx_wave *w, const struct mx_inst *in, struct mx_sources *s,
                            unsigned i, unsigned h) {
	uint32_t *u = s->unwritten[i][h];
	unsigned code = mx_source(in, i);
	if (code >= MX_VGPR)
		mx_copy_vunwritten(w, s->row[i] + h, u);
	else
		mx_broadcast(u, code < MX_LITERAL ? mx_sread_unwritten(w, code + h) : 0);
}

/* The bits of a source's first dword that the opcode reads. For opcodes that apply OP_SEL, a source
 * with its bit of OP_SEL_HI set is the half that OP_SEL selects, otherwise the dword. */
static uint32_t uses(const struct mx_inst *in, unsigned i) {
	if (in->op->flags & MX_OP_SEL)
		return !(in->op_sel_hi >> i & 1) ? ~0u : in->op_sel >> i & 1 ? 0xffff0000 : 0xffff;
	return mx_operand_types[in->op->source_type[i]].uses;
}

static void fetch_all_unwritten(struct mx_wave *w, const struct mx_inst *in, struct mx_sources *s) {
	const struct mx_op *op = in->op;
	for (unsigned i = 0; i < 3 && op->s[i]; i++) {
		uint32_t counts = uses(in, i);
		for (unsigned h = 0; h < op->s[i]; h++)
			fetch_unwritten(w, in, s, i, h);
		if (!in->plain)
			mx_arrange_source(in, s, i, s->unwritten[i]);
		for (unsigned l = 0; l < MX_LANES; l++)
			s->unwritten[i][0][l] &= counts;
	}
}

/* ---- trials ---- */

/* The trials of one instruction and their differences. */
struct trial {
	const struct mx_inst *in;
	const struct mx_sources *s;
	struct mx_source_shape shape;
	struct mx_unwritten unwritten[MX_LANES];
	mx_taint_kind kind[MX_LANES];
	struct mx_trials *plans;  /* room for one of each lane */
	struct mx_trials *trials[MX_LANES];
	unsigned planned;         /* the last lane with a plan of its own */
	unsigned steps;           /* of the lane with the most steps */
	uint64_t lanes;           /* with unwritten bits */
	mx_vreg v[3][2];          /* sources */
	struct mx_lanes x, first; /* the current trial, and the trial with zeros */
	mx_vreg differs[2];
	uint64_t mask_differs;
};

static bool has_wide_operands(const struct mx_op *op) {
	return op->d > 2 || op->s[0] > 2 || op->s[1] > 2 || op->s[2] > 2;
}

static uint64_t source_bits(const struct mx_op *op, const mx_vreg *v, unsigned i, unsigned l) {
	return op->s[i] ? v[0][l] | (op->s[i] > 1 ? (uint64_t)v[1][l] << 32 : 0) : 0;
}

/* Whether sources i and k have the same bits, apart from NEG and ABS. */
static bool same_source(const struct mx_inst *in, unsigned i, unsigned k) {
	bool same_halves = (in->op_sel >> i & 1) == (in->op_sel >> k & 1) &&
	                   (in->op_sel_hi >> i & 1) == (in->op_sel_hi >> k & 1);
	return in->op->s[i] && mx_source(in, k) == mx_source(in, i) && same_halves &&
	       !in->sdwa.used && !in->dpp.used && in->op->source_type[k] == in->op->source_type[i];
}

struct mx_source_shape mx_source_shape_of(const struct mx_inst *in) {
	struct mx_source_shape shape = { .same_as = { 0, 1, 2 } };
	for (unsigned i = 0; i < 3; i++) {
		shape.bits[i] = mx_operand_types[in->op->source_type[i]].bits;
		for (unsigned k = i; k-- > 0;)
			if (same_source(in, i, k))
				shape.same_as[i] = (uint8_t)k;
	}
	return shape;
}

/* Lanes in a row with the same unwritten bits have one plan: it depends on nothing else. */
static void plan_lane(struct trial *a, unsigned l) {
	const struct mx_op *op = a->in->op;
	struct mx_unwritten *u = &a->unwritten[l];
	for (unsigned i = 0; i < 3; i++)
		u->of[i] = source_bits(op, a->s->unwritten[i], i, l);
	u->of[3] = a->s->mask_unwritten >> l & 1;
	if (!(u->of[0] | u->of[1] | u->of[2] | u->of[3]))
		return;
	bool same = a->lanes && !memcmp(u, &a->unwritten[a->planned], sizeof *u);
	a->lanes |= 1ull << l;
	if (same) {
		a->kind[l] = a->kind[a->planned];
		a->trials[l] = a->trials[a->planned];
		return;
	}
	a->planned = l;
	a->trials[l] = &a->plans[l];
	a->kind[l] = mx_plan_trials(op->flags, &a->shape, u, a->trials[l]);
	if (a->kind[l] != MX_TAINT_UNKNOWN && a->trials[l]->steps > a->steps)
		a->steps = a->trials[l]->steps;
}

static void flip(struct trial *a, unsigned l, const struct mx_variable *v) {
	for (unsigned i = 0; i < 3; i++)
		if (v->sources >> i & 1) {
			a->v[i][0][l] ^= (uint32_t)v->bits;
			a->v[i][1][l] ^= (uint32_t)(v->bits >> 32);
		}
	a->x.mask_in ^= (uint64_t)(v->sources >> 3 & 1) << l;
}

/* The sources with zeros in the unwritten bits. */
static void begin(struct trial *a) {
	const struct mx_op *op = a->in->op;
	a->x = a->s->x;
	a->x.mask_in &= ~a->s->mask_unwritten;
	for (unsigned i = 0; i < 3 && op->s[i]; i++)
		for (unsigned h = 0; h < op->s[i]; h++)
			for (unsigned l = 0; l < MX_LANES; l++)
				a->v[i][h][l] = a->s->arranged[i][h][l] & ~a->s->unwritten[i][h][l];
}

void mx_run_trial(const struct mx_inst *in, uint32_t mode, mx_vreg v[3][2], struct mx_lanes *x) {
	mx_vreg modified[3][2];
	bool modifies = !in->plain || mx_mode_matters(in->op, mode);
	for (unsigned i = 0; i < 3 && in->op->s[i]; i++) {
		mx_vreg *source = v[i];
		if (modifies) {
			source = memcpy(modified[i], source, sizeof modified[i]);
			mx_modify_source(in, i, mode, source);
		}
		x->s[i] = (const uint32_t(*)[MX_LANES])source;
	}
	x->mask_out = 0;
	mx_compute(in, mode, x);
}

static void compare(struct trial *a) {
	for (unsigned h = 0; h < a->in->op->d; h++)
		for (unsigned l = 0; l < MX_LANES; l++)
			a->differs[h][l] |= a->x.d[h][l] ^ a->first.d[h][l];
	a->mask_differs |= a->x.mask_out ^ a->first.mask_out;
}

static void run_trials(struct trial *a, uint32_t mode) {
	begin(a);
	mx_run_trial(a->in, mode, a->v, &a->x);
	a->first = a->x;
	for (unsigned step = 1; step <= a->steps; step++) {
		unsigned l;
		MX_FOR_LANES(l, a->lanes)
		if (a->kind[l] != MX_TAINT_UNKNOWN && step <= a->trials[l]->steps)
			flip(a, l, mx_trial_step(a->trials[l], step));
		mx_run_trial(a->in, mode, a->v, &a->x);
		compare(a);
	}
}

/* ---- results ---- */

static uint64_t known_bits(const struct trial *a, unsigned i, unsigned l) {
	return source_bits(a->in->op, a->s->arranged[i], i, l) & ~a->unwritten[l].of[i];
}

/* Bits in which the sources may differ or are unwritten. */
static uint64_t differing_bits(const struct trial *a, unsigned l) {
	uint64_t differ = 0;
	for (unsigned i = 0; i < 3 && a->in->op->s[i]; i++)
		differ |= a->unwritten[l].of[i] | (known_bits(a, i, l) ^ known_bits(a, 0, l));
	return differ;
}

static uint64_t ordered_unwritten(const struct trial *a, unsigned l, uint64_t differs) {
	const struct mx_op *op = a->in->op;
	uint64_t below = mx_smear_down(differs, mx_operand_types[op->type].bits);
	return op->flags & MX_CHOOSES ? below & differing_bits(a, l) : below;
}

uint64_t mx_element_bits(const struct mx_op *op, unsigned i, unsigned e, unsigned *shift) {
	const struct mx_type_info *t = &mx_operand_types[op->source_type[i]];
	*shift = t->elements == 2 ? 16 * e : 0;
	return t->elements == 2 ? 0xffff : t->dwords == 1 ? t->uses : ~0ull;
}

/* Element e of a source that is partly written. */
static struct mx_known element(const struct trial *a, unsigned i, unsigned l, unsigned e) {
	unsigned shift;
	uint64_t bits = mx_element_bits(a->in->op, i, e, &shift);
	return (struct mx_known){ known_bits(a, i, l) >> shift & bits,
		                  a->unwritten[l].of[i] >> shift & bits, 1 + a->shape.same_as[i] };
}

static uint64_t sum_unwritten(const struct trial *a, mx_sum *sum, unsigned l) {
	const struct mx_type_info *t = &mx_operand_types[a->in->op->type];
	uint64_t d = 0, width = t->bits == 64 ? ~0ull : (1ull << t->bits) - 1;
	for (unsigned e = 0; e < t->elements; e++) {
		struct mx_known s[MX_TAINT_SOURCES] = { 0 };
		for (unsigned i = 0; i < 3 && a->in->op->s[i]; i++)
			s[i] = element(a, i, l, e);
		s[3].unwritten = a->unwritten[l].of[3];
		s[3].value = a->s->x.mask_in >> l & 1 & ~s[3].unwritten;
		d |= (sum(s).unwritten & width) << 16 * e;
	}
	return d;
}

uint64_t mx_all_unwritten(const struct mx_op *op, const struct mx_unwritten *unwritten) {
	const struct mx_type_info *t = &mx_operand_types[op->type];
	unsigned bits = t->bits == 32 && t->elements == 2 ? 32 : 16;
	uint64_t element = (1ull << bits) - 1, u = 0, d = 0;
	for (unsigned i = 0; i < 3; i++) {
		uint64_t of = unwritten->of[i];
		if (op->flags & MX_PAIRED)
			of = of && i < 2 ? element << 16 * i : 0;
		else if (mx_operand_types[op->source_type[i]].elements != 2 && of)
			return ~0ull;
		u |= of;
	}
	if (!(op->flags & MX_PAIRED) && (t->elements != 2 || op->flags & MX_OP_SEL))
		return ~0ull;
	for (unsigned e = 0; e < 64; e += bits)
		d |= u >> e & element ? element << e : 0;
	return d;
}

/* Whether two sources may be equal, given their written bits. */
static bool may_be_equal(const struct trial *a, unsigned l) {
	const struct mx_type_info *t = &mx_operand_types[a->in->op->source_type[0]];
	uint64_t known = ~(a->unwritten[l].of[0] | a->unwritten[l].of[1]);
	uint64_t uses = t->dwords == 1 ? t->uses : ~0ull;
	return a->shape.same_as[1] == 1 &&
	       !((known_bits(a, 0, l) ^ known_bits(a, 1, l)) & known & uses);
}

static bool mask_unwritten(const struct trial *a, unsigned l) {
	if (a->kind[l] != MX_TAINT_UNKNOWN)
		return a->mask_differs >> l & 1;
	return a->in->op->flags & MX_EQUALS ? may_be_equal(a, l) : true;
}

static uint64_t result_unwritten(const struct trial *a, mx_sum *sum, unsigned l) {
	uint64_t differs = a->differs[0][l] | (uint64_t)a->differs[1][l] << 32;
	if (a->kind[l] == MX_TAINT_ALL || a->kind[l] == MX_TAINT_BITWISE)
		return differs;
	if (sum && !a->in->clamp)
		return sum_unwritten(a, sum, l);
	return a->kind[l] == MX_TAINT_ORDERED ? ordered_unwritten(a, l, differs)
	                                      : mx_all_unwritten(a->in->op, &a->unwritten[l]);
}

static void write_unwritten(const struct trial *a, mx_vreg *d, uint64_t *mask) {
	const struct mx_op *op = a->in->op;
	mx_sum *sum = mx_sum_of(op);
	unsigned l;
	if (op->d)
		memset(d, 0, op->d * sizeof *d);
	MX_FOR_LANES(l, a->lanes) {
		uint64_t u = op->d ? result_unwritten(a, sum, l) : 0;
		if (mx_is_half(&mx_operand_types[op->type]))
			u &= 0xffff;
		for (unsigned h = 0; h < op->d; h++)
			d[h][l] = (uint32_t)(u >> 32 * (h & 1));
		*mask |= (uint64_t)mask_unwritten(a, l) << l;
	}
}

/* Operands of four dwords: any unwritten bit taints the whole result. */
static void wide_unwritten(const struct mx_inst *in, const struct mx_sources *s, mx_vreg *d) {
	for (unsigned l = 0; l < MX_LANES; l++) {
		uint32_t u = 0;
		for (unsigned i = 0; i < 3; i++)
			for (unsigned h = 0; h < in->op->s[i]; h++)
				u |= s->unwritten[i][h][l];
		for (unsigned h = 0; h < in->op->d; h++)
			d[h][l] = u ? ~0u : 0;
	}
}

static void lane_by_lane(const struct mx_inst *in, uint32_t mode, const struct mx_sources *s,
                         mx_vreg *d, uint64_t *mask) {
	struct mx_trials plans[MX_LANES];
	struct trial a = { .in = in, .s = s, .shape = mx_source_shape_of(in), .plans = plans };
	unsigned l;
	MX_FOR_LANES(l, s->lanes)
	plan_lane(&a, l);
	if (a.steps)
		run_trials(&a, mode);
	write_unwritten(&a, d, mask);
}

void mx_result_unwritten(struct mx_wave *w, const struct mx_inst *in, struct mx_sources *s,
                         mx_vreg *d, uint64_t *mask) {
	*mask = 0;
	fetch_all_unwritten(w, in, s);
	if (has_wide_operands(in->op))
		wide_unwritten(in, s, d);
	else if (w->group->run->launch->lane_by_lane ||
	         !MX_BY_STEP(mx_unwritten_together)(in, w->mode, s, d, mask))
		lane_by_lane(in, w->mode, s, d, mask);
}
