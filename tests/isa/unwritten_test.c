/* Unwritten bits of results, compared with the effect of unwritten bits of the sources: every form
 * of every scalar and vector ALU opcode runs on each value of a few bits of its sources. Result
 * bits that change must count as unwritten. Where taint.h is exact, no other bit may. Then all
 * lanes together, compared with lane by lane: both ways leave the same. */
#include "../../ref/isa/encoding/forms.h"
#include "../../ref/isa/encoding/operands.h"
#include "../../ref/isa/machine/registers.h"
#include "../random.h"
#include "machine_test.h"

#include <stdlib.h>

enum {
	ROWS = 32,     /* VGPRs that are compared */
	FEW = 6,       /* all opcodes are exact up to this many unwritten bits of a lane */
	MOST = 9,      /* the most bits to try */
	FIRST_ROW = 1, /* sources are v1, v5, v9 ... */
	FIRST_SGPR = 20,
};

static uint64_t seed;

static unsigned below(unsigned n) {
	return (unsigned)(next_random(&seed) >> 33) % n;
}

/* ---- a wave outside any launch ---- */

struct stage {
	struct machine m;
	struct mx_program *program;
	struct mx_run run;
	struct mx_group group;
	struct mx_wave w;
	mx_vreg v[ROWS], first[ROWS], varies[ROWS];
	uint32_t s[MX_SGPR_FILE], s_first[MX_SGPR_FILE], s_varies[MX_SGPR_FILE];
	bool scc, scc_varies;
	uint32_t mode;
};

static const uint32_t nothing[] = { 0xbf810000 /* s_endpgm */ };

static void set_up(struct stage *t) {
	t->m = machine();
	t->m.kernel.entry = (uintptr_t)nothing;
	t->m.launch.kernel = &t->m.kernel;
	t->program = mx_program_new(&mx_gfx950, nothing, sizeof nothing, (uintptr_t)nothing);
	t->m.launch.program = t->program;
	t->run = (struct mx_run){ .launch = &t->m.launch,
		                  .report = &t->m.report,
		                  .isa = &mx_gfx950 };
	t->group = (struct mx_group){ .run = &t->run };
	t->w = (struct mx_wave){
		.group = &t->group, .lanes = ~0ull, .vgprs = 64, .agprs = 64, .first_agpr = MX_VGPRS
	};
	t->w.v = calloc(MX_VGPR_FILE, sizeof *t->w.v);
	t->w.v_unwritten = calloc(MX_VGPR_FILE, sizeof *t->w.v_unwritten);
}

static void clear_report(struct stage *t) {
	mx_report_free(&t->m.report);
	t->run.stopped = false;
}

static void tear_down(struct stage *t) {
	clear_report(t);
	mx_program_free(t->program);
	free(t->w.v);
	free(t->w.v_unwritten);
}

/* ---- random operands ---- */

/* Numbers, bits, floats, and limits of ranges. */
static uint32_t random_dword(void) {
	uint32_t r = (uint32_t)next_random(&seed);
	switch (below(8)) {
	case 0: return r & 63;
	case 1: return -(r & 63);
	case 2: return 1u << (r & 31);
	case 3: return 0x3f000000 + (r & 0x1ffffff);
	case 4: return (r & 0x83ff83ff) | 0x38003c00;
	case 5: return r & 1 ? 0 : ~0u;
	default: return r;
	}
}

static void random_state(struct stage *t) {
	static const uint32_t modes[] = { 0x2f0, 0x2f0, 0x0f0, 0x100, 0x1c3, 0x03c, 0x2ff };
	for (unsigned r = 0; r < ROWS; r++)
		for (unsigned l = 0; l < MX_LANES; l++)
			t->v[r][l] = random_dword();
	for (unsigned i = 0; i < MX_SGPR_FILE; i++)
		t->s[i] = random_dword();
	if (below(4))
		t->s[MX_EXEC] = t->s[MX_EXEC + 1] = ~0u;
	t->s[MX_EXEC] |= 1;
	t->scc = below(2);
	t->mode = modes[below(sizeof modes / sizeof *modes)];
}

static void set_source(struct mx_inst *in, unsigned i, unsigned code) {
	struct mx_operand o = in->operand[MX_AT_SRC0 + i];
	o.code = (uint16_t)code;
	mx_set_operand(in, MX_AT_SRC0 + i, o);
}

/* Sources in different registers, or sometimes in one; the first source of a vector instruction is
 * sometimes scalar. */
static void random_registers(struct mx_inst *in) {
	bool vector = mx_has_lanes(in->op), one = !below(8);
	unsigned base = vector ? MX_VGPR + FIRST_ROW : FIRST_SGPR;
	for (unsigned i = 0; i < 3; i++) {
		bool is_old =
			vector ? i == 2 && in->op->flags & MX_READS_D : in->op->encoding == MX_SOPK;
		bool is_mask = vector && i == 2 && in->op->flags & MX_CARRY_IN;
		if (is_mask && mx_source(in, i) != MX_VCC)
			set_source(in, i, FIRST_SGPR + 8);
		else if (in->op->s[i] && !is_old)
			set_source(in, i, base + (one ? 0 : 4 * i));
	}
	if (vector && !in->sdwa.used && !in->dpp.used && in->op->s[0] < 3 && !below(4))
		set_source(in, 0, FIRST_SGPR);
}

/* Random modifiers that all operands of the opcode's kind accept. */
static void random_modifiers(struct mx_inst *in) {
	static const uint16_t shuffles[] = { 0x1b, 0xe4, 0x4e, 0x101, 0x111, 0x121, 0x140, 0x142 };
	bool floats = has_floats(in->op) && in->op->encoding != MX_VOP3P;
	if (!mx_has_lanes(in->op))
		return;
	if (in->sdwa.used)
		for (unsigned i = 0; i < 2; i++) {
			in->sdwa.sel[i] = (uint8_t)below(7);
			in->sdwa.sext[i] = !floats && below(2);
			in->sdwa.dst_sel = (uint8_t)below(7);
			in->sdwa.dst_unused = (uint8_t)below(3);
		}
	if (in->dpp.used && in->dpp.ctrl < 0x150)
		in->dpp.ctrl = shuffles[below(sizeof shuffles / sizeof *shuffles)];
	if (floats && !below(3)) {
		in->neg = (uint8_t)below(8);
		in->abs = (uint8_t)below(8);
		in->plain = false;
	}
	if (in->op->flags & (MX_CLAMPS | MX_OP_SEL) && !below(4))
		in->clamp = true;
	if ((in->op->encoding == MX_VOP3P || in->op->flags & MX_OP_SEL) && !below(2)) {
		in->op_sel = (uint8_t)below(8);
		in->op_sel_hi = (uint8_t)below(8);
		in->plain = false;
	}
	if (in->op->flags & MX_TRUTH) {
		in->neg = (uint8_t)below(8);
		in->abs = (uint8_t)below(8);
		in->omod = (uint8_t)below(4);
	}
	in->simple &= in->plain && !in->clamp && !in->omod;
}

/* ---- unwritten bits ---- */

/* Unwritten bit i of each lane, of a scalar register or of SCC; or a group of bits, with two values
 * to try. */
struct place {
	enum { IN_LANE, IN_MASK, IN_SGPR, IN_SCC } kind;
	unsigned reg[MX_LANES]; /* row or SGPR, per lane */
	uint32_t bits[MX_LANES], values[MX_LANES];
};

struct unwritten {
	unsigned n;
	bool groups; /* groups instead of single bits */
	bool alike;  /* the same bits in some lanes, and none in the others */
	struct place at[MOST];
	uint32_t fault[MX_LANES]; /* so that lanes try values in different orders */
};

/* Registers that an instruction reads: rows, SGPRs. */
struct reads {
	unsigned rows[24], n_rows, sgprs[12], n_sgprs;
	int mask; /* pair of SGPRs, or -1 */
	bool scc;
};

static void add_register(struct reads *r, unsigned code) {
	if (code >= MX_VGPR)
		r->rows[r->n_rows++] = code - MX_VGPR;
	else if (code < MX_SGPR_FILE)
		r->sgprs[r->n_sgprs++] = code;
}

static struct reads registers_read(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	struct reads r = { .mask = -1, .scc = op->flags & MX_SCC_IN };
	for (unsigned i = 0; i < 3; i++)
		for (unsigned h = 0; h < op->s[i]; h++)
			add_register(&r, mx_source(in, i) + h);
	for (unsigned h = 0; h < op->d && (mx_has_lanes(op) || op->flags & MX_READS_D); h++)
		add_register(&r, mx_result(in) + h);
	if (op->flags & (MX_CARRY_IN | MX_VCC_IN))
		r.mask = op->flags & MX_VCC_IN ? MX_VCC : mx_source(in, 2);
	return r;
}

static void place_bit(struct unwritten *u, const struct reads *r, struct place *p) {
	unsigned window = below(3) ? 32 : 8, start = below(33 - window);
	bool scalar = !r->n_rows || (r->n_sgprs && !below(4));
	p->kind = r->scc && !below(6)         ? IN_SCC
	          : r->mask >= 0 && !below(4) ? IN_MASK
	          : scalar                    ? IN_SGPR
	                                      : IN_LANE;
	unsigned sgpr = r->n_sgprs ? r->sgprs[below(r->n_sgprs)] : 0;
	for (unsigned l = 0; l < MX_LANES; l++) {
		uint32_t bit = 1u << (start + below(window));
		p->reg[l] = p->kind == IN_SGPR   ? sgpr
		            : p->kind == IN_MASK ? (unsigned)r->mask + l / 32
		            : p->kind == IN_LANE ? r->rows[below(r->n_rows)]
		                                 : 0;
		p->bits[l] = p->kind == IN_MASK ? 1u << l % 32 : u->groups ? random_dword() : bit;
		p->values[l] = u->groups ? random_dword() : bit;
	}
	u->n++;
}

/* Makes the bits those of lane 0, often a whole register, in the lanes of a mask. */
static void make_alike(struct place *p, uint64_t lanes) {
	uint32_t bits = below(2) ? ~0u : p->bits[0];
	for (unsigned l = 0; l < MX_LANES && p->kind != IN_SGPR; l++) {
		p->reg[l] = p->kind == IN_LANE ? p->reg[0] : p->reg[l];
		p->bits[l] = lanes >> l & 1 ? p->kind == IN_LANE ? bits : p->bits[l] : 0;
	}
}

static void random_unwritten(struct unwritten *u, const struct reads *r, unsigned n) {
	uint64_t lanes = below(2) ? ~0ull : next_random(&seed);
	u->n = 0;
	u->groups = !below(4);
	while (u->n < n) {
		place_bit(u, r, &u->at[u->n]);
		if (u->alike)
			make_alike(&u->at[u->n - 1], lanes);
	}
	for (unsigned l = 0; l < MX_LANES; l++)
		u->fault[l] = (uint32_t)next_random(&seed);
}

/* One of two values of some bits of a word. */
static void set_bits(uint32_t *word, uint32_t bits, uint32_t value, bool other) {
	*word = (*word & ~bits) | ((other ? ~value : value) & bits);
}

/* Sets unwritten bit i as in value j. */
static void set_place(struct stage *t, const struct unwritten *u, unsigned i, unsigned j) {
	const struct place *p = &u->at[i];
	if (p->kind == IN_SCC)
		t->w.scc = j >> i & 1;
	else if (p->kind == IN_SGPR)
		set_bits(&t->w.s[p->reg[0]], p->bits[0], p->values[0], j >> i & 1);
	for (unsigned l = 0; l < MX_LANES; l++) {
		bool value = (j ^ u->fault[l]) >> i & 1;
		if (p->kind == IN_LANE)
			set_bits(&t->w.v[p->reg[l]][l], p->bits[l], p->values[l], value);
		else if (p->kind == IN_MASK)
			set_bits(&t->w.s[p->reg[l]], p->bits[l], ~0u, value);
	}
}

static void mark_place(struct mx_wave *w, const struct place *p) {
	if (p->kind == IN_SCC)
		w->scc_unwritten = true;
	for (unsigned l = 0; l < MX_LANES; l++) {
		uint32_t *u = p->kind == IN_LANE ? &mx_mixed_row(w, p->reg[l])[l]
		                                 : &w->s_unwritten[p->reg[l]];
		if (p->kind == IN_SCC)
			continue;
		if (p->kind == IN_LANE && !p->bits[l])
			continue;
		if (p->kind == IN_LANE && !(w->unwritten_lanes[p->reg[l]] >> l & 1))
			*u = 0;
		*u |= p->kind == IN_SGPR ? p->bits[0] : p->bits[l];
		w->unwritten_lanes[p->reg[l]] |= p->kind == IN_LANE ? 1ull << l : 0;
	}
}

/* ---- runs ---- */

/* Runs the instruction with value j of the unwritten bits; false if it did not run. */
static bool run_value(struct stage *t, const struct mx_inst *in, const struct unwritten *u,
                      unsigned j, bool marked) {
	struct mx_wave *w = &t->w;
	memcpy(w->v, t->v, sizeof t->v);
	memcpy(w->s, t->s, sizeof t->s);
	memset(w->s_unwritten, 0, sizeof w->s_unwritten);
	memset(w->unwritten_lanes, 0, sizeof w->unwritten_lanes);
	w->scc = t->scc;
	w->scc_unwritten = false;
	w->mode = t->mode;
	for (unsigned i = 0; i < u->n; i++) {
		set_place(t, u, i, j);
		if (marked)
			mark_place(w, &u->at[i]);
	}
	mx_gfx950.handlers()[in->op->id](w, in);
	return !t->m.report.stopped;
}

static void note_differences(struct stage *t) {
	for (unsigned r = 0; r < ROWS; r++)
		for (unsigned l = 0; l < MX_LANES; l++)
			t->varies[r][l] |= t->w.v[r][l] ^ t->first[r][l];
	for (unsigned i = 0; i < MX_SGPR_FILE; i++)
		t->s_varies[i] |= t->w.s[i] ^ t->s_first[i];
}

/* Records the result bits that change over all values. Registers that the instruction does not
 * write change with their own unwritten bits, and are marked unwritten. */
static bool run_values(struct stage *t, const struct mx_inst *in, const struct unwritten *u) {
	bool scc_first;
	memset(t->varies, 0, sizeof t->varies);
	memset(t->s_varies, 0, sizeof t->s_varies);
	t->scc_varies = false;
	if (!run_value(t, in, u, 0, false))
		return false;
	memcpy(t->first, t->w.v, sizeof t->first);
	memcpy(t->s_first, t->w.s, sizeof t->s_first);
	scc_first = t->w.scc;
	for (unsigned j = 1; j < 1u << u->n; j++) {
		if (!run_value(t, in, u, j, false))
			return false;
		note_differences(t);
		t->scc_varies |= t->w.scc != scc_first;
	}
	return true;
}

/* ---- verdicts ---- */

struct verdict {
	uint32_t missed, excess; /* bits of one register */
	char where[32];
};

static void judge_bits(struct verdict *v, uint32_t varies, uint32_t claimed, const char *kind,
                       unsigned reg, int lane) {
	uint32_t missed = varies & ~claimed, excess = claimed & ~varies;
	if ((missed && !v->missed) || (excess && !v->missed && !v->excess)) {
		v->missed = missed;
		v->excess = excess;
		snprintf(v->where, sizeof v->where, lane < 0 ? "%s%u" : "%s%u lane %d", kind, reg,
		         lane);
	}
}

/* EXEC is never unwritten: a finding replaces the mark. */
static void judge_exec(struct verdict *v, const struct stage *t) {
	bool varies = t->s_varies[MX_EXEC] | t->s_varies[MX_EXEC + 1];
	judge_bits(v, varies, t->m.report.n_findings > 0, "finding of EXEC", 0, -1);
}

static struct verdict judge(struct stage *t, const struct mx_inst *in) {
	struct verdict v = { 0 };
	struct mx_wave *w = &t->w;
	bool changes_exec = in->op->flags & MX_EXEC_OUT;
	if (changes_exec)
		judge_exec(&v, t);
	if (changes_exec && t->m.report.n_findings)
		return v;
	for (unsigned r = 0; r < ROWS; r++)
		for (unsigned l = 0; l < MX_LANES; l++)
			judge_bits(&v, t->varies[r][l], mx_vunwritten(w, r, l), "v", r, (int)l);
	for (unsigned i = 0; i < MX_EXEC; i++)
		judge_bits(&v, t->s_varies[i], w->s_unwritten[i], "s", i, -1);
	judge_bits(&v, t->scc_varies, w->scc_unwritten, "SCC", 0, -1);
	return v;
}

/* ---- the promise of taint.h ---- */

/* Whether the opcode is exact with any number of unwritten bits. */
static bool is_always_exact(const char *name) {
	static const char *const families[] = {
		"s_and_b",    "s_or_b",     "s_xor_b",    "s_andn2_b",  "s_orn2_b",    "s_nand_b",
		"s_nor_b",    "s_xnor_b",   "s_mov_b",    "s_not_b",    "s_cselect",   "s_cmov",
		"s_brev",     "s_sext",     "s_add_",     "s_sub_",     "s_addc",      "s_subb",
		"s_addk",     "s_cmp",      "s_pack",     "s_ff",       "s_flbit",     "v_and_b32",
		"v_or_b32",   "v_xor_b32",  "v_xnor",     "v_not",      "v_mov_b",     "v_bfi",
		"v_and_or",   "v_or3",      "v_bitop3",   "v_cndmask",  "v_bfrev",     "v_add_u",
		"v_sub_u",    "v_subrev_u", "v_add_co",   "v_sub_co",   "v_subrev_co", "v_addc",
		"v_subb",     "v_add_i32",  "v_sub_i32",  "v_pk_add_u", "v_pk_sub_u",  "v_ffb",
		"v_cmp_lt_i", "v_cmp_lt_u", "v_cmp_le_i", "v_cmp_le_u", "v_cmp_gt_i",  "v_cmp_gt_u",
		"v_cmp_ge_i", "v_cmp_ge_u", "v_cmp_eq_i", "v_cmp_eq_u", "v_cmp_ne_i",  "v_cmp_ne_u",
	};
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		if (!strncmp(name, families[i], strlen(families[i])))
			return true;
	return false;
}

/* Not exact: DPP adds bits of other lanes; SDWA's sign extension, OP_SEL, and a register used as
 * two operands of different kinds multiply bits; operands of four dwords are never exact. */
static bool is_exact(const struct mx_inst *in, unsigned n) {
	const struct mx_op *op = in->op;
	bool one = (op->s[1] && mx_source(in, 0) == mx_source(in, 1)) ||
	           (op->s[2] &&
	            (mx_source(in, 0) == mx_source(in, 2) || mx_source(in, 1) == mx_source(in, 2)));
	bool multiplied = in->dpp.used || in->sdwa.used || (!in->plain && op->encoding == MX_VOP3P);
	if (multiplied || op->flags & MX_HALF_UNKNOWN || op->d > 2 ||
	    !(mx_has_lanes(op) || op->unit == MX_UNIT_SALU))
		return false;
	return (n <= FEW && !one) || (!in->clamp && is_always_exact(op->name));
}

static bool is_judged(const struct mx_inst *in) {
	return in->op && !in->unsupported && (mx_has_lanes(in->op) || in->op->unit == MX_UNIT_SALU);
}

/* Tests one instruction with n unwritten bits; false if wrong. */
static bool test_instruction(struct stage *t, const struct mx_form *f, struct mx_inst in,
                             unsigned n, uint64_t *judged) {
	struct unwritten u = { .alike = false };
	uint64_t start = seed;
	random_state(t);
	random_registers(&in);
	random_modifiers(&in);
	struct reads r = registers_read(&in);
	if (!r.n_rows && !r.n_sgprs)
		return true;
	random_unwritten(&u, &r, n);
	clear_report(t);
	bool ran = run_values(t, &in, &u);
	clear_report(t);
	if (!ran || !run_value(t, &in, &u, below(1u << n), true))
		return true;
	struct verdict v = judge(t, &in);
	++*judged;
	if (!v.missed && !(v.excess && !u.groups && is_exact(&in, n)))
		return true;
	diag("%s with %u %s unwritten, %s: bits 0x%x %s (seed 0x%llx)", f->name, n,
	     u.groups ? "groups of bits" : "bits", v.where, v.missed ? v.missed : v.excess,
	     v.missed ? "vary, but count as written" : "never vary, but count as unwritten",
	     (unsigned long long)start);
	return false;
}

static void test_forms(struct stage *t, unsigned rounds, unsigned most) {
	static uint64_t judged[4096];
	struct mx_form f;
	size_t wrong = 0, never = 0, total = 0;
	for (size_t i = 0; mx_form_at(&mx_gfx950, i, &f); i++) {
		struct mx_inst in;
		mx_gfx950.decode(f.code, f.dwords, 0, &in);
		if (!is_judged(&in))
			continue;
		bool constant = !in.op->s[0] && !(in.op->flags & MX_READS_D);
		for (unsigned k = 0; wrong < 20 && k < (judged[i] || constant ? 1 : 8) * rounds; k++)
			wrong += !test_instruction(t, &f, in, 1 + below(most), &judged[i]);
		if (!judged[i] && !constant && wrong < 20 && ++never)
			diag("%s was never tested", f.name);
		total++;
	}
	ok(!wrong,
	   "%zu forms of ALU instructions: bits that unwritten bits change count as unwritten, and "
	   "for few bits no others",
	   total);
	ok(total > 1000 && !never, "each form was tested");
}

/* ---- all lanes together ---- */

/* What an instruction leaves. */
struct left {
	mx_vreg v[ROWS], unwritten[ROWS];
	struct mx_wave w;
	size_t findings;
};

static bool run_way(struct stage *t, const struct mx_inst *in, const struct unwritten *u,
                    bool lane_by_lane, struct left *left) {
	clear_report(t);
	t->m.launch.lane_by_lane = lane_by_lane;
	bool ran = run_value(t, in, u, 0, true);
	t->m.launch.lane_by_lane = false;
	memcpy(left->v, t->w.v, sizeof left->v);
	for (unsigned r = 0; r < ROWS; r++)
		for (unsigned l = 0; l < MX_LANES; l++)
			left->unwritten[r][l] = mx_vunwritten(&t->w, r, l);
	left->w = t->w;
	left->findings = t->m.report.n_findings;
	clear_report(t);
	return ran;
}

static bool is_same(const struct left *a, const struct left *b) {
	return !memcmp(a->v, b->v, sizeof a->v) &&
	       !memcmp(a->unwritten, b->unwritten, sizeof a->unwritten) &&
	       !memcmp(a->w.unwritten_lanes, b->w.unwritten_lanes, sizeof a->w.unwritten_lanes) &&
	       !memcmp(a->w.s, b->w.s, sizeof a->w.s) &&
	       !memcmp(a->w.s_unwritten, b->w.s_unwritten, sizeof a->w.s_unwritten) &&
	       a->findings == b->findings;
}

/* False if both ways differ. */
static bool test_both_ways(struct stage *t, const struct mx_form *f, struct mx_inst in,
                           uint64_t *compared) {
	static struct left together, one_by_one;
	struct unwritten u = { .alike = below(8) };
	uint64_t start = seed;
	random_state(t);
	random_registers(&in);
	random_modifiers(&in);
	struct reads r = registers_read(&in);
	if (!r.n_rows)
		return true;
	random_unwritten(&u, &r, 1 + below(4));
	if (!run_way(t, &in, &u, true, &one_by_one) || !run_way(t, &in, &u, false, &together))
		return true;
	++*compared;
	if (is_same(&one_by_one, &together))
		return true;
	diag("%s leaves other bits if lanes are taken together (seed 0x%llx)", f->name,
	     (unsigned long long)start);
	return false;
}

static void test_ways(struct stage *t, unsigned rounds) {
	struct mx_form f;
	uint64_t compared = 0;
	unsigned wrong = 0;
	for (size_t i = 0; mx_form_at(&mx_gfx950, i, &f); i++) {
		struct mx_inst in;
		mx_gfx950.decode(f.code, f.dwords, 0, &in);
		if (!in.op || in.unsupported || !mx_has_lanes(in.op))
			continue;
		for (unsigned k = 0; k < rounds && wrong < 20; k++)
			wrong += !test_both_ways(t, &f, in, &compared);
	}
	ok(compared > 10000 && !wrong,
	   "%llu instructions leave the same if lanes are taken together",
	   (unsigned long long)compared);
}

int main(void) {
	static struct stage t;
	const char *given = getenv("SEED");
	bool long_run = is_long();
	seed = long_run && given ? strtoull(given, NULL, 0) : 1;
	set_up(&t);
	test_forms(&t, long_run ? 60 : 8, long_run ? MOST : 6);
	test_ways(&t, long_run ? 2000 : 10);
	tear_down(&t);
	return done_testing();
}
