/* Instruction sets beside gfx950 (toy_set.h): they run, are analysed and reported, with waves,
 * registers and counters of their own. */
#include "toy_set.h"

#include "../../ref/isa/lint/lint.h"

/* ---- programs ---- */

static const uint32_t toy_code[] = {
	0xe1010000, /* t_shl2 v1, v0 */
	0xe3020100, /* t_load v2, v1 */
	0xe7000000, /* t_wait in 0 */
	0xe2030002, /* t_add v3, v0, v2 */
	0xe5030100, /* t_store v3, v1 */
	0xe8000000, /* t_end */
};
static const uint32_t toy_race[] = {
	0xe1010000, /* t_shl2 v1, v0 */
	0xe3020100, /* t_load v2, v1 */
	0xe2030102, /* t_add v3, v1, v2 */
	0xe8000000, /* t_end */
};
/* Each wave stores to the dwords of the first. */
static const uint32_t toy_overlap[] = {
	0xe0010000, /* t_lane v1 */
	0xe1010100, /* t_shl2 v1, v1 */
	0xe5000100, /* t_store v0, v1 */
	0xe8000000, /* t_end */
};
static const uint32_t toy_exec[] = {
	0xe600a0f0, /* t_exec 0xa0f0 */
	0xe1010000, /* t_shl2 v1, v0 */
	0xe5000100, /* t_store v0, v1 */
	0xe8000000, /* t_end */
};
static const uint32_t toy_unwritten[] = {
	0xe1010000, /* t_shl2 v1, v0 */
	0xe5050100, /* t_store v5, v1 */
	0xe8000000, /* t_end */
};
static const uint32_t gfx950_code[] = {
	0x24020082,             /* v_lshlrev_b32_e32 v1, 2, v0 */
	0x7e0402ff, 0x00000064, /* v_mov_b32_e32 v2, 0x64 */
	0xdc708000, 0x00000201, /* global_store_dword v1, v2, s[0:1] */
	0xbf810000,             /* s_endpgm */
};

static bool arena_counts_from(uint32_t first, uint32_t step, uint32_t n) {
	for (uint32_t i = 0; i < n; i++)
		if (get(4 * i) != first + step * i)
			return false;
	return true;
}

static void test_side_by_side(void) {
	struct mx_program *p = mx_program_new(&toy, toy_code, sizeof toy_code, (uintptr_t)toy_code);
	struct mx_program *q =
		mx_program_new(&mx_gfx950, gfx950_code, sizeof gfx950_code, (uintptr_t)gfx950_code);
	struct machine a = ready(p, toy_code), b = ready(q, gfx950_code);
	fill_arena(0);
	ok(run(&b) && no_findings(&b) && arena_counts_from(100, 0, 64),
	   "a gfx950 program stores 100");
	ok(run(&a) && no_findings(&a) && arena_counts_from(100, 1, 64),
	   "a program of the second set loads it, adds the work-item and stores");
	if (a.report.n_findings)
		show_findings(&a);
	ok(run(&b) && arena_counts_from(100, 0, 64), "the gfx950 program runs again");
	ok(a.report.stats.instructions == 6 && a.report.stats.by_op[LOAD] == 1 &&
	           !strcmp(mx_op_name(a.report.isa, LOAD), "t_load") &&
	           mx_op_count(b.report.isa) == MX_FIRST_OF_GFX1250,
	   "each report counts the opcodes of its own set");
	mx_report_free(&a.report);
	mx_report_free(&b.report);
	mx_program_free(p);
	mx_program_free(q);
}

/* ---- waves of 32 ---- */

static void test_partial_wave(void) {
	fill_arena(0);
	const struct machine *m = RUN32(toy_code, 40);
	ok(is_proved(m) && m->report.stats.instructions == 2 * 6,
	   "40 work-items are two waves of 32, and their order is proved");
	ok(arena_counts_from(0, 1, 40) && !get(4 * 40) && !get(4 * 63),
	   "the second wave has eight work-items");
	ok(m->report.stats.together[MX_TOGETHER_LOAD] == 2 &&
	           m->report.stats.together[MX_TOGETHER_STORE] == 2,
	   "32 lanes access memory together");
}

static void test_exec(void) {
	unsigned right = 0;
	fill_arena(0xff);
	const struct machine *m = RUN32(toy_exec, 32);
	for (unsigned i = 0; i < 40; i++)
		right += get(4 * i) == (i < 16 && 0xa0f0 >> i & 1 ? i : ~0u);
	ok(is_proved(m) && right == 40, "EXEC selects the lanes that store");
}

static void test_many_waves(void) {
	static const struct mx_schedule last_first = { .first_wave = 31 };
	fill_arena(0);
	ok(is_proved(RUN32(toy_code, 1024)) && arena_counts_from(0, 1, 1024),
	   "a workgroup has up to 32 waves");
	const struct machine *m = run32_as(toy_overlap, sizeof toy_overlap, 1024, &last_first);
	const struct mx_finding *f = m->report.findings;
	if (!ok(m->report.n_findings == 1 && f->kind == MX_RACE_GLOBAL && f->earlier == 8 &&
	                f->earlier_wave == 31 && f->wave == 0,
	        "a race with the last of them names it"))
		show_findings(m);
}

static void test_findings32(void) {
	fill_arena(0);
	const struct machine *m = RUN32(toy_overlap, 40);
	if (!ok(found(m, MX_RACE_GLOBAL, 8) && m->report.findings->count == 8,
	        "two waves of 32 that store to the same dwords race"))
		show_findings(m);
	if (!ok(found(RUN32(toy_race, 32), MX_RACE_REGISTER, 8), "a wave of 32 reads too early"))
		show_findings(m);
	if (!ok(found(RUN32(toy_unwritten, 32), MX_UNWRITTEN, 4),
	        "it stores an unwritten register"))
		show_findings(m);
	m = RUN32(toy_exec, 40);
	const struct mx_finding *f = m->report.findings;
	if (!ok(m->report.n_findings && f->kind == MX_UNWRITTEN && f->wave == 1 && f->lane == 13,
	        "the lanes after the last work-item have unwritten registers"))
		show_findings(m);
}

/* ---- findings ---- */

static void test_text(const uint32_t *code, size_t bytes, const char *want, const char *what) {
	struct mx_program *p = mx_program_new(&toy, code, bytes, (uintptr_t)code);
	struct machine m = ready(p, code);
	fill_arena(0);
	if (!ok(run(&m) && m.report.n_findings == 1 &&
	                !strcmp(in_words(&m, m.report.findings), want),
	        "%s", what))
		show_findings(&m);
	mx_report_free(&m.report);
	mx_program_free(p);
}

static void keep_sentence(void *context, const struct mx_finding *f) {
	mx_finding_sentence(&toy, f, context, MX_LINE_ROOM);
}

/* The sentence of the last finding, or "". */
static const char *lint(const uint32_t *code, size_t bytes) {
	static char text[MX_LINE_ROOM];
	struct mx_program *p = mx_program_new(&toy, code, bytes, 0);
	struct mx_lint l = { .program = p, .context = text, .found = keep_sentence };
	*text = 0;
	need(mx_graph_make(p, 0, (uint32_t)bytes, &l.graph) && mx_lint_states(&l) &&
	             mx_lint_waits(&l),
	     "memory");
	mx_graph_free(&l.graph);
	mx_program_free(p);
	return text;
}

static void test_lint(void) {
	const char *text = lint(toy_race, sizeof toy_race);
	if (!ok(!strcmp(text, "reads v2 while +0x4 t_load v2 may be in flight: no t_wait in 0"),
	        "lint finds the missing wait, and no wait states where the set has no rules"))
		diag("%s", text);
}

static void test_findings(void) {
	static const uint32_t other[] = { 0xbf810000 /* s_endpgm of gfx950 */ };
	test_text(toy_race, sizeof toy_race,
	          "test+0x8 t_add v3, v1, v2 (e2030102): reads v2 before t_load v2 (+0x4) writes "
	          "it: no t_wait in 0 between them",
	          "a race is printed with the second set's instructions");
	test_text(other, sizeof other,
	          "test+0x0 unknown instruction (bf810000): not in the instruction table",
	          "its decoder has no instruction of gfx950");
	test_lint();
}

/* ---- the start of a wave ---- */

static void test_start(void) {
	static const uint32_t code[] = {
		0xffffffff, /* data */
		0xe1010000, /* t_shl2 v1, v0 */
		0xe9020000, /* t_copy v2 */
		0xea030000, /* t_mode v3 */
		0xe2020203, /* t_add v2, v2, v3 */
		0xe5020100, /* t_store v2, v1 */
		0xe8000000, /* t_end */
	};
	struct mx_program *p = mx_program_new(&toy32, code, sizeof code, (uintptr_t)code);
	struct machine m = ready(p, code);
	fill_arena(0);
	m.launch.block[0] = 32;
	m.kernel.properties = DATA_FIRST;
	ok(run(&m) && no_findings(&m) && arena_counts_from(MODE + 32, 0, 32) && !get(4 * 32),
	   "the set starts a wave: pc, MODE and registers");
	m.launch.dynamic_lds = 65;
	ok(run(&m) && finding_says(&m, "more than 64 bytes of LDS"), "the set limits a launch");
	mx_report_free(&m.report);
	mx_program_free(p);
}

static void test_registers(void) {
	static const uint32_t code[] = {
		0xe1010000, /* t_shl2 v1, v0 */
		0xe9e80003, /* t_copy v1000 */
		0xe5e80103, /* t_store v1000, v1 */
		0xe8000000, /* t_end */
	};
	static const uint32_t unwaited[] = {
		0xe1010000, /* t_shl2 v1, v0 */
		0xe3e80103, /* t_load v1000, v1 */
		0xe5e80103, /* t_store v1000, v1 */
		0xe8000000, /* t_end */
	};
	struct mx_program *p = mx_program_new(&toy32, code, sizeof code, (uintptr_t)code);
	struct mx_program *q =
		mx_program_new(&toy32, unwaited, sizeof unwaited, (uintptr_t)unwaited);
	struct machine m = ready(p, code), n = ready(q, unwaited);
	m.launch.block[0] = n.launch.block[0] = 32;
	fill_arena(0);
	ok(run(&m) && finding_says(&m, "VGPR 1000 is beyond the 64"),
	   "a wave has the registers that it asks for");
	mx_report_free(&m.report);
	m.kernel.vgprs = n.kernel.vgprs = 1024;
	ok(run(&m) && no_findings(&m) && arena_counts_from(32, 0, 32), "up to 1,024");
	ok(run(&n) && n.report.n_findings &&
	           strstr(in_words(&n, n.report.findings), "reads v1000 before"),
	   "a race names v1000");
	m.kernel.vgprs = 1025;
	ok(run(&m) && finding_says(&m, "more vector registers than a wave has"), "but no more");
	mx_report_free(&m.report);
	mx_report_free(&n.report);
	mx_program_free(p);
	mx_program_free(q);
}

/* ---- counters ---- */

/* Whether a run on a wave of 32 has this finding alone. */
static void lacks(const uint32_t *code, size_t bytes, const char *words, const char *what) {
	fill_arena(0);
	const struct machine *m = run32_as(code, bytes, 32, NULL);
	if (!ok(finding_says(m, words), "%s", what))
		show_findings(m);
}
#define LACKS(code, words, what) lacks(code, sizeof(code), words, what)

static void test_counters(void) {
	static const uint32_t in_order[] = {
		0xe1010000, /* t_shl2 v1, v0 */
		0xe3020100, /* t_load v2, v1 */
		0xe3030100, /* t_load v3, v1 */
		0xe7000001, /* t_wait in 1 */
		0xe2040202, /* t_add v4, v2, v2 */
		0xe8000000, /* t_end */
	};
	static const uint32_t any_order[] = {
		0xe1010000, /* t_shl2 v1, v0 */
		0xe4020100, /* t_look v2, v1 */
		0xe4030100, /* t_look v3, v1 */
		0xe7000101, /* t_wait table 1 */
		0xe2040202, /* t_add v4, v2, v2 */
		0xe8000000, /* t_end */
	};
	static const uint32_t other_counter[] = {
		0xe1010000, /* t_shl2 v1, v0 */
		0xe4020100, /* t_look v2, v1 */
		0xe7000000, /* t_wait in 0 */
		0xe7000200, /* t_wait out 0 */
		0xe2040202, /* t_add v4, v2, v2 */
		0xe8000000, /* t_end */
	};
	fill_arena(0);
	ok(is_proved(RUN32(in_order, 32)), "a wait for 1 covers the first of two loads in order");
	LACKS(any_order, "before t_look v2 (+0x4) writes it: no t_wait table 0 between them",
	      "of two in any order it covers none");
	LACKS(other_counter, "no t_wait table 0 between them", "other counters do not cover it");
}

static void test_full_counter(void) {
	static const struct mx_schedule late = { .late = true, .odd = UINT64_MAX };
	static const uint32_t stores[] = {
		0xe1010000, /* t_shl2 v1, v0 */
		0xe5000100, /* t_store v0, v1 */
		0xe5000100, /* t_store v0, v1 */
		0xe5000100, /* t_store v0, v1 */
		0xe5000100, /* t_store v0, v1 */
		0xe5000100, /* t_store v0, v1 */
		0xe3020100, /* t_load v2, v1 */
		0xe8000000, /* t_end */
	};
	static const uint32_t loads[] = {
		0xe1010000, /* t_shl2 v1, v0 */
		0xe3020100, /* t_load v2, v1 */
		0xe3030100, /* t_load v3, v1 */
		0xe3030100, /* t_load v3, v1 */
		0xe3030100, /* t_load v3, v1 */
		0xe3030100, /* t_load v3, v1 */
		0xe3030100, /* t_load v3, v1 */
		0xe3030100, /* t_load v3, v1 */
		0xe3030100, /* t_load v3, v1 */
		0xe2040202, /* t_add v4, v2, v2 */
		0xe8000000, /* t_end */
	};
	fill_arena(0);
	const struct machine *m = run32_as(stores, sizeof stores, 32, &late);
	ok(m->report.stats.most[OUT] == 3 && m->report.stats.most[IN] == 1 &&
	           !m->report.stats.most[TABLE],
	   "at most three stores are in flight, as their counter can count");
	m = RUN32(loads, 32);
	ok(is_proved(m) && m->report.proof.assumptions >> MX_PROOF_FULL_COUNTER & 1,
	   "the eighth load after one waits for it");
	ok(mx_counter_count(&toy32) == COUNTERS &&
	           !strcmp(mx_counter_name(&toy32, TABLE), "tablecnt") &&
	           !strcmp(mx_counter_name(&mx_gfx950, MX_COUNTER_LGKM), "lgkmcnt"),
	   "each set has its own counters");
}

static void test_lint_counters(void) {
	static const uint32_t mixed[] = {
		0xe1010000, /* t_shl2 v1, v0 */
		0xe4020100, /* t_look v2, v1 */
		0xe3030100, /* t_load v3, v1 */
		0xe7000101, /* t_wait table 1 */
		0xe7000000, /* t_wait in 0 */
		0xe2040203, /* t_add v4, v2, v3 */
		0xe8000000, /* t_end */
	};
	const char *text = lint(mixed, sizeof mixed);
	if (!ok(!strcmp(text, "reads v2 while +0x4 t_look v2 may be in flight: no t_wait table 0"),
	        "lint takes counters and their order from the set"))
		diag("%s", text);
}

int main(void) {
	ok(mx_isa_by_name("gfx950") == &mx_gfx950 && mx_isa_by_name("gfx1250") == &mx_gfx1250 &&
	           !mx_isa_by_name("gfx942"),
	   "sets by name");
	test_side_by_side();
	test_findings();
	test_partial_wave();
	test_exec();
	test_many_waves();
	test_findings32();
	test_start();
	test_registers();
	test_counters();
	test_full_counter();
	test_lint_counters();
	return done_testing();
}
