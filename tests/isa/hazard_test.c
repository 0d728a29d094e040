/* Wait states between two instructions, found by lint and along the path of a wave. */
#include "../../ref/isa/waitstates/hazard.h"
#include "../../ref/isa/lint/lint.h"
#include "machine_test.h"

enum { MOST = 22, NOP = 0xbf800000u, END = 0xbf810000u };

struct pair {
	const char *text;
	uint32_t dwords[8];
	size_t bytes;
	unsigned finding, note; /* wait states from which there is none */
};

#define EXPAND(...) __VA_ARGS__
static const struct pair pairs[] = {
#define ROW(text, code, finding, note)                                                             \
	{ text, { EXPAND code }, sizeof((uint32_t[]){ EXPAND code }), finding, note },
#include "hazard.def"
};

struct seen {
	unsigned findings, notes;
	unsigned missing; /* missing wait states in a finding */
	char text[400];   /* of the last finding */
};

/* The pair with `states` wait states between its instructions. */
static void build(const struct pair *p, unsigned states, struct code *c) {
	struct mx_inst first;
	mx_gfx950.decode(p->dwords, p->bytes / 4, 0, &first);
	c->bytes = 0;
	append(c, p->dwords, first.size);
	for (; states > 16; states -= 16)
		APPEND(c, ((uint32_t[]){ NOP | 15 }));
	if (states)
		APPEND(c, ((uint32_t[]){ NOP | (states - 1) }));
	append(c, p->dwords + first.size / 4, p->bytes - first.size);
	APPEND(c, ((uint32_t[]){ END }));
}

static void note(void *context, const struct mx_finding *f) {
	struct seen *s = context;
	mx_finding_sentence(&mx_gfx950, f, s->text, sizeof s->text);
	s->findings += f->kind == MX_WAIT_STATES;
	s->notes += f->kind == MX_WAIT_STATES_NOTE;
	if (f->kind == MX_WAIT_STATES)
		s->missing = f->missing.count;
}

static struct seen lint(const struct code *c) {
	struct seen s = { 0 };
	struct mx_program *p = mx_program_new(&mx_gfx950, c->dwords, c->bytes, 0);
	struct mx_lint l = { .program = p, .context = &s, .found = note };
	if (!p || !mx_graph_make(p, 0, (uint32_t)c->bytes, &l.graph) || !mx_lint_states(&l))
		abort();
	mx_graph_free(&l.graph);
	mx_program_free(p);
	return s;
}

/* Unwritten registers hold 0: an empty buffer, which drops stores. */
static struct seen run(struct machine *m, const struct code *c) {
	static const struct mx_schedule sequential = { .odd = UINT64_MAX };
	struct seen s = { 0 };
	m->launch.analysis = MX_ANALYSE_WAIT_STATES;
	m->launch.schedule = &sequential;
	fill_arena(0);
	run_code(m, c);
	for (size_t i = 0; i < m->report.n_findings; i++) {
		if (m->report.findings[i].kind == MX_WAIT_STATES) {
			s.findings++;
			s.missing = m->report.findings[i].missing.count;
		}
		s.notes += m->report.findings[i].kind == MX_WAIT_STATES_NOTE;
	}
	return s;
}

static bool as_expected(const struct pair *p, unsigned states, struct seen s) {
	if (states < p->finding)
		return s.findings &&
		       (s.missing == p->finding - states || s.missing == p->note - states);
	return !s.findings && (states < p->note) == (s.notes > 0);
}

static void test_pair(struct machine *m, const struct pair *p) {
	int wrong_lint = -1, wrong_run = -1;
	for (unsigned states = 0; states < MOST; states++) {
		struct code c;
		build(p, states, &c);
		if (!as_expected(p, states, lint(&c)) && wrong_lint < 0)
			wrong_lint = (int)states;
		if (!as_expected(p, states, run(m, &c)) && wrong_run < 0)
			wrong_run = (int)states;
	}
	if (!ok(wrong_lint < 0 && wrong_run < 0, "%s: %u, %u", p->text, p->finding, p->note))
		diag("wrong with %d states (lint), %d (run)", wrong_lint, wrong_run);
}

/* ---- texts ---- */

static void test_text(void) {
	static const struct {
		uint32_t dwords[4];
		const char *text;
	} said[] = {
		{ { 0x7e020302, 0xd2890004, 0x00010701 }, /* v_readlane_b32 s4, v1, 3 */
		  "reads the result of +0x0 v_mov_b32_e32 v1, v2: 0 wait states between them, 1 "
		  "needed [ISA 4.5]: s_nop 0 is missing" },
		{ { 0x7e100302, 0xd3ca0000, 0x04321508 }, /* v_mfma_f32_4x4x4_16b_f16 of v8 */
		  "reads the result of +0x0 v_mov_b32_e32 v8, v2 as A or B: 0 wait states between "
		  "them, 2 needed [ISA 7.6]: s_nop 1 is missing" },
	};
	for (unsigned i = 0; i < sizeof said / sizeof *said; i++) {
		struct code c = { 0 };
		append(&c, said[i].dwords, 12);
		APPEND(&c, ((uint32_t[]){ END }));
		struct seen s = lint(&c);
		if (!ok(!strcmp(s.text, said[i].text), "%s", said[i].text))
			diag("said: %s", s.text);
	}
}

/* ---- a busy pipe, paths, loads in flight ---- */

static void note_wait(void *context, const struct mx_finding *f) {
	struct seen *s = context;
	s->findings += f->kind == MX_UNWAITED;
	mx_finding_sentence(&mx_gfx950, f, s->text, sizeof s->text);
}

static struct seen lint_waits(const uint32_t *code, size_t bytes) {
	struct seen s = { 0 };
	struct mx_program *p = mx_program_new(&mx_gfx950, code, bytes, 0);
	struct mx_lint l = { .program = p, .context = &s, .found = note_wait };
	if (!p || !mx_graph_make(p, 0, (uint32_t)bytes, &l.graph) || !mx_lint_waits(&l))
		abort();
	mx_graph_free(&l.graph);
	mx_program_free(p);
	return s;
}

/* One wait is missing, and the text names it. */
static void test_missing(const uint32_t *code, size_t bytes, const char *text, const char *what) {
	struct seen s = lint_waits(code, bytes);
	if (!ok(s.findings == 1 && !strcmp(s.text, text), "%s", what))
		diag("%u found: %s", s.findings, s.text);
}
#define MISSING(code, text, what) test_missing(code, sizeof(code), text, what)

static struct code code_of(const uint32_t *dwords, size_t bytes) {
	struct code c = { 0 };
	append(&c, dwords, bytes);
	return c;
}

static void test_paths(struct machine *m) {
	/* An independent matrix instruction of 8 passes between one of 4 and its reader. */
	static const uint32_t busy[] = {
		0xd3d40000,
		0x04421908, /* v_mfma_f32_16x16x32_f16 v[0:3], v[8:11], v[12:15], v[16:19] */
		0xd3d50014,
		0x04921908, /* v_mfma_f32_32x32x16_f16 v[20:35], v[8:11], v[12:15], v[36:51] */
		0xd3d50014,
		0x04921908, /* v_mfma_f32_32x32x16_f16 v[20:35], v[8:11], v[12:15], v[36:51] */
		0x7e780300, /* v_mov_b32_e32 v60, v0 */
		END,
	};
	/* Only one path has the wait state that DPP needs. */
	static const uint32_t branch[] = {
		0x7e020280, /* v_mov_b32_e32 v1, 0 */
		0xbf850001, /* s_cbranch_scc1 1 */
		0xbf800001, /* s_nop 1 */
		0x7e0402fa,
		0xff011101, /* v_mov_b32_dpp v2, v1 row_shr:1 row_mask:0xf bank_mask:0xf */
		END,
	};
	struct code c = code_of(busy, sizeof busy);
	struct seen l = lint(&c), r = run(m, &c);
	ok(l.notes && !l.findings && r.notes && !r.findings,
	   "wait states that a busy matrix pipe may provide are a note");
	c = code_of(branch, sizeof branch);
	l = lint(&c);
	ok(l.findings == 1, "the shorter of two paths counts");
}

static void test_waits(void) {
	static const uint32_t covered[] = {
		0xdc508000, 0x017f0002, /* global_load_dword v1, v[2:3], off */
		0xdc508000, 0x047f0002, /* global_load_dword v4, v[2:3], off */
		0xbf8c0f71,             /* s_waitcnt vmcnt(1) */
		0x7e0a0301,             /* v_mov_b32_e32 v5, v1 */
		END,
	};
	static const uint32_t younger[] = {
		0xdc508000, 0x017f0002, /* global_load_dword v1, v[2:3], off */
		0xdc508000, 0x047f0002, /* global_load_dword v4, v[2:3], off */
		0xbf8c0f71,             /* s_waitcnt vmcnt(1) */
		0x7e0a0304,             /* v_mov_b32_e32 v5, v4 */
		END,
	};
	static const uint32_t skipped[] = {
		0xdc508000, 0x017f0002, /* global_load_dword v1, v[2:3], off */
		0xbf850001,             /* s_cbranch_scc1 1 */
		0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
		0x7e0a0301,             /* v_mov_b32_e32 v5, v1 */
		END,
	};
	static const uint32_t scalar[] = {
		0xc0020100, 0x00000000, /* s_load_dword s4, s[0:1], 0x0 */
		0xc0020140, 0x00000004, /* s_load_dword s5, s[0:1], 0x4 */
		0xbf8cc17f,             /* s_waitcnt lgkmcnt(1) */
		0x7e0a0204,             /* v_mov_b32_e32 v5, s4 */
		END,
	};
	/* Each path has the load at another position. */
	static const uint32_t either[] = {
		0xbf850003,             /* s_cbranch_scc1 3 */
		0xdc508000, 0x017f0002, /* global_load_dword v1, v[2:3], off */
		0xbf820004,             /* s_branch 4 */
		0xdc508000, 0x017f0006, /* global_load_dword v1, v[6:7], off */
		0xdc508000, 0x047f0002, /* global_load_dword v4, v[2:3], off */
		0x7e0a0301,             /* v_mov_b32_e32 v5, v1 */
		END,
	};
	static const uint32_t overwritten[] = {
		0xd86c0000, 0x01000002, /* ds_read_b32 v1, v2 */
		0xd86c0000, 0x04000002, /* ds_read_b32 v4, v2 */
		0x7e020280,             /* v_mov_b32_e32 v1, 0 */
		END,
	};
	ok(!lint_waits(covered, sizeof covered).findings, "vmcnt(1) covers the older of two loads");
	MISSING(younger,
	        "reads v4 while +0x8 global_load_dword v4, v[2:3], off may be in flight: no "
	        "s_waitcnt vmcnt(0)",
	        "vmcnt(1) does not cover the younger");
	MISSING(skipped,
	        "reads v1 while +0x0 global_load_dword v1, v[2:3], off may be in flight: no "
	        "s_waitcnt vmcnt(0)",
	        "a wait on one of two paths is missing");
	MISSING(scalar,
	        "reads s4 while +0x0 s_load_dword s4, s[0:1], 0x0 may be in flight: no s_waitcnt "
	        "lgkmcnt(0)",
	        "lgkmcnt(1) covers no scalar load, because they are unordered");
	MISSING(either,
	        "reads v1 while +0x4 global_load_dword v1, v[2:3], off may be in flight: no "
	        "s_waitcnt vmcnt(0)",
	        "the younger load on two paths decides the missing wait");
	MISSING(overwritten,
	        "writes v1 while +0x0 ds_read_b32 v1, v2 may be in flight: no s_waitcnt lgkmcnt(1)",
	        "the missing wait need not be for 0");
}

/* The first jump comes from an instruction without a hazard, the next two from one with a hazard.
 */
static void test_jumps(struct machine *m) {
	static const uint32_t rounds[] = {
		0xbe840080, /* s_mov_b32 s4, 0 */
		0xbf80000f, /* s_nop 15 */
		0xbf80000f, /* s_nop 15 */
		0xd3ad0004,
		0x04622108, /* v_mfma_f32_16x16x128_f8f6f4 v[4:7], v[8:15], v[16:23], v[24:27] */
		0xbf820006, /* s_branch 6 */
		0xbf80000f, /* s_nop 15 */
		0xbf80000f, /* s_nop 15 */
		0xd3ad0000,
		0x04622108, /* v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[24:27] */
		0xbf820001, /* s_branch 1 */
		END,
		0x7e500303, /* v_mov_b32_e32 v40, v3 */
		0x80048104, /* s_add_u32 s4, s4, 1 */
		0xbf0a8304, /* s_cmp_lt_u32 s4, 3 */
		0xbf85fff6, /* s_cbranch_scc1 65526 */
		END,
	};
	struct code c = code_of(rounds, sizeof rounds);
	struct seen s = run(m, &c);
	const struct mx_finding *f = m->report.findings;
	ok(s.findings == 1 && f->kind == MX_WAIT_STATES && f->count == 2,
	   "each path to an instruction has its own check");
}

/* The last jump is the same in all rounds; the hazard lies before the jump before it. */
static void test_routes(struct machine *m) {
	static const uint32_t rounds[] = {
		0xbe840080, /* s_mov_b32 s4, 0 */
		0xbf80000f, /* s_nop 15 */
		0xbf80000f, /* s_nop 15 */
		0xbf068004, /* s_cmp_eq_u32 s4, 0 */
		0xbf850003, /* s_cbranch_scc1 3 */
		0xd3ad0000,
		0x04622108, /* v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[24:27] */
		0xbf820004, /* s_branch 4 */
		0xd3ad0004,
		0x04622108, /* v_mfma_f32_16x16x128_f8f6f4 v[4:7], v[8:15], v[16:23], v[24:27] */
		0xbf820001, /* s_branch 1 */
		END,
		0xbf820001, /* s_branch 1 */
		END,
		0x7e500303, /* v_mov_b32_e32 v40, v3 */
		0x80048104, /* s_add_u32 s4, s4, 1 */
		0xbf0a8304, /* s_cmp_lt_u32 s4, 3 */
		0xbf85ffef, /* s_cbranch_scc1 65519 */
		END,
	};
	struct code c = code_of(rounds, sizeof rounds);
	struct seen s = run(m, &c);
	const struct mx_finding *f = m->report.findings;
	ok(s.findings == 1 && f->kind == MX_WAIT_STATES && f->count == 2,
	   "so has each path of several jumps");
}

/* The code after a jump is entered twice by the same route; the second time it ends elsewhere, and
 * the next instruction has a hazard. */
static void test_ends(struct machine *m) {
	static const uint32_t not_taken[] = {
		0xbe840080, /* s_mov_b32 s4, 0 */
		0xbf80000f, /* s_nop 15 */
		0xbf80000f, /* s_nop 15 */
		0xd3ad0000,
		0x04622108, /* v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[24:27] */
		0xbf0a8204, /* s_cmp_lt_u32 s4, 2 */
		0xbf850002, /* s_cbranch_scc1 2 */
		0x7e500303, /* v_mov_b32_e32 v40, v3 */
		END,
		0xbf80000f, /* s_nop 15 */
		0xbf80000f, /* s_nop 15 */
		0x80048104, /* s_add_u32 s4, s4, 1 */
		0xbf82fff6, /* s_branch 65526 */
	};
	static const uint32_t taken[] = {
		0xbe840080, /* s_mov_b32 s4, 0 */
		0xbf80000f, /* s_nop 15 */
		0xbf80000f, /* s_nop 15 */
		0xd3ad0000,
		0x04622108, /* v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[24:27] */
		0xbf068204, /* s_cmp_eq_u32 s4, 2 */
		0xbf850004, /* s_cbranch_scc1 4 */
		0xbf80000f, /* s_nop 15 */
		0xbf80000f, /* s_nop 15 */
		0x80048104, /* s_add_u32 s4, s4, 1 */
		0xbf82fff8, /* s_branch 65528 */
		0x7e500303, /* v_mov_b32_e32 v40, v3 */
		END,
	};
	struct code codes[] = { code_of(not_taken, sizeof not_taken),
		                code_of(taken, sizeof taken) };
	for (unsigned i = 0; i < 2; i++) {
		struct seen s = run(m, &codes[i]);
		const struct mx_finding *f = m->report.findings;
		ok(s.findings == 1 && f->kind == MX_WAIT_STATES && f->count == 1,
		   "a hazard after a branch that is %s the third time", i ? "taken" : "not taken");
	}
}

int main(void) {
	struct machine m = machine();
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		test_pair(&m, &pairs[i]);
	test_paths(&m);
	test_jumps(&m);
	test_routes(&m);
	test_ends(&m);
	test_text();
	test_waits();
	mx_report_free(&m.report);
	return done_testing();
}
