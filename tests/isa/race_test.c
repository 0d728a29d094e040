/* Unordered accesses are found in one run under any seed; each has a near-identical twin in which a
 * wait or a barrier orders the accesses, without a finding. */
#include "machine_test.h"

enum { SEEDS = 12 };

/* v6: 4 times the lane; s12: the wave; SCC: whether it is not 0; s[8:11]: the arena as a buffer. */
static const uint32_t prologue[] = {
	0x200a0086,             /* v_lshrrev_b32_e32 v5, 6, v0 */
	0x7e180505,             /* v_readfirstlane_b32 s12, v5 */
	0x260c00bf,             /* v_and_b32_e32 v6, 63, v0 */
	0x240c0c82,             /* v_lshlrev_b32_e32 v6, 2, v6 */
	0x7e020281,             /* v_mov_b32_e32 v1, 1 */
	0x7e040282,             /* v_mov_b32_e32 v2, 2 */
	0x7e060283,             /* v_mov_b32_e32 v3, 3 */
	0x7e080284,             /* v_mov_b32_e32 v4, 4 */
	0xbe880000,             /* s_mov_b32 s8, s0 */
	0xbe890001,             /* s_mov_b32 s9, s1 */
	0xb00a1000,             /* s_movk_i32 s10, 0x1000 */
	0xbe8b00ff, 0x00027000, /* s_mov_b32 s11, 0x27000 */
	0xbefc0080,             /* s_mov_b32 m0, 0 */
	0xbf07800c,             /* s_cmp_lg_u32 s12, 0 */
};
static const uint32_t end[] = {
	0xbf810000, /* s_endpgm */
};

static void run_body(struct machine *m, const uint32_t *body, size_t bytes) {
	struct code c = { 0 };
	fill_arena(0);
	APPEND(&c, prologue);
	append(&c, body, bytes);
	APPEND(&c, end);
	run_code(m, &c);
}

/* ---- pairs ---- */

enum {
	NONE = MX_FINDINGS,
	RACE_LDS = MX_RACE_LDS,
	LDS_LATENCY = MX_RACE_LDS_LATENCY,
	REGISTER_LATENCY = MX_RACE_REGISTER_LATENCY,
	RACE_REGISTER = MX_RACE_REGISTER,
	RACE_GLOBAL = MX_RACE_GLOBAL
};

struct row {
	const uint32_t *dwords;
	size_t bytes;
	int kind;
	const char *text;
	unsigned waves, groups;
	const char *what;
};

#define DWORDS(...)                                                                                \
	(const uint32_t[]) {                                                                       \
		__VA_ARGS__                                                                        \
	}
#define ROW(assembly, code, kind, text, waves, groups, what)                                       \
	{ DWORDS code, sizeof(DWORDS code), kind, text, waves, groups, what },
static const struct row rows[] = {
#include "race.def"
#include "race_sync.def"
};

/* Only the first finding counts: later ones may be its consequence. */
static bool is_right(const struct machine *m, const struct row *r) {
	const struct mx_finding *f = m->report.findings;
	if (r->kind == NONE)
		return no_findings(m);
	return m->ran && m->report.n_findings && (int)f->kind == r->kind &&
	       (!r->text || strstr(in_words(m, f), r->text)) &&
	       m->report.proof.outcome == MX_NOT_PROVED &&
	       m->report.proof.doubt == MX_DOUBT_FINDINGS;
}

/* The findings and the proof of a report, in words. */
static void write_report(const struct machine *m, char *text, size_t room) {
	char line[MX_LINE_ROOM];
	size_t n = (size_t)snprintf(text, room, "%s\n",
	                            mx_proof_text(&m->report.proof, line, sizeof line));
	for (size_t i = 0; i < m->report.n_findings && n < room; i++)
		n += (size_t)snprintf(text + n, room - n, "%llu times %s\n",
		                      (unsigned long long)m->report.findings[i].count,
		                      in_words(m, &m->report.findings[i]));
}

/* Whether the analysis of lanes one by one finds the same. */
static bool is_same_one_by_one(struct machine *m, const struct row *r) {
	static char together[1 << 16], one_by_one[1 << 16];
	run_body(m, r->dwords, r->bytes);
	write_report(m, together, sizeof together);
	m->launch.lane_by_lane = true;
	run_body(m, r->dwords, r->bytes);
	write_report(m, one_by_one, sizeof one_by_one);
	m->launch.lane_by_lane = false;
	if (strcmp(together, one_by_one))
		diag("together: %sone by one: %s", together, one_by_one);
	return !strcmp(together, one_by_one);
}

static void test_row(struct machine *m, const struct row *r) {
	unsigned right = 0;
	m->launch.block[0] = 64 * r->waves;
	m->launch.grid[0] = r->groups;
	for (m->launch.seed = 1; m->launch.seed <= SEEDS; m->launch.seed++) {
		run_body(m, r->dwords, r->bytes);
		right += is_right(m, r);
	}
	m->launch.seed = 1;
	right *= is_same_one_by_one(m, r);
	if (!ok(right == SEEDS, "%s: %s", r->what,
	        r->kind == NONE ? "no finding" : mx_finding_name((mx_finding_kind)r->kind))) {
		diag("under %u of %d seeds", right, SEEDS);
		show_findings(m);
	}
	m->launch.block[0] = 64;
	m->launch.grid[0] = 1;
}

/* ---- proofs ---- */

static const uint32_t in_order[] = {
	0xdc708000, 0x00000106, /* global_store_dword v6, v1, s[0:1] */
	0xdc508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] */
};
static const uint32_t scalar_behind[] = {
	0xdc708000, 0x00000106, /* global_store_dword v6, v1, s[0:1] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0xc0020100, 0x00000000, /* s_load_dword s4, s[0:1], 0x0 */
};
static const uint32_t sums[] = {
	0xdd088000, 0x00000106, /* global_atomic_add v6, v1, s[0:1] */
};
static const uint32_t sums_beside_bytes[] = {
	0xdd088000, 0x00000106, /* global_atomic_add v6, v1, s[0:1] */
	0xdc608201, 0x00000106, /* global_store_byte v6, v1, s[0:1] offset:513 */
	0xdd088000, 0x00000106, /* global_atomic_add v6, v1, s[0:1] */
};
static const uint32_t other_wave[] = {
	0xbf850003,             /* s_cbranch_scc1 3 */
	0xdc708000, 0x00000106, /* global_store_dword v6, v1, s[0:1] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0xbf8a0000,             /* s_barrier */
	0xdc508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] */
};
static const uint32_t dma_read[] = {
	0xe0511000, 0x80020006, /* buffer_load_dword v6, s[8:11], 0 offen lds */
	0xd86c0000, 0x03000006, /* ds_read_b32 v3, v6 */
};
static const uint32_t early[] = {
	0xdc508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] */
	0x7e060301,             /* v_mov_b32_e32 v3, v1 */
};
static const uint32_t clock[] = {
	0xc0900100, 0x00000000, /* s_memtime s[4:5] */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
};
static const uint32_t mode[] = {
	0xb884f801, /* s_getreg_b32 s4, hwreg(HW_REG_MODE) */
};
static const uint32_t hardware_registers[][1] = {
	{ 0xb8840ac2 /* s_getreg_b32 s4, hwreg(HW_REG_STATUS, 11, 2) */ },
	{ 0xb8842283 /* s_getreg_b32 s4, hwreg(HW_REG_TRAPSTS, 10, 5) */ },
	{ 0xb884f804 /* s_getreg_b32 s4, hwreg(HW_REG_HW_ID) */ },
	{ 0xb8844b06 /* s_getreg_b32 s4, hwreg(HW_REG_LDS_ALLOC, 12, 10) */ },
	{ 0xb8841807 /* s_getreg_b32 s4, hwreg(HW_REG_IB_STS, 0, 4) */ },
	{ 0xb884f814 /* s_getreg_b32 s4, hwreg(HW_REG_XCC_ID) */ },
};
static const uint32_t trap_register[] = {
	0xbe840070, /* s_mov_b32 s4, ttmp4 */
};
static const uint32_t ticket[] = {
	0xdd098000, 0x03000106, /* global_atomic_add v3, v6, v1, s[0:1] sc0 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};
static const uint32_t float_sum[] = {
	0xdd348000, 0x00000106, /* global_atomic_add_f32 v6, v1, s[0:1] */
};
static const uint32_t wrapping_sum[] = {
	0xdd2c8000, 0x00000106, /* global_atomic_inc v6, v1, s[0:1] */
};
static const uint32_t two_functions[] = {
	0xdd088000, 0x00000106, /* global_atomic_add v6, v1, s[0:1] */
	0xdd1c8000, 0x00000106, /* global_atomic_umax v6, v1, s[0:1] */
};
static const uint32_t one_place[] = {
	0x7e080280,             /* v_mov_b32_e32 v4, 0 */
	0xd81a0000, 0x00000604, /* ds_write_b32 v4, v6 */
};
static const uint32_t next_place[] = {
	0xd81c0100, 0x00020106, /* ds_write2_b32 v6, v1, v2 offset1:1 */
};
static const uint32_t other_sum[] = {
	0xdd088000, 0x00000106, /* global_atomic_add v6, v1, s[0:1] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0xbf8a0000,             /* s_barrier */
	0xdc508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] */
};
static const uint32_t scalar_first[] = {
	0xc0430000, 0x00000000, /* s_store_dword s0, s[0:1], 0x0 glc */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xdc508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] */
};
static const uint32_t flags[] = {
	0xde508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] sc1 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0xde708000, 0x00000206, /* global_store_dword v6, v2, s[0:1] sc1 */
};
static const uint32_t undecided[] = {
	0x7d940d14, /* v_cmp_eq_u32_e32 vcc, v20, v6 */
	0xbf860000, /* s_cbranch_vccz 0 */
};

/* Expects the doubt that prevents a proof, or MX_DOUBT_NONE for a proof. */
static void expect(struct machine *m, const uint32_t *body, size_t bytes, mx_doubt doubt,
                   const char *what) {
	const struct mx_proof *p = &m->report.proof;
	run_body(m, body, bytes);
	bool right = m->ran && p->outcome == (doubt ? MX_NOT_PROVED : MX_PROVED) &&
	             p->doubt == doubt && (doubt == MX_DOUBT_FINDINGS) == (p->findings > 0);
	if (!ok(right, "%s: %s", what, doubt ? "not proved" : "proved"))
		show_findings(m);
}
#define EXPECT(m, body, doubt, what) expect(m, body, sizeof(body), MX_DOUBT_##doubt, what)

/* Whether the last launch is proved with this assumption. */
static bool assumes(const struct machine *m, mx_proof_assumption a) {
	return m->report.proof.assumptions >> a & 1;
}

/* Two FLAT loads of device memory, and a use of the first after vmcnt(1), or after 0. */
static const uint32_t flat_one[] = {
	0x7e100200,             /* v_mov_b32_e32 v8, s0 */
	0x7e120201,             /* v_mov_b32_e32 v9, s1 */
	0xdc500000, 0x01000008, /* flat_load_dword v1, v[8:9] */
	0xdc500000, 0x02000008, /* flat_load_dword v2, v[8:9] */
	0xbf8c0071,             /* s_waitcnt vmcnt(1) lgkmcnt(0) */
	0x7e080301,             /* v_mov_b32_e32 v4, v1 */
};
static const uint32_t flat_zero[] = {
	0x7e100200,             /* v_mov_b32_e32 v8, s0 */
	0x7e120201,             /* v_mov_b32_e32 v9, s1 */
	0xdc500000, 0x01000008, /* flat_load_dword v1, v[8:9] */
	0xdc500000, 0x02000008, /* flat_load_dword v2, v[8:9] */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0x7e080301,             /* v_mov_b32_e32 v4, v1 */
};

static void test_flat(struct machine *m) {
	EXPECT(m, flat_one, NONE, "FLAT in memory, vmcnt(1)");
	ok(assumes(m, MX_PROOF_FLAT_IN_ORDER), "which assumes that FLAT counts in order");
	EXPECT(m, flat_zero, NONE, "FLAT in memory, vmcnt(0)");
	ok(!assumes(m, MX_PROOF_FLAT_IN_ORDER), "which does not assume it");
}

static const char proved[] =
	"proved for this launch, assuming: this code object, input and grid; nothing else writes "
	"to its memory; waits and barriers work as the manual says [ISA 4.4; CDNA5 5.7]; no value "
        "derives from an address";

static void test_proofs(struct machine *m) {
	char text[MX_LINE_ROOM];
	EXPECT(m, in_order, NONE, "in order");
	const struct mx_proof *p = &m->report.proof;
	ok(p->accesses == 2, "a store and a load were analysed");
	ok(!strcmp(mx_proof_text(p, text, sizeof text), proved), "the text of a proof");
	EXPECT(m, clock, CLOCK, "s_memtime");
	ok(p->pc == 0x3c && p->other_pc == MX_NO_PC &&
	           !strcmp(mx_proof_text(p, text, sizeof text),
	                   "not proved: reads a clock at +0x3c"),
	   "a doubt has the pc of its instruction");
	EXPECT(m, mode, NONE, "MODE, which the program sets");
	for (unsigned i = 0; i < sizeof hardware_registers / sizeof *hardware_registers; i++)
		EXPECT(m, hardware_registers[i], HARDWARE_REGISTER, "any other hardware register");
	EXPECT(m, trap_register, TRAP_REGISTER, "TTMP4");
	EXPECT(m, ticket, ATOMIC_RETURNS, "a returning atomic");
	EXPECT(m, float_sum, ATOMIC_ORDER, "a float atomic");
	EXPECT(m, wrapping_sum, ATOMIC_ORDER, "an increment that wraps at its data");
	EXPECT(m, two_functions, ATOMIC_KINDS, "add and max");
	EXPECT(m, one_place, ONE_STORE, "lanes that write one place");
	EXPECT(m, next_place, ONE_STORE, "a lane that writes the place of another");
	EXPECT(m, undecided, FINDINGS, "an unwritten value");
	EXPECT(m, scalar_behind, CACHE_READ, "a scalar load of stored data");
	EXPECT(m, scalar_first, CACHE_READ, "a vector load of data stored by the scalar unit");
	EXPECT(m, other_sum, NONE, "a load of the wave's own sum");
	m->launch.grid[0] = 2;
	EXPECT(m, flags, FLAGS, "flags of agent scope");
	ok(p->other_pc != MX_NO_PC, "the doubt names both accesses");
	if (!ok(!m->report.n_findings, "flags are no race"))
		show_findings(m);
	EXPECT(m, sums, NONE, "integer sums");
	m->launch.grid[0] = 1;
	EXPECT(m, sums_beside_bytes, NONE, "and beside bytes");
	m->launch.grid[0] = 2;
	m->launch.grid[0] = 1;
	m->launch.block[0] = 128;
	EXPECT(m, other_wave, CACHE_READ, "a load of another wave's store");
	EXPECT(m, other_sum, CACHE_READ, "a load of another wave's sum");
	m->launch.block[0] = 64;
	m->launch.analysis = 0;
	run_body(m, early, sizeof early);
	ok(m->report.proof.outcome == MX_NOT_ANALYSED && no_findings(m),
	   "no analysis: no proof, and no finding");
	m->launch.analysis = MX_ANALYSE_ORDER;
}

/* ---- a full counter ---- */

static const uint32_t read_v3[] = {
	0xd86c0000, 0x03000006, /* ds_read_b32 v3, v6 */
};
static const uint32_t read_v1[] = {
	0xd86c0000, 0x01000006, /* ds_read_b32 v1, v6 */
};
static const uint32_t wait_vmcnt[] = {
	0xbf8c0f70, /* s_waitcnt vmcnt(0) */
};
static const uint32_t use_v3[] = {
	0x7e080303, /* v_mov_b32_e32 v4, v3 */
};

static const uint32_t load_v3[] = {
	0xdc508000, 0x03000006, /* global_load_dword v3, v6, s[0:1] */
};
static const uint32_t load_v1[] = {
	0xdc508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] */
};
static const uint32_t load_lds[] = {
	0xe0511000, 0x80020006, /* buffer_load_dword v6, s[8:11], 0 offen lds */
};
static const uint32_t load_from_v1[] = {
	0xdc508000, 0x04000001, /* global_load_dword v4, v1, s[0:1] */
};
static const uint32_t use_v1[] = {
	0x7e080301, /* v_mov_b32_e32 v4, v1 */
};
static const uint32_t scalar_load[] = {
	0xc0020100, 0x00000000, /* s_load_dword s4, s[0:1], 0x0 */
	0x7e080301,             /* v_mov_b32_e32 v4, v1 */
};
static const uint32_t wide_scalar_load[] = {
	0xc0060100, 0x00000000, /* s_load_dwordx2 s[4:5], s[0:1], 0x0 */
	0x7e080301,             /* v_mov_b32_e32 v4, v1 */
};

/* One operation, n younger ones, and a use of the first one's data. */
#define PART(code) code, sizeof code
static const struct filled {
	const uint32_t *first;
	size_t first_bytes;
	unsigned n;
	const uint32_t *younger;
	size_t younger_bytes;
	const uint32_t *use;
	size_t use_bytes;
	int kind;
	const char *text, *what;
} filled[] = {
	{ PART(read_v1), 15, PART(read_v3), PART(use_v1), NONE, NULL,
	  "after 15 younger LDS reads the first has landed" },
	{ PART(read_v1), 14, PART(read_v3), PART(use_v1), RACE_REGISTER, "lgkmcnt(14)",
	  "14 may leave it in flight" },
	{ PART(read_v1), 13, PART(read_v3), PART(wide_scalar_load), NONE, NULL,
	  "after 13 a scalar load of two dwords needs two counts" },
	{ PART(read_v1), 13, PART(read_v3), PART(scalar_load), RACE_REGISTER, "reads v1",
	  "a scalar load of one dword needs one" },
	{ PART(load_v1), 63, PART(load_v3), PART(use_v1), NONE, NULL,
	  "after 63 younger loads the first has landed" },
	{ PART(load_v1), 62, PART(load_v3), PART(use_v1), RACE_REGISTER, "vmcnt(62)",
	  "62 may leave it in flight" },
	{ PART(load_v1), 62, PART(load_v3), PART(load_from_v1), NONE, NULL,
	  "the load that stalls may use it as its address" },
	{ PART(load_v1), 61, PART(load_v3), PART(load_from_v1), RACE_REGISTER, "vmcnt(61)",
	  "a load that does not stall may not" },
	{ PART(load_lds), 63, PART(load_v3), PART(read_v1), NONE, NULL,
	  "after 63 younger loads LDS-DMA has landed" },
	{ PART(load_lds), 62, PART(load_v3), PART(read_v1), RACE_LDS, "vmcnt(62)",
	  "62 may leave it in flight" },
};

static void test_filled(struct machine *m, const struct filled *f) {
	struct code c = { 0 };
	const struct row row = { .kind = f->kind, .text = f->text };
	fill_arena(0);
	APPEND(&c, prologue);
	append(&c, f->first, f->first_bytes);
	for (unsigned i = 0; i < f->n; i++)
		append(&c, f->younger, f->younger_bytes);
	append(&c, f->use, f->use_bytes);
	APPEND(&c, end);
	run_code(m, &c);
	if (!ok(is_right(m, &row), "a full counter: %s", f->what))
		show_findings(m);
	if (f->kind == NONE &&
	    !ok(assumes(m, MX_PROOF_FULL_COUNTER), "the proof names that assumption"))
		show_findings(m);
}

/* The maximum count in a wait covers nothing, for any number of issued operations. */
static void test_full(struct machine *m) {
	struct code c = { 0 };
	fill_arena(0);
	APPEND(&c, prologue);
	APPEND(&c, read_v3);
	for (unsigned i = 1; i < 15; i++)
		APPEND(&c, read_v1);
	APPEND(&c, wait_vmcnt);
	APPEND(&c, use_v3);
	APPEND(&c, end);
	run_code(m, &c);
	ok(only_finding(m) && only_finding(m)->kind == MX_RACE_REGISTER,
	   "vmcnt(0) lgkmcnt(15) covers none of 15 LDS reads");
}

/* ---- scratch that returns out of order with LDS-DMA ---- */

static const uint32_t scratch_first[] = {
	0xdc504000, 0x037f0000, /* scratch_load_dword v3, off, off */
	0xe0511000, 0x80020006, /* buffer_load_dword v6, s[8:11], 0 offen lds */
	0xbf8c0f71,             /* s_waitcnt vmcnt(1) */
	0x7e080503,             /* v_readfirstlane_b32 s4, v3 */
};
static const uint32_t scratch_alone[] = {
	0xdc504000, 0x037f0000, /* scratch_load_dword v3, off, off */
	0xe0511000, 0x80020006, /* buffer_load_dword v6, s[8:11], 0 offen lds */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0x7e080503,             /* v_readfirstlane_b32 s4, v3 */
};

static const uint32_t flat_scratch[] = {
	0x7e0e02ff, 0x00020000, /* v_mov_b32_e32 v7, 0x20000 */
	0x7e0c0280,             /* v_mov_b32_e32 v6, 0 */
	0xdc700000, 0x00000106, /* flat_store_dword v[6:7], v1 */
	0xdc504000, 0x037f0000, /* scratch_load_dword v3, off, off */
};

/* Two waves load the same bytes of LDS from the same offset of their own scratch. */
static const uint32_t from_scratch[] = {
	0xdc704000, 0x007f0000, /* scratch_store_dword off, v0, off */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0xdca84000, 0x007f0000, /* scratch_load_lds_dword off, off */
};

static void test_scratch(struct machine *m) {
	m->kernel.scratch_bytes = 64;
	m->launch.block[0] = 128;
	run_body(m, from_scratch, sizeof from_scratch);
	if (!ok(only_finding(m) && only_finding(m)->kind == MX_RACE_LDS,
	        "equal addresses in scratch are not the same source"))
		show_findings(m);
	m->launch.block[0] = 64;
	run_body(m, scratch_first, sizeof scratch_first);
	ok(no_findings(m), "vmcnt(1) covers a scratch load before LDS-DMA");
	m->launch.scratch_apart = true;
	run_body(m, scratch_first, sizeof scratch_first);
	ok(found(m, MX_RACE_REGISTER, 0x3c + 20), "not if scratch returns out of order");
	run_body(m, scratch_alone, sizeof scratch_alone);
	ok(no_findings(m), "but vmcnt(0) covers it");
	EXPECT(m, flat_scratch, FLAT_SCRATCH, "FLAT beside scratch out of order");
	m->launch.scratch_apart = false;
	m->kernel.scratch_bytes = 0;
}

/* ---- workgroups that are split over compute units ---- */

static const uint32_t load_barrier_store[] = {
	0xbf850002,             /* s_cbranch_scc1 2 */
	0xdc508000, 0x04000006, /* global_load_dword v4, v6, s[0:1] */
	0xbf8a0000,             /* s_barrier */
	0xbf840002,             /* s_cbranch_scc0 2 */
	0xdc708000, 0x00000006, /* global_store_dword v6, v0, s[0:1] */
};
static const uint32_t wait_barrier_store[] = {
	0xbf850003,             /* s_cbranch_scc1 3 */
	0xdc508000, 0x04000006, /* global_load_dword v4, v6, s[0:1] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0xbf8a0000,             /* s_barrier */
	0xbf840002,             /* s_cbranch_scc0 2 */
	0xdc708000, 0x00000006, /* global_store_dword v6, v0, s[0:1] */
};
static const uint32_t store_and_flag[] = {
	0x7e120280,             /* v_mov_b32_e32 v9, 0 */
	0xd81a0000, 0x00000909, /* ds_write_b32 v9, v9 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xbf8a0000,             /* s_barrier */
	0xbf850005,             /* s_cbranch_scc1 5 */
	0xdc708000, 0x00000606, /* global_store_dword v6, v6, s[0:1] */
	0xd81a0000, 0x00000109, /* ds_write_b32 v9, v1 */
	0xbf810000,             /* s_endpgm */
	0xd86c0000, 0x03000009, /* ds_read_b32 v3, v9 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0x7e080503,             /* v_readfirstlane_b32 s4, v3 */
	0xbf068004,             /* s_cmp_eq_u32 s4, 0 */
	0xbf85fffa,             /* s_cbranch_scc1 65530 */
	0xdc508000, 0x04000006, /* global_load_dword v4, v6, s[0:1] */
};

#define BODY(code) code, sizeof(code)

static bool is_race_global(struct machine *m, const uint32_t *body, size_t bytes) {
	run_body(m, body, bytes);
	return only_finding(m) && only_finding(m)->kind == MX_RACE_GLOBAL;
}

/* One L1 is an assumption, which a launch can disable. */
static void test_split(struct machine *m) {
	m->launch.block[0] = 128;
	EXPECT(m, load_barrier_store, NONE, "a load, a barrier, a store");
	ok(assumes(m, MX_PROOF_ONE_L1), "which assumes one L1");
	run_body(m, BODY(wait_barrier_store));
	ok(!assumes(m, MX_PROOF_ONE_L1), "with a wait for the load the proof does not assume it");
	run_body(m, BODY(store_and_flag));
	ok(no_findings(m), "a store that a flag in LDS publishes");
	m->launch.threadgroup_split = true;
	ok(is_race_global(m, BODY(load_barrier_store)) && is_race_global(m, BODY(store_and_flag)),
	   "with threadgroup split both are races");
	EXPECT(m, wait_barrier_store, NONE, "a wait orders them, too");
	m->launch.threadgroup_split = false;
	m->launch.block[0] = 64;
}

/* ---- kernel arguments in registers ---- */

/* Workgroup s3 is 0: a store. */
static const uint32_t first_stores[] = {
	0xbf078003, /* s_cmp_lg_u32 s3, 0 */
	0xbf850003, /* s_cbranch_scc1 3 */
	0x7e020280, /* v_mov_b32_e32 v1, 0 */
};
static const uint32_t store_argument[] = {
	0xdc708000, 0x00000101, /* global_store_dword v1, v1, s[0:1] */
};
/* If a program synchronises through memory, the clock of the workgroup decides. */
static const uint32_t store_and_ticket[] = {
	0xdc708000, 0x00000101, /* global_store_dword v1, v1, s[0:1] */
	0x7e060281,             /* v_mov_b32_e32 v3, 1 */
	0x7e080280,             /* v_mov_b32_e32 v4, 0 */
	0xdd098040, 0x05000304, /* global_atomic_add v5, v4, v3, s[0:1] offset:64 sc0 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};
static const uint32_t store_beside[] = {
	0xdc708040, 0x00000101, /* global_store_dword v1, v1, s[0:1] offset:64 */
};

static unsigned races(struct machine *m, const uint32_t *store, size_t bytes) {
	enum { SKIPPED = 64 }; /* dwords, by a kernel whose arguments are preloaded */
	unsigned n = 0;
	struct code c = { .bytes = 4 * SKIPPED };
	APPEND(&c, first_stores);
	append(&c, store, bytes);
	APPEND(&c, end);
	for (m->launch.seed = 1; m->launch.seed <= SEEDS; m->launch.seed++) {
		fill_arena(0);
		run_code(m, &c);
		n += only_finding(m) && only_finding(m)->kind == MX_RACE_GLOBAL;
	}
	m->launch.seed = 1;
	return n;
}

static void test_preload(struct machine *m) {
	m->kernel.user_sgprs = 3;
	m->kernel.preload_dwords = 1;
	m->launch.grid[0] = 2;
	ok(races(m, store_argument, sizeof store_argument) == SEEDS,
	   "a store over an argument that is preloaded in other workgroups");
	ok(races(m, store_and_ticket, sizeof store_and_ticket) == SEEDS,
	   "also if workgroups take tickets");
	if (!ok(!races(m, store_beside, sizeof store_beside), "a store beside it is no race"))
		show_findings(m);
	m->launch.grid[0] = 1;
	m->kernel.preload_dwords = 0;
	m->kernel.user_sgprs = 2;
}

/* ---- findings ---- */

/* A dword of LDS for each lane. */
static bool is_access(struct mx_finding_access a, mx_access_kind kind) {
	return a.kind == kind && a.space == MX_SPACE_LDS && a.bytes == 4;
}

static void test_text(struct machine *m) {
	run_body(m, dma_read, sizeof dma_read);
	const struct mx_finding *f = only_finding(m);
	if (!ok(f && f->wave == 0 && f->lane == 0 && !f->address && f->count == 64 &&
	                finding_says(m, "ds_read_b32 v3, v6") &&
	                finding_says(m, "buffer_load_dword v6, s[8:11], 0 offen lds (+0x3c)") &&
	                finding_says(m, "of wave 0"),
	        "a race names both instructions, wave, lane, address and the missing wait"))
		show_findings(m);
	ok(f && f->pc == 0x44 && f->earlier == 0x3c && f->code.n == 2 &&
	           f->code.dword[0] == dma_read[2] && f->earlier_code.dword[0] == dma_read[0] &&
	           f->earlier_wave == 0 && !f->earlier_elsewhere &&
	           is_access(f->access, MX_ACCESS_READ) &&
	           is_access(f->earlier_access, MX_ACCESS_WRITE) &&
	           f->missing.kind == MX_MISSING_WAIT && f->missing.counter == MX_COUNTER_VM &&
	           !f->missing.count,
	   "and has them as fields");
	struct code c = { 0 };
	fill_arena(0);
	APPEND(&c, prologue);
	APPEND(&c, dma_read);
	APPEND(&c, early);
	APPEND(&c, end);
	run_code(m, &c);
	f = m->report.findings;
	if (!ok(m->report.n_findings == 3 && !f[0].conditional && f[1].conditional &&
	                f[2].conditional && strstr(in_words(m, &f[2]), "(conditional: "),
	        "findings after a race are conditional"))
		show_findings(m);
}

static const uint32_t race_and_note[] = {
	0xdc508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] */
	0x7e060301,             /* v_mov_b32_e32 v3, v1 */
	0xb0047e00,             /* s_movk_i32 s4, 0x7e00 */
	0x7e109a04,             /* v_cvt_norm_i16_f16_e32 v8, s4 */
};

static void test_note(struct machine *m) {
	run_body(m, race_and_note, sizeof race_and_note);
	const struct mx_finding *f = m->report.findings;
	if (!ok(m->report.n_findings == 2 && f[1].kind == MX_ASSUMED_NOTE && f[1].assumption &&
	                f[1].conditional,
	        "so is a note after a single race"))
		show_findings(m);
}

/* ---- missing synchronisation, as data ---- */

static const uint32_t no_wait[] = {
	0xbf850002,             /* s_cbranch_scc1 2 */
	0xd81a0000, 0x00000106, /* ds_write_b32 v6, v1 */
	0xbf8a0000,             /* s_barrier */
	0xd86c0000, 0x03000006, /* ds_read_b32 v3, v6 */
};
static const uint32_t no_barrier[] = {
	0xbf850003,             /* s_cbranch_scc1 3 */
	0xd81a0000, 0x00000106, /* ds_write_b32 v6, v1 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xd86c0000, 0x03000006, /* ds_read_b32 v3, v6 */
};
static const uint32_t neither[] = {
	0xbf850002,             /* s_cbranch_scc1 2 */
	0xd81a0000, 0x00000106, /* ds_write_b32 v6, v1 */
	0xd86c0000, 0x03000006, /* ds_read_b32 v3, v6 */
};

/* Wave 0 writes and wave 1 reads, in this order. */
static void misses(struct machine *m, const uint32_t *body, size_t bytes, struct mx_missing want,
                   const char *what) {
	run_body(m, body, bytes);
	const struct mx_finding *f = only_finding(m);
	bool right = f && f->wave == 1 && f->earlier_wave == 0 && f->missing.kind == want.kind &&
	             f->missing.counter == want.counter && f->missing.count == want.count &&
	             f->missing.barrier == want.barrier;
	if (!ok(right, "%s", what))
		show_findings(m);
}

static void test_missing(struct machine *m) {
	const struct mx_schedule sequential = { .odd = UINT64_MAX };
	const uint64_t body = sizeof prologue;
	m->launch.schedule = &sequential;
	m->launch.block[0] = 128;
	misses(m, no_wait, sizeof no_wait,
	       (struct mx_missing){ MX_MISSING_WAIT_AT_BARRIER, MX_COUNTER_LGKM, 0, body + 12 },
	       "a wait before the barrier is missing, with the barrier");
	misses(m, no_barrier, sizeof no_barrier, (struct mx_missing){ MX_MISSING_BARRIER },
	       "a barrier after the wait is missing");
	misses(m, neither, sizeof neither,
	       (struct mx_missing){ MX_MISSING_WAIT_AND_BARRIER, MX_COUNTER_LGKM },
	       "a wait and a barrier are missing");
	m->launch.block[0] = 64;
	m->launch.schedule = NULL;
}

static const uint32_t two_loads[] = {
	0xdc508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] */
	0xdc508100, 0x02000006, /* global_load_dword v2, v6, s[0:1] offset:256 */
	0x68060501,             /* v_add_u32_e32 v3, v1, v2 */
};

/* A second cause at an instruction is neither hidden by the first one nor a consequence of it. */
static void test_causes(struct machine *m) {
	run_body(m, two_loads, sizeof two_loads);
	const struct mx_finding *f = m->report.findings;
	if (!ok(m->report.n_findings == 2 && f[0].pc == f[1].pc &&
	                f[0].earlier + 8 == f[1].earlier && f[0].reg == 1 && f[1].reg == 2 &&
	                f[0].access.kind == MX_ACCESS_READ &&
	                f[0].access.space == MX_SPACE_REGISTER && !f[1].conditional,
	        "one instruction with two causes has two findings"))
		show_findings(m);
}

/* Workgroups run in the order 1,1,0 and 0,1,0 and so on: the first conflict is between these. */
static void test_grid(struct machine *m) {
	const struct mx_schedule descending = { .odd = UINT64_MAX, .order = 1 };
	m->launch.schedule = &descending;
	m->launch.grid[0] = m->launch.grid[1] = 2;
	run_body(m, in_order, sizeof in_order);
	const struct mx_finding *f = m->report.findings;
	if (!ok(m->report.n_findings && f->workgroup[0] == 0 && f->workgroup[1] == 1 &&
	                f->earlier_workgroup[0] == 1 && f->earlier_workgroup[1] == 1 &&
	                f->missing.kind == MX_MISSING_FLAG &&
	                strstr(in_words(m, f),
	                       "of workgroup 1,1,0 wave 0: no order between workgroups"),
	        "a race with another workgroup has its place in the grid"))
		show_findings(m);
	m->launch.grid[0] = m->launch.grid[1] = 1;
	m->launch.schedule = NULL;
}

/* All workgroups read a whole shadow page; workgroup s2 is 1, the last but one, stores to it. */
static const uint32_t shared_page[] = {
	0x240e0084,             /* v_lshlrev_b32_e32 v7, 4, v0 */
	0xdc5c8000, 0x0c000007, /* global_load_dwordx4 v[12:15], v7, s[0:1] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0xbf078102,             /* s_cmp_lg_u32 s2, 1 */
	0xbf850002,             /* s_cbranch_scc1 2 */
	0xdc708000, 0x00000107, /* global_store_dword v7, v1, s[0:1] */
};

static void test_shared_page(struct machine *m) {
	const struct mx_schedule descending = { .odd = UINT64_MAX, .order = 1 };
	m->launch.schedule = &descending;
	m->launch.grid[0] = 5;
	for (unsigned way = 0; way < 2; way++) {
		m->launch.lane_by_lane = way;
		run_body(m, shared_page, sizeof shared_page);
		const struct mx_finding *f = m->report.findings;
		if (!ok(m->report.n_findings == 2 && f[0].kind == MX_RACE_GLOBAL &&
		                f[0].workgroup[0] == 1 && f[0].count == 64 &&
		                f[1].kind == MX_RACE_GLOBAL && f[1].workgroup[0] == 0,
		        "a store to what several workgroups have read, and a load after it, %s",
		        way ? "lane by lane" : "lanes together"))
			show_findings(m);
	}
	m->launch.lane_by_lane = false;
	m->launch.grid[0] = 1;
	m->launch.schedule = NULL;
}

/* Whether the launch has accessed the 64 dwords at 0, `step` bytes apart, and the bytes between
 * them, as given; and nothing else. */
static void touches(struct machine *m, const char *what, unsigned step, unsigned dword,
                    unsigned between) {
	const struct mx_touched *t = m->launch.touched;
	unsigned good = 0, each = between ? 2 : 1;
	for (unsigned i = 0; i < t->n; i++) {
		const struct mx_touched_range *r = &t->range[i];
		uint64_t at = (uintptr_t)arena + (uint64_t)(i / each) * step;
		good += i % each ? r->from == at + 4 && r->to == at + step && r->how == between
		                 : r->from == at && r->how == dword &&
		                           r->to == at + (step == 4 ? 256 : 4);
	}
	if (!ok(t->n == (step == 4 ? 1 : 64 * each) && good == t->n, "%s", what))
		diag("%u of %zu ranges are right", good, t->n);
	mx_touched_free(m->launch.touched);
}

static void test_touched(struct machine *m) {
	struct mx_touched touched = { 0 };
	m->launch.touched = &touched;
	for (unsigned way = 0; way < 2; way++) {
		m->launch.lane_by_lane = way;
		m->launch.grid[0] = 5;
		run_body(m, shared_page, sizeof shared_page);
		touches(m, "a launch has read a page and written dwords of it", 16, MX_TOUCH_WRITE,
		        MX_TOUCH_READ);
		m->launch.grid[0] = 1;
		run_body(m, sums, sizeof sums);
		touches(m, "atomics are accesses of their own", 4,
		        MX_TOUCH_ATOMIC_READ | MX_TOUCH_ATOMIC_WRITE | MX_TOUCH_AGENT, 0);
	}
	m->launch.lane_by_lane = false;
	m->launch.touched = NULL;
}

int main(void) {
	struct machine m = machine();
	m.kernel.lds_bytes = 1024;
	m.launch.analysis = MX_ANALYSE_ORDER;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		test_row(&m, &rows[i]);
	test_proofs(&m);
	test_flat(&m);
	test_full(&m);
	for (size_t i = 0; i < sizeof filled / sizeof *filled; i++)
		test_filled(&m, &filled[i]);
	test_scratch(&m);
	test_split(&m);
	test_preload(&m);
	test_text(&m);
	test_note(&m);
	test_missing(&m);
	test_causes(&m);
	test_grid(&m);
	test_shared_page(&m);
	test_touched(&m);
	mx_report_free(&m.report);
	return done_testing();
}
