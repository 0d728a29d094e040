/* Every form of every scalar and vector ALU opcode beside each register, while a load to it is in
 * flight: if it matters when the load lands, the analysis of order finds it. What an opcode reads
 * and writes is asked of what it does, under two schedules. */
#include "../../ref/isa/forms.h"
#include "machine_test.h"

enum {
	VGPRS = 32, /* v0 to v31: forms have sources from v0 on and results from v16 on */
	SGPRS = 18, /* s16 to s31 and VCC */
	REGISTERS = VGPRS + SGPRS,
	RESULTS = 0x4000,
	USED = 0x7000,
};

/* Registers from memory. The load is under one EXEC, the instruction under another. */
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
	0xbefe012c,             /* s_mov_b64 exec, s[44:45] */
};
static const uint32_t load_vector[] = {
	0xdc508804, 0x00000028, /* global_load_dword v0, v40, s[0:1] offset:2052 */
};
static const uint32_t load_scalar[] = {
	0xc0020000, 0x00002100, /* s_load_dword s0, s[0:1], 0x2100 */
};
static const uint32_t other_exec[] = {
	0xbefe012e, /* s_mov_b64 exec, s[46:47] */
};
static const uint32_t epilogue[] = {
	0x85288081,             /* s_cselect_b32 s40, 1, 0 */
	0xbeaa017e,             /* s_mov_b64 s[42:43], exec */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xbefe01c1,             /* s_mov_b64 exec, -1 */
	0xbea90080,             /* s_mov_b32 s41, 0 */
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
	0xbf810000,             /* s_endpgm */
};

/* ---- programs ---- */

static void make(struct code *c, const struct mx_form *f, unsigned reg) {
	uint32_t vector[] = { load_vector[0], load_vector[1] | (uint32_t)reg << 24 };
	unsigned sgpr = reg - VGPRS < 16 ? 16 + reg - VGPRS : MX_VCC + reg - VGPRS - 16;
	uint32_t scalar[] = { load_scalar[0] | sgpr << 6, load_scalar[1] };
	c->bytes = 0;
	APPEND(c, prologue);
	append(c, reg < VGPRS ? vector : scalar, sizeof vector);
	APPEND(c, other_exec);
	append(c, f->code, 4 * f->dwords);
	APPEND(c, epilogue);
}

/* Data of the registers, among them two masks for EXEC. */
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

/* ---- forms ---- */

/* Not those that go elsewhere, or make later instructions mean something else. */
static bool is_tried(const struct mx_form *f) {
	static const char *const others[] = { "pc_b64",  "call",   "fork",   "join",   "vskip",
		                              "gpr_idx", "movrel", "getreg", "setreg", "s_rfe" };
	struct mx_inst in;
	mx_decode(f->code, f->dwords, 0, &in);
	if (!f->dwords || !in.op || in.unsupported || in.op->encoding == MX_SOPP ||
	    in.op->encoding == MX_SMEM || in.op->encoding >= MX_DS || mx_form_excluded(f->opcode))
		return false;
	for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
		if (strstr(f->opcode, others[i]))
			return false;
	return true;
}

struct count {
	unsigned tried, missed, found, shows;
};

static void try_register(struct machine *m, const struct mx_form *f, unsigned reg, uint64_t seed,
                         struct count *n) {
	static uint8_t early[USED];
	struct code c;
	make(&c, f, reg);
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
	if (shows && !found && n->missed < 10)
		diag("%s %08x %08x with register %u in flight, seed %llu", f->name, f->code[0],
		     f->code[1], reg, (unsigned long long)seed);
}

int main(void) {
	bool longer = getenv("MXCHECK_LONG");
	uint64_t random = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 0) : 1;
	struct machine m = machine();
	struct count n = { 0 };
	struct mx_form f;
	whole.size = USED;
	for (size_t i = 0; mx_form_at(i, &f); i++)
		for (unsigned k = 0; is_tried(&f) && k < (longer ? 4 * REGISTERS : 2); k++) {
			uint64_t r = next_random(&random);
			unsigned reg = longer  ? k % REGISTERS
			               : r % 2 ? r / 2 % 2 * 16 + r / 4 % 4
			                       : r / 2 % REGISTERS;
			try_register(&m, &f, reg, r, &n);
		}
	mx_report_free(&m.report);
	ok(n.tried > 2000, "%u forms and registers were tried", n.tried);
	ok(!n.missed, "where it matters when a load lands there is a finding");
	ok(n.shows > n.found / 2, "of %u findings %u matter", n.found, n.shows);
	return done_testing();
}
