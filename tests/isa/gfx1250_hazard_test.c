/* Wait states of gfx1250: each pair of gfx1250_hazard.def, by lint and along the path of a wave,
 * and banks of VGPRs. Each row of gfx1250_dependence.def, which lacks an s_wait_alu or not. */
#include "../../ref/isa/lint/lint.h"
#include "machine_test.h"

enum { MOST = 12, WAVE32 = 1 << 10, V_NOP = 0x7e000000u, S_NOP = 0xbf80000fu, END = 0xbfb00000u };

struct pair {
	const char *text;
	uint32_t dwords[8];
	size_t bytes;
	unsigned finding, note; /* instructions between from which there is none */
};

#define EXPAND(...) __VA_ARGS__
static const struct pair pairs[] = {
#define ROW(text, code, finding, note)                                                             \
	{ text, { EXPAND code }, sizeof((uint32_t[]){ EXPAND code }), finding, note },
#include "gfx1250_hazard.def"
};

static const struct dependent {
	const char *text;
	uint32_t dwords[16];
	size_t bytes;
	mx_missing_kind kind;
	unsigned count;
	bool note, strict;
} dependents[] = {
#define DEPENDENT(text, code, field, count, note)                                                  \
	{ text,                                                                                    \
	  { EXPAND code },                                                                         \
	  sizeof((uint32_t[]){ EXPAND code }),                                                     \
	  MX_MISSING_##field,                                                                      \
	  count,                                                                                   \
	  note,                                                                                    \
	  false },
#define ROW(text, code, field, count)  DEPENDENT(text, code, field, count, false)
#define NOTE(text, code, field, count) DEPENDENT(text, code, field, count, true)
#define STRICT(text, code, field, count)                                                           \
	{ text,                                                                                    \
	  { EXPAND code },                                                                         \
	  sizeof((uint32_t[]){ EXPAND code }),                                                     \
	  MX_MISSING_##field,                                                                      \
	  count,                                                                                   \
	  true,                                                                                    \
	  true },
#include "gfx1250_dependence.def"
};

struct seen {
	unsigned findings, notes, count;
	mx_missing_kind kind; /* in the last finding */
	unsigned missing;     /* in the last finding */
	char text[400];
};

static void note(void *context, const struct mx_finding *f) {
	struct seen *s = context;
	mx_finding_sentence(&mx_gfx1250, f, s->text, sizeof s->text);
	s->findings += f->kind == MX_WAIT_STATES;
	s->notes += f->kind == MX_WAIT_STATES_NOTE;
	s->count = (unsigned)f->count;
	if (f->kind == MX_WAIT_STATES ||
	    (f->kind == MX_WAIT_STATES_NOTE && f->missing.kind != MX_MISSING_WAIT_STATES)) {
		s->kind = f->missing.kind;
		s->missing = f->missing.count;
	}
}

static struct seen lint(const struct code *c) {
	struct seen s = { 0 };
	struct mx_program *p = mx_program_new(&mx_gfx1250, c->dwords, c->bytes, 0);
	struct mx_lint l = { .program = p, .context = &s, .found = note };
	if (!p || !mx_graph_make(p, 0, (uint32_t)c->bytes, &l.graph) ||
	    !mx_graph_follow_banks(p, &l.graph) || !mx_lint_states(&l) || !mx_lint_dependences(&l))
		abort();
	mx_graph_free(&l.graph);
	mx_program_free(p);
	return s;
}

/* Waves with 320 VGPRs, a workgroup each. */
static struct seen run_waves(const struct code *c, unsigned n) {
	struct seen s = { 0 };
	struct machine m = machine();
	m.kernel.properties |= WAVE32;
	m.kernel.agprs = 0;
	m.kernel.vgprs = 320;
	m.kernel.lds_bytes = 1024;
	m.kernel.entry = (uintptr_t)c->dwords;
	m.launch.kernel = &m.kernel;
	m.launch.grid[0] = n;
	m.launch.block[0] = 32;
	m.launch.analysis = MX_ANALYSE_WAIT_STATES;
	m.launch.program = mx_program_new(&mx_gfx1250, c->dwords, c->bytes, m.kernel.entry);
	if (!m.launch.program || !mx_launch_run(&m.launch, &m.report))
		abort();
	for (size_t i = 0; i < m.report.n_findings; i++)
		note(&s, &m.report.findings[i]);
	mx_program_free((struct mx_program *)m.launch.program);
	mx_report_free(&m.report);
	return s;
}

static struct seen run(const struct code *c) {
	return run_waves(c, 1);
}

/* The pair with `states` v_nops between its instructions, and an s_nop, which is no wait state.
 * Before them, indices that a SWMMAC may have. */
static void build(const struct pair *p, unsigned states, struct code *c) {
	struct mx_inst first;
	mx_gfx1250.decode(p->dwords, p->bytes / 4, 0, &first);
	c->bytes = 0;
	APPEND(c, ((uint32_t[]){ 0x7e6002ff, 0x44444444 })); /* v_mov_b32_e32 v48, 0x44444444 */
	append(c, p->dwords, first.size);
	for (; states; states--)
		APPEND(c, ((uint32_t[]){ V_NOP }));
	APPEND(c, ((uint32_t[]){ S_NOP }));
	append(c, p->dwords + first.size / 4, p->bytes - first.size);
	APPEND(c, ((uint32_t[]){ END }));
}

static bool as_expected(const struct pair *p, unsigned states, const struct seen *s) {
	if (states < p->finding)
		return s->findings == 1 && s->missing == p->finding - states;
	return !s->findings && (states < p->note) == (s->notes > 0);
}

static void test_pair(const struct pair *p) {
	int wrong_lint = -1, wrong_run = -1;
	for (unsigned states = 0; states < MOST; states++) {
		struct code c;
		build(p, states, &c);
		struct seen l = lint(&c), r = run(&c);
		if (!as_expected(p, states, &l) && wrong_lint < 0)
			wrong_lint = (int)states;
		if (!as_expected(p, states, &r) && wrong_run < 0)
			wrong_run = (int)states;
	}
	if (!ok(wrong_lint < 0 && wrong_run < 0, "%s: %u, %u", p->text, p->finding, p->note))
		diag("wrong with %d states (lint), %d (run)", wrong_lint, wrong_run);
}

static void test_text(void) {
	struct code c;
	build(&pairs[0], 1, &c);
	struct seen s = run(&c);
	const char *text = "reads the result of +0x8 v_wmma_f32_16x16x32_f16 v[0:7], v[16:23], "
			   "v[24:31], v[32:39]: 1 wait state between them, 4 needed [ISA 5.7; "
			   "LLVM]: 3 v_nop are missing";
	if (!ok(!strcmp(s.text, text), "%s", text))
		diag("said: %s", s.text);
}

/* ---- banks ---- */

static void expect(const uint32_t *code, size_t bytes, unsigned missing, unsigned count,
                   const char *what) {
	struct code c = { 0 };
	append(&c, code, bytes);
	struct seen s = run(&c);
	if (!ok(s.findings == (missing > 0) && s.missing == missing && s.count == count, "%s",
	        what))
		diag("%u findings, %u missing, count %u: %s", s.findings, s.missing, s.count,
		     s.text);
}
#define EXPECT(code, missing, count, what) expect(code, sizeof(code), missing, count, what)

static void test_banks(void) {
	/* v_mov_b32_e32 v60, v7 reads v263, then v7. */
	static const uint32_t set[] = {
		0xcc600000,
		0x1c823110, /* v_wmma_f32_16x16x32_f16 v[0:7], v[16:23], v[24:31], v[32:39] */
		0xbf860001, /* s_set_vgpr_msb 1 */
		0x7e780307, /* v_mov_b32_e32 v60, v7 */
		0xbf860000, /* s_set_vgpr_msb 0 */
		0x7e780307, /* v_mov_b32_e32 v60, v7 */
		END,
	};
	static const uint32_t mode[] = {
		0xcc600000,
		0x1c823110, /* v_wmma_f32_16x16x32_f16 v[0:7], v[16:23], v[24:31], v[32:39] */
		0xb9800641,
		0x00004000, /* s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 0x4000 */
		0x7e780307, /* v_mov_b32_e32 v60, v7 */
		0xb9800641,
		0x00000000, /* s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 0 */
		0x7e780307, /* v_mov_b32_e32 v60, v7 */
		END,
	};
	/* D and the source of v_mov are in bank 1. */
	static const uint32_t both[] = {
		0xb9800641,
		0x00005000, /* s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 0x5000 */
		0xcc600000,
		0x1c823110, /* v_wmma_f32_16x16x32_f16 v[0:7], v[16:23], v[24:31], v[32:39] */
		0x7e780307, /* v_mov_b32_e32 v60, v7 */
		END,
	};
	EXPECT(set, 3, 1, "v263 is not v7: s_set_vgpr_msb");
	EXPECT(mode, 3, 1, "  and MODE");
	EXPECT(both, 4, 1, "  and results in another bank are found");
}

/* In the first of three rounds D is v[256:263], and v7 is free to be read. */
static void test_rounds(void) {
	struct code c = { 0 };
	APPEND(&c, ((uint32_t[]){ 0xbe840080,                 /* s_mov_b32 s4, 0 */
	                          0xb9800641, 0x00001000 })); /* MODE: D in bank 1 */
	for (unsigned i = 0; i < 24; i++)
		APPEND(&c, ((uint32_t[]){ V_NOP }));
	APPEND(&c, ((uint32_t[]){ 0xcc600000, 0x1c823110, /* v_wmma_f32_16x16x32_f16 v[0:7],
	                                                     v[16:23], v[24:31], v[32:39] */
	                          0xb9800641, 0x00000000, /* MODE: bank 0 */
	                          0x7e780307,             /* v_mov_b32_e32 v60, v7 */
	                          0x81048104,             /* s_add_co_i32 s4, s4, 1 */
	                          0xbf0a8304,             /* s_cmp_lt_u32 s4, 3 */
	                          0xbfa2ffe0,             /* s_cbranch_scc1 65504 */
	                          END }));
	struct seen s = run(&c);
	if (!ok(s.findings == 1 && s.count == 2, "banks that change from round to round"))
		diag("%u findings, count %u", s.findings, s.count);
}

/* ---- expert scheduling mode ---- */

/* v1 is written before the row, and the mode is set. */
static void begin_expert(struct code *c) {
	c->bytes = 0;
	APPEND(c, ((uint32_t[]){ 0x30020082,             /* v_lshlrev_b32_e32 v1, 2, v0 */
	                         0xb980081a, 0x00000002, /* s_setreg_imm32_b32 hwreg(26, 0, 2), 2 */
	                         0xbf880f9f }));         /* s_wait_alu depctr_va_vdst(0) */
}

static bool lacks(const struct seen *s, mx_missing_kind kind, unsigned count, bool note) {
	unsigned n = kind != MX_MISSING_NONE;
	return s->findings == (note ? 0 : n) && s->notes == (note ? n : 0) && s->kind == kind &&
	       s->missing == count;
}

static void test_dependent(const struct dependent *d) {
	struct code c;
	begin_expert(&c);
	append(&c, d->dwords, d->bytes);
	APPEND(&c, ((uint32_t[]){ END }));
	struct seen l = lint(&c), r = run_waves(&c, 3);
	bool both = lacks(&r, d->kind, d->count, d->note) &&
	            (d->strict ? lacks(&l, MX_MISSING_NONE, 0, true)
	                       : lacks(&l, d->kind, d->count, d->note));
	if (!ok(both, "%s", d->text))
		diag("lint: %u, %s; run: %u, %s", l.findings, l.text, r.findings, r.text);
}

static void expect_on_paths(const uint32_t *code, size_t bytes, mx_missing_kind kind,
                            const char *what) {
	struct code c;
	begin_expert(&c);
	append(&c, code, bytes);
	struct seen s = lint(&c);
	if (!ok(lacks(&s, kind, 0, false), "%s", what))
		diag("%u findings: %s", s.findings, s.text);
}
#define EXPECT_ON_PATHS(code, kind, what)                                                          \
	expect_on_paths(code, sizeof(code), MX_MISSING_##kind, what)

static void test_paths(void) {
	static const uint32_t one_path[] = {
		0xbfa20001,             /* s_cbranch_scc1 1 */
		0x7e040280,             /* v_mov_b32_e32 v2, 0 */
		0xd8340000, 0x00000201, /* ds_store_b32 v1, v2 */
		END,
	}, loop[] = {
		0xd8340000, 0x00000201, /* ds_store_b32 v1, v2 */
		0xbf88ff83,             /* s_wait_alu depctr_vm_vsrc(0) */
		0x7e040280,             /* v_mov_b32_e32 v2, 0 */
		0xbfa2fffb,             /* s_cbranch_scc1 65531 */
		END,
	}, loop_waits[] = {
		0xbf880f9f,             /* s_wait_alu depctr_va_vdst(0) */
		0xd8340000, 0x00000201, /* ds_store_b32 v1, v2 */
		0xbf88ff83,             /* s_wait_alu depctr_vm_vsrc(0) */
		0x7e040280,             /* v_mov_b32_e32 v2, 0 */
		0xbfa2fffa,             /* s_cbranch_scc1 65530 */
		END,
	};
	EXPECT_ON_PATHS(one_path, VA_VDST, "one of two paths leaves a result in flight");
	EXPECT_ON_PATHS(loop, VA_VDST, "the round before leaves a result in flight");
	EXPECT_ON_PATHS(loop_waits, NONE, "  not if the next round waits for it");
}

static void test_dependence_text(void) {
	struct code c;
	begin_expert(&c);
	append(&c, dependents[0].dwords, dependents[0].bytes);
	APPEND(&c, ((uint32_t[]){ END }));
	struct seen s = run(&c);
	const char *text = "reads the result of +0x10 v_mov_b32_e32 v2, 0: no s_wait_alu "
			   "depctr_va_vdst(0) between them [LLVM]";
	if (!ok(!strcmp(s.text, text), "%s", text))
		diag("said: %s", s.text);
}

int main(void) {
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		test_pair(&pairs[i]);
	test_text();
	test_banks();
	test_rounds();
	for (size_t i = 0; i < sizeof dependents / sizeof *dependents; i++)
		test_dependent(&dependents[i]);
	test_paths();
	test_dependence_text();
	return done_testing();
}
