/* Wait states of gfx1250: each pair of gfx1250_hazard.def, by lint and along the path of a wave,
 * and banks of VGPRs. */
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

struct seen {
	unsigned findings, notes, count;
	unsigned missing; /* in the last finding */
	char text[400];
};

static void note(void *context, const struct mx_finding *f) {
	struct seen *s = context;
	mx_finding_sentence(&mx_gfx1250, f, s->text, sizeof s->text);
	s->findings += f->kind == MX_WAIT_STATES;
	s->notes += f->kind == MX_WAIT_STATES_NOTE;
	s->count = (unsigned)f->count;
	if (f->kind == MX_WAIT_STATES)
		s->missing = f->missing.count;
}

static struct seen lint(const struct code *c) {
	struct seen s = { 0 };
	struct mx_program *p = mx_program_new(&mx_gfx1250, c->dwords, c->bytes, 0);
	struct mx_lint l = { .program = p, .context = &s, .found = note };
	if (!p || !mx_graph_make(p, 0, (uint32_t)c->bytes, &l.graph) || !mx_lint_states(&l))
		abort();
	mx_graph_free(&l.graph);
	mx_program_free(p);
	return s;
}

/* A wave with 320 VGPRs. */
static struct seen run(const struct code *c) {
	struct seen s = { 0 };
	struct machine m = machine();
	m.kernel.properties |= WAVE32;
	m.kernel.agprs = 0;
	m.kernel.vgprs = 320;
	m.kernel.entry = (uintptr_t)c->dwords;
	m.launch.kernel = &m.kernel;
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

int main(void) {
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		test_pair(&pairs[i]);
	test_text();
	test_banks();
	test_rounds();
	return done_testing();
}
