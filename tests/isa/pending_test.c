/* Every form of every opcode with each register while a load to it is in flight, and a read of each
 * register while a load by the opcode is in flight. If the landing time changes the result, the
 * race detector and lint must report it. If a vector memory instruction reads a scalar register,
 * its wait states after a write by the vector ALU must be reported. The effects of an opcode under
 * two schedules show which registers it reads and writes. */
#include "../../ref/isa/lint/lint.h"
#include "form_program.h"

static const uint32_t load_vector[] = {
	0xdc508ffc, 0x00000028, /* global_load_dword v0, v40, s[0:1] offset:4092 */
};
static const uint32_t load_scalar[] = {
	0xc0020000, 0x00002100, /* s_load_dword s0, s[0:1], 0x2100 */
};
static const uint32_t read_vector[] = {
	0x7e580300, /* v_mov_b32_e32 v44, v0 */
};
static const uint32_t read_scalar[] = {
	0xbea90000, /* s_mov_b32 s41, s0 */
};

/* ---- programs ---- */

static unsigned sgpr_of(unsigned reg) {
	return reg - VGPRS < 16 ? 16 + reg - VGPRS : MX_VCC + reg - VGPRS - 16;
}

static void append_load(struct code *c, unsigned reg) {
	uint32_t vector[] = { load_vector[0], load_vector[1] | (uint32_t)reg << 24 };
	uint32_t scalar[] = { load_scalar[0] | sgpr_of(reg) << 6, load_scalar[1] };
	append(c, reg < VGPRS ? vector : scalar, sizeof vector);
}

static void append_read(struct code *c, unsigned reg) {
	uint32_t read = reg < VGPRS ? read_vector[0] | reg : read_scalar[0] | sgpr_of(reg);
	append(c, &read, sizeof read);
}

/* The instruction is after a load of the register, or before a read of it. */
static void make(struct code *c, const struct mx_form *f, unsigned reg, bool before) {
	struct mx_inst in;
	mx_gfx950.decode(f->code, f->dwords, 0, &in);
	c->bytes = 0;
	APPEND(c, prologue);
	if (in.op->encoding == MX_DS)
		APPEND(c, lds_addresses);
	else if (is_memory(in.op))
		APPEND(c, addresses);
	APPEND(c, one_exec);
	if (!before)
		append_load(c, reg);
	if (!before)
		APPEND(c, other_exec);
	append(c, f->code, 4 * f->dwords);
	if (before)
		APPEND(c, other_exec);
	if (before)
		append_read(c, reg);
	APPEND(c, epilogue);
}

/* Whether the launch ran to its end. */
static bool run_as(struct machine *m, const struct code *c, uint64_t seed, bool late) {
	const struct mx_schedule s = { .late = late, .odd = UINT64_MAX };
	fill(seed);
	m->launch.schedule = &s;
	run_code(m, c);
	m->launch.schedule = NULL;
	return m->ran && !m->report.stopped;
}

static bool has_race(const struct machine *m) {
	for (size_t i = 0; i < m->report.n_findings; i++)
		if (m->report.findings[i].kind == MX_RACE_REGISTER)
			return true;
	return false;
}

/* ---- lint ---- */

static void note_lint(void *context, const struct mx_finding *f) {
	*(unsigned *)context += f->kind == MX_UNWAITED || f->kind == MX_WAIT_STATES;
}

static bool lint_finds(const struct code *c, bool (*look)(const struct mx_lint *)) {
	unsigned found = 0;
	struct mx_program *p = mx_program_new(&mx_gfx950, c->dwords, c->bytes, 0);
	struct mx_lint l = { .program = p, .context = &found, .found = note_lint };
	bool good = p && mx_graph_make(p, 0, (uint32_t)c->bytes, &l.graph) && look(&l);
	mx_graph_free(&l.graph);
	mx_program_free(p);
	return good && found;
}

/* ---- forms ---- */

/* Excludes forms that jump or change the meaning of later instructions. */
static bool is_tried(const struct mx_form *f) {
	static const char *const others[] = { "pc_b64", "call",    "fork",   "join",
		                              "vskip",  "gpr_idx", "movrel", "getreg",
		                              "setreg", "s_rfe",   "time" };
	struct mx_inst in;
	mx_gfx950.decode(f->code, f->dwords, 0, &in);
	if (!f->dwords || !in.op || in.unsupported || in.op->encoding == MX_SOPP ||
	    mx_form_excluded(f->opcode))
		return false;
	for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
		if (strstr(f->opcode, others[i]))
			return false;
	return true;
}

/* Registers that hold addresses are not tested with memory instructions. */
static bool is_address(const struct mx_form *f, unsigned reg) {
	struct mx_inst in;
	mx_gfx950.decode(f->code, f->dwords, 0, &in);
	return is_memory(in.op) && (reg < 2 || (reg >= VGPRS && reg < VGPRS + 4));
}

struct count {
	unsigned tried, missed, found, shows;
	unsigned lint_missed, lint_accused, states_tried, states_wrong;
};

static void complain(unsigned times, const char *what, const struct mx_form *f, unsigned reg) {
	if (times < 10)
		diag("%s: %s %08x %08x, register %u", what, f->name, f->code[0], f->code[1], reg);
}

/* Lint ignores lanes, so for a vector register it may report what this EXEC hides. */
static void try_lint(const struct code *c, const struct mx_form *f, unsigned reg, bool shows,
                     bool found, struct count *n) {
	bool lint = lint_finds(c, mx_lint_waits);
	if (shows && !lint)
		complain(n->lint_missed++, "lint misses", f, reg);
	if (lint && !found && reg >= VGPRS)
		complain(n->lint_accused++, "lint accuses", f, reg);
}

/* Five wait states after a vector ALU write of a scalar register that vector memory reads [ISA
 * 4.5]. */
static void try_states(const struct mx_form *f, unsigned reg, bool reads, struct count *n) {
	struct code c = { 0 };
	uint32_t write = 0x7e000500 | sgpr_of(reg) << 17; /* v_readfirstlane_b32 s, v0 */
	append(&c, &write, sizeof write);
	append(&c, f->code, 4 * f->dwords);
	append(&c, epilogue, sizeof epilogue);
	n->states_tried++;
	if (lint_finds(&c, mx_lint_states) != reads)
		complain(n->states_wrong++, reads ? "no wait states" : "wait states", f, reg);
}

static void try_register(struct machine *m, const struct mx_form *f, unsigned reg, bool before,
                         uint64_t seed, struct count *n) {
	static uint8_t early[USED];
	struct code c;
	make(&c, f, reg, before);
	m->launch.analysis = 0;
	if (!run_as(m, &c, seed, false))
		return;
	memcpy(early, arena, USED);
	if (!run_as(m, &c, seed, true))
		return;
	bool shows = memcmp(early, arena, USED);
	m->launch.analysis = MX_ANALYSE_ORDER;
	run_as(m, &c, seed, false);
	bool found = has_race(m);
	n->tried++;
	n->found += found;
	n->shows += shows && found;
	n->missed += shows && !found;
	struct mx_inst in;
	mx_gfx950.decode(f->code, f->dwords, 0, &in);
	try_lint(&c, f, reg, shows, found, n);
	if (!before && reg >= VGPRS && in.op->encoding > MX_DS && shows == found)
		try_states(f, reg, found, n);
	if (shows && !found && n->missed < 10)
		diag("%s %08x %08x %s register %u, seed %llu", f->name, f->code[0], f->code[1],
		     before ? "before a read of" : "after a load of", reg,
		     (unsigned long long)seed);
}

/* Half of the selected registers are the first sources or results. */
static unsigned some_register(uint64_t r) {
	return r % 2 ? r / 2 % 2 * 16 + r / 4 % 4 : (unsigned)(r / 2 % REGISTERS);
}

static void try_form(struct machine *m, const struct mx_form *f, bool longer, uint64_t *random,
                     struct count *n) {
	struct mx_inst in;
	mx_gfx950.decode(f->code, f->dwords, 0, &in);
	bool memory = is_memory(in.op);
	for (unsigned k = 0; k < (longer ? 2 * REGISTERS : 1); k++) {
		uint64_t r = next_random(random);
		unsigned reg = longer ? k % REGISTERS : some_register(r);
		if (!is_address(f, reg))
			try_register(m, f, reg, false, r, n);
		if (memory)
			try_register(m, f, reg, true, r, n);
	}
}

int main(void) {
	bool longer = is_long();
	uint64_t random = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 0) : 1;
	struct machine m = machine();
	struct count n = { 0 };
	struct mx_form f;
	whole.size = USED;
	m.kernel.lds_bytes = 2048;
	m.kernel.scratch_bytes = 64;
	for (size_t i = 0; mx_form_at(&mx_gfx950, i, &f); i++) {
		set_data(&f);
		if (is_tried(&f))
			try_form(&m, &f, longer, &random, &n);
	}
	mx_report_free(&m.report);
	ok(n.tried > 1500, "%u forms and registers were tried", n.tried);
	ok(!n.missed, "a finding for each load with a landing time that changes the result");
	ok(!n.lint_missed && !n.lint_accused, "and lint finds the same");
	ok(n.states_tried && !n.states_wrong,
	   "wait states before vector memory follow its operands, %u times", n.states_tried);
	ok(n.shows > n.found / 2, "of %u findings %u change a result", n.found, n.shows);
	return done_testing();
}
