/* The schedule `typical`: the cycles of issue and landing, and kernels that rely on latencies. */
#include "machine_test.h"

enum { EVENTS = 64, OLD = 0x11111111, NEW = 0x22222222, OUT = 0x1000 };

static struct mx_schedule typical(void) {
	return (struct mx_schedule){ .odd = UINT64_MAX,
		                     .typical = true,
		                     .latency = { 100, 200, 500, 800, 50 } };
}

/* ---- cycles ---- */

struct event {
	unsigned pc, wave;
	bool landing;
	uint64_t time;
};
static struct event events[EVENTS];
static unsigned n_events;

static unsigned wants(void *context, const uint32_t workgroup[3], uint32_t wave) {
	(void)context, (void)workgroup, (void)wave;
	return MX_EVENT_ISSUE | MX_EVENT_LAND;
}

static void keep(void *context, const struct mx_event *e) {
	(void)context;
	if (n_events < EVENTS)
		events[n_events++] = (struct event){ (unsigned)e->pc, e->wave,
			                             e->kind == MX_EVENT_LAND, e->time };
}

static bool is_event(const struct event *a, const struct event *b) {
	return a->pc == b->pc && a->wave == b->wave && a->landing == b->landing &&
	       a->time == b->time;
}

static void test_cycles(struct machine *m, const uint32_t *code, size_t bytes,
                        const struct event *expected, unsigned n, const char *what) {
	static const struct mx_observer observer = { NULL, wants, keep };
	unsigned same = 0;
	fill_arena(0);
	n_events = 0;
	m->launch.observer = &observer;
	run_bytes(m, code, bytes);
	m->launch.observer = NULL;
	while (same < n && same < n_events && is_event(&events[same], &expected[same]))
		same++;
	if (ok(m->ran && same == n && n_events == n, "%s", what))
		return;
	show_findings(m);
	for (unsigned i = 0; i < n_events; i++)
		diag("%swave %u, pc 0x%x: %s at %llu", i == same ? "first wrong: " : "",
		     events[i].wave, events[i].pc, events[i].landing ? "lands" : "issues",
		     (unsigned long long)events[i].time);
}
#define CYCLES(m, code, expected, what)                                                            \
	test_cycles(m, code, sizeof(code), expected, sizeof(expected) / sizeof *(expected), what)

static void test_alu(struct machine *m) {
	static const uint32_t code[] = {
		0xbf80000f, /* s_nop 15 */
		0xd3cc8000,
		0x04022510, /* v_mfma_f32_32x32x8_f16 a[0:15], v[16:17], v[18:19], a[0:15] */
		0xd3cc8010,
		0x04422510, /* v_mfma_f32_32x32x8_f16 a[16:31], v[16:17], v[18:19], a[16:31] */
		0x7e060301, /* v_mov_b32_e32 v3, v1 */
		0xbf8e000a, /* s_sleep 10 */
		0xbf810000, /* s_endpgm */
	};
	static const struct event expected[] = {
		{ 0, 0, false, 0 },        { 4, 0, false, 4 * 16 },
		{ 12, 0, false, 64 + 32 }, { 20, 0, false, 96 + 4 },
		{ 24, 0, false, 100 + 4 }, { 28, 0, false, 104 + 4 + 640 },
	};
	CYCLES(m, code, expected,
	       "s_nop takes 4 cycles a wait state, a matrix instruction of 8 passes 32 cycles of "
	       "its unit, s_sleep 64 a unit");
}

static void test_memory(struct machine *m) {
	static const uint32_t code[] = {
		0xdc508000, 0x01000000, /* global_load_dword v1, v0, s[0:1] */
		0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
		0xdc508000, 0x01000000, /* global_load_dword v1, v0, s[0:1] */
		0xc0020100, 0x00000000, /* s_load_dword s4, s[0:1], 0x0 */
		0xd86c0000, 0x03000000, /* ds_read_b32 v3, v0 */
		0xbf810000,             /* s_endpgm */
	};
	/* 256 bytes take 4 cycles of the path to memory and 2 of LDS. */
	static const struct event expected[] = {
		{ 0, 0, false, 0 },         { 8, 0, false, 4 },
		{ 0, 0, true, 4 + 800 },    { 12, 0, false, 804 },
		{ 20, 0, false, 808 },      { 28, 0, false, 812 },
		{ 36, 0, false, 816 },      { 28, 0, true, 812 + 2 + 100 },
		{ 20, 0, true, 808 + 200 }, { 12, 0, true, 804 + 4 + 500 },
	};
	CYCLES(m, code, expected,
	       "the first access to a line takes the latency of memory, a later one that of L2; "
	       "LDS and scalar loads have their own");
}

static void test_waves(struct machine *m) {
	static const uint32_t code[] = {
		0x7e060301, /* v_mov_b32_e32 v3, v1 */
		0x7e060301, /* v_mov_b32_e32 v3, v1 */
		0xbf810000, /* s_endpgm */
	};
	static const struct event expected[] = {
		{ 0, 0, false, 0 },  { 0, 1, false, 0 },  { 0, 2, false, 0 },  { 0, 3, false, 0 },
		{ 0, 4, false, 4 },  { 4, 1, false, 4 },  { 4, 2, false, 4 },  { 4, 3, false, 4 },
		{ 4, 0, false, 8 },  { 8, 1, false, 8 },  { 8, 2, false, 8 },  { 8, 3, false, 8 },
		{ 4, 4, false, 12 }, { 8, 0, false, 12 }, { 8, 4, false, 16 },
	};
	m->launch.block[0] = 5 * 64;
	CYCLES(m, code, expected,
	       "each SIMD has a vector ALU; waves of one SIMD take turns, the least recent first");
	m->launch.block[0] = 64;
}

/* ---- what kernels rely on ---- */

/* v0: 4 times the lane; v1 and LDS hold OLD, the arena holds NEW; s[6:7]: the result. */
static const uint32_t prologue[] = {
	0x24000082,             /* v_lshlrev_b32_e32 v0, 2, v0 */
	0x8006ff00, 0x00001000, /* s_add_u32 s6, s0, 0x1000 */
	0x82078001,             /* s_addc_u32 s7, s1, 0 */
	0x7e0202ff, 0x11111111, /* v_mov_b32_e32 v1, 0x11111111 */
	0xd81a0000, 0x00000100, /* ds_write_b32 v0, v1 */
	0xbe880000,             /* s_mov_b32 s8, s0 */
	0xbe890001,             /* s_mov_b32 s9, s1 */
	0xb00a1000,             /* s_movk_i32 s10, 0x1000 */
	0xbe8b00ff, 0x00027000, /* s_mov_b32 s11, 0x27000 */
	0xbefc0080,             /* s_mov_b32 m0, 0 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
};

/* A read that is in flight when LDS-DMA overwrites its bytes; and a read after that. */
static const uint32_t overwritten[] = {
	0xd86c0000, 0x03000000, /* ds_read_b32 v3, v0 */
	0xe0511000, 0x80020000, /* buffer_load_dword v0, s[8:11], 0 offen lds */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xd86c0000, 0x04000000, /* ds_read_b32 v4, v0 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xdc708000, 0x00060300, /* global_store_dword v0, v3, s[6:7] */
	0xdc708100, 0x00060400, /* global_store_dword v0, v4, s[6:7] offset:256 */
	0xbf810000,             /* s_endpgm */
};

static bool reads(struct machine *m, uint32_t first, uint32_t second) {
	struct code c = { 0 };
	APPEND(&c, prologue);
	APPEND(&c, overwritten);
	fill_arena(0x22);
	run_code(m, &c);
	return no_findings(m) && get(OUT) == first && get(OUT + 256) == second;
}

static void test_reliance(struct machine *m, struct mx_schedule *s) {
	unsigned same = 0;
	for (m->launch.seed = 0; m->launch.seed < 20; m->launch.seed++)
		same += reads(m, OLD, NEW);
	m->launch.seed = 1;
	ok(same == 20, "an LDS read is over before a later LDS-DMA, under each seed");
	s->latency.lds = 2000;
	ok(reads(m, NEW, NEW), "not if LDS takes longer than memory");
	s->latency.lds = 100;
	m->launch.analysis = MX_ANALYSE_ORDER;
	reads(m, OLD, NEW);
	ok(m->report.n_findings && m->report.findings[0].kind == MX_RACE_LDS_LATENCY &&
	           m->report.proof.outcome == MX_NOT_PROVED,
	   "the analysis of order reports it all the same");
	m->launch.analysis = 0;
}

/* Workgroups are kept for later launches. */
static void test_after(struct machine *m, const struct mx_schedule *s) {
	unsigned old = 0, new = 0;
	m->launch.schedule = NULL;
	for (m->launch.seed = 0; m->launch.seed < 40; m->launch.seed++) {
		reads(m, 0, 0);
		old += get(OUT) == OLD;
		new += get(OUT) == NEW;
	}
	m->launch.seed = 1;
	m->launch.schedule = s;
	ok(old && new &&old + new == 40, "launches after that have the schedules of their seeds");
}

int main(void) {
	struct mx_schedule s = typical();
	struct machine m = machine();
	m.kernel.lds_bytes = 1024;
	m.launch.schedule = &s;
	test_alu(&m);
	test_memory(&m);
	test_waves(&m);
	test_reliance(&m, &s);
	test_after(&m, &s);
	mx_report_free(&m.report);
	return done_testing();
}
