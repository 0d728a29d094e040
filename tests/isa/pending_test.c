/* Every form of every opcode with each register while a load to it is in flight, and a read of each
 * register while a load by the opcode is in flight. If the landing time changes the result, the
 * race detector and lint must report it. If a vector memory instruction reads a scalar register,
 * its wait states after a write by the vector ALU must be reported. The effects of an opcode under
 * two schedules show which registers it reads and writes. */
#include "../../ref/isa/encoding/forms.h"
#include "../../ref/isa/lint/lint.h"
#include "machine_test.h"

enum {
	VGPRS = 32, /* v0 to v31: sources from v0 on, results from v16 on */
	SGPRS = 18, /* s16 to s31 and VCC */
	REGISTERS = VGPRS + SGPRS,
	RESULTS = 0x4000,
	USED = 0x7000,
};

/* Loads registers from memory. The load has one EXEC, the instruction another. */
static const uint32_t prologue[] = {
	0x24500084,             /* v_lshlrev_b32_e32 v40, 4, v0 */
	0xdc5c8000, 0x00000028, /* global_load_dwordx4 v[0:3], v40, s[0:1] */
	0xdc5c8400, 0x04000028, /* global_load_dwordx4 v[4:7], v40, s[0:1] offset:1024 */
	0xdc5c8800, 0x08000028, /* global_load_dwordx4 v[8:11], v40, s[0:1] offset:2048 */
	0xdc5c8c00, 0x0c000028, /* global_load_dwordx4 v[12:15], v40, s[0:1] offset:3072 */
	0x685250ff, 0x00001000, /* v_add_u32_e32 v41, 0x1000, v40 */
	0xdc5c8000, 0x10000029, /* global_load_dwordx4 v[16:19], v41, s[0:1] */
	0xdc5c8400, 0x14000029, /* global_load_dwordx4 v[20:23], v41, s[0:1] offset:1024 */
	0xdc5c8800, 0x18000029, /* global_load_dwordx4 v[24:27], v41, s[0:1] offset:2048 */
	0xdc5c8c00, 0x1c000029, /* global_load_dwordx4 v[28:31], v41, s[0:1] offset:3072 */
	0xc0120400, 0x00002000, /* s_load_dwordx16 s[16:31], s[0:1], 0x2000 */
	0xc0061a80, 0x00002040, /* s_load_dwordx2 vcc, s[0:1], 0x2040 */
	0xc00a0b00, 0x00002048, /* s_load_dwordx4 s[44:47], s[0:1], 0x2048 */
	0xb07c0003,             /* s_movk_i32 m0, 0x3 */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xbf07802c,             /* s_cmp_lg_u32 s44, 0 */
	0x7e580280,             /* v_mov_b32_e32 v44, 0 */
	0xbea90080,             /* s_mov_b32 s41, 0 */
};
/* For opcodes of memory: v0 as an offset in LDS; v[0:1] an address, s[16:17] one, and s[16:19] a
 * buffer. */
static const uint32_t lds_addresses[] = {
	0x20005080, /* v_lshrrev_b32_e32 v0, 0, v40 */
	0xb07c0040, /* s_movk_i32 m0, 0x40 */
};
static const uint32_t addresses[] = {
	0x685450ff, 0x00003000, /* v_add_u32_e32 v42, 0x3000, v40 */
	0x32005400,             /* v_add_co_u32_e32 v0, vcc, s0, v42 */
	0x7e020201,             /* v_mov_b32_e32 v1, s1 */
	0x38020280,             /* v_addc_co_u32_e32 v1, vcc, 0, v1, vcc */
	0x8010ff00, 0x00002800, /* s_add_u32 s16, s0, 0x2800 */
	0x82118001,             /* s_addc_u32 s17, s1, 0 */
	0xb0120800,             /* s_movk_i32 s18, 0x800 */
	0xbe9300ff, 0x00027000, /* s_mov_b32 s19, 0x27000 */
	0xb07c0040,             /* s_movk_i32 m0, 0x40 */
};
static const uint32_t one_exec[] = {
	0xbefe012c, /* s_mov_b64 exec, s[44:45] */
};
static const uint32_t load_vector[] = {
	0xdc508ffc, 0x00000028, /* global_load_dword v0, v40, s[0:1] offset:4092 */
};
static const uint32_t load_scalar[] = {
	0xc0020000, 0x00002100, /* s_load_dword s0, s[0:1], 0x2100 */
};
static const uint32_t other_exec[] = {
	0xbefe012e, /* s_mov_b64 exec, s[46:47] */
};
static const uint32_t read_vector[] = {
	0x7e580300, /* v_mov_b32_e32 v44, v0 */
};
static const uint32_t read_scalar[] = {
	0xbea90000, /* s_mov_b32 s41, s0 */
};
static const uint32_t epilogue[] = {
	0x85288081,             /* s_cselect_b32 s40, 1, 0 */
	0xbeaa017e,             /* s_mov_b64 s[42:43], exec */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xbefe01c1,             /* s_mov_b64 exec, -1 */
	0xc04b0a00, 0x00006000, /* s_store_dwordx4 s[40:43], s[0:1], 0x6000 glc */
	0xc04b0400, 0x00006010, /* s_store_dwordx4 s[16:19], s[0:1], 0x6010 glc */
	0xc04b0500, 0x00006020, /* s_store_dwordx4 s[20:23], s[0:1], 0x6020 glc */
	0xc04b0600, 0x00006030, /* s_store_dwordx4 s[24:27], s[0:1], 0x6030 glc */
	0xc04b0700, 0x00006040, /* s_store_dwordx4 s[28:31], s[0:1], 0x6040 glc */
	0xc0471a80, 0x00006050, /* s_store_dwordx2 vcc, s[0:1], 0x6050 glc */
	0x685250ff, 0x00004000, /* v_add_u32_e32 v41, 0x4000, v40 */
	0xdc7c8000, 0x00000029, /* global_store_dwordx4 v41, v[0:3], s[0:1] */
	0xdc7c8400, 0x00000429, /* global_store_dwordx4 v41, v[4:7], s[0:1] offset:1024 */
	0xdc7c8800, 0x00000829, /* global_store_dwordx4 v41, v[8:11], s[0:1] offset:2048 */
	0xdc7c8c00, 0x00000c29, /* global_store_dwordx4 v41, v[12:15], s[0:1] offset:3072 */
	0x685250ff, 0x00005000, /* v_add_u32_e32 v41, 0x5000, v40 */
	0xdc7c8000, 0x00001029, /* global_store_dwordx4 v41, v[16:19], s[0:1] */
	0xdc7c8400, 0x00001429, /* global_store_dwordx4 v41, v[20:23], s[0:1] offset:1024 */
	0xdc7c8800, 0x00001829, /* global_store_dwordx4 v41, v[24:27], s[0:1] offset:2048 */
	0xdc7c8c00, 0x00001c29, /* global_store_dwordx4 v41, v[28:31], s[0:1] offset:3072 */
	0x685250ff, 0x00006400, /* v_add_u32_e32 v41, 0x6400, v40 */
	0xdc708000, 0x00002c29, /* global_store_dword v41, v44, s[0:1] */
	0xd9fe0000, 0x00000028, /* ds_read_b128 v[0:3], v40 */
	0xdc5c4000, 0x047f0000, /* scratch_load_dwordx4 v[4:7], off, off */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0x685250ff, 0x00006800, /* v_add_u32_e32 v41, 0x6800, v40 */
	0xdc7c8000, 0x00000029, /* global_store_dwordx4 v41, v[0:3], s[0:1] */
	0xdc7c8400, 0x00000429, /* global_store_dwordx4 v41, v[4:7], s[0:1] offset:1024 */
	0xbf810000,             /* s_endpgm */
};

static bool is_memory(const struct mx_op *op) {
	return op->encoding == MX_SMEM || op->encoding >= MX_DS;
}

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

/* Data for the registers, including two masks for EXEC. */
static void fill(uint64_t random) {
	memset(arena, 0, USED);
	memset(state, ALL_WRITTEN, USED);
	for (unsigned at = 0; at < RESULTS; at += 4)
		put(at, (uint32_t)next_random(&random) & (at % 8 ? ~0u : 0x7fffffff));
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

/* Data in other registers than addresses: v4, v8; results in v16. */
static void set_data(struct mx_form *f) {
	static const uint32_t fields[] = { 4 << 8 | 8 << 16, 4 << 8, 0 };
	struct mx_inst in;
	mx_gfx950.decode(f->code, f->dwords, 0, &in);
	if (!f->dwords || !in.op || in.op->encoding < MX_DS)
		return;
	bool buffer = in.op->encoding == MX_MUBUF || in.op->encoding == MX_MTBUF;
	uint32_t plain = f->code[1];
	for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++) {
		f->code[1] = plain | (buffer ? 16 << 8 : fields[i]);
		mx_gfx950.decode(f->code, f->dwords, 0, &in);
		if (!in.unsupported)
			return;
	}
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
	for (unsigned k = 0; k < (longer ? 2 * REGISTERS : 2); k++) {
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
	for (size_t i = 0; mx_form_at(i, &f); i++) {
		set_data(&f);
		if (is_tried(&f))
			try_form(&m, &f, longer, &random, &n);
	}
	mx_report_free(&m.report);
	ok(n.tried > 2000, "%u forms and registers were tried", n.tried);
	ok(!n.missed, "a finding for each load with a landing time that changes the result");
	ok(!n.lint_missed && !n.lint_accused, "and lint finds the same");
	ok(n.states_tried && !n.states_wrong,
	   "wait states before vector memory follow its operands, %u times", n.states_tried);
	ok(n.shows > n.found / 2, "of %u findings %u change a result", n.found, n.shows);
	return done_testing();
}
