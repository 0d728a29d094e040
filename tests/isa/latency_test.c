/* Memory latency: the values that may be read before a wait and must be read after it, over many
 * schedules; counters, barriers, progress, and schedules by seed. */
#include "machine_test.h"

enum { SEEDS = 200, OLD = 0x11111111, NEW = 0x22222222, OUT = 0x1000 };

/* The number of seeds under which a dword of the result is the old and the new value. */
struct seen {
	unsigned old, new, other;
};

static void count(struct seen *s, uint32_t value) {
	if (value == OLD)
		s->old++;
	else if (value == NEW)
		s->new ++;
	else
		s->other++;
}

static bool both(struct seen s) {
	return s.old && s.new && !s.other;
}
static bool always_new(struct seen s) {
	return !s.old && s.new && !s.other;
}

static void show(const char *what, struct seen s) {
	diag("%s: old %u times, new %u times, else %u times", what, s.old, s.new, s.other);
}

/* Runs a program under all seeds with NEW in all data, and counts the first dwords of its
 * result. */
static bool watch(struct machine *m, const uint32_t *code, size_t bytes, struct seen seen[],
                  unsigned n) {
	memset(seen, 0, n * sizeof *seen);
	for (m->launch.seed = 0; m->launch.seed < SEEDS; m->launch.seed++) {
		fill_arena(0x22);
		memset(arena + OUT, 0xee, OUT);
		run_bytes(m, code, bytes);
		if (!no_findings(m)) {
			show_findings(m);
			return false;
		}
		for (unsigned i = 0; i < n; i++)
			count(&seen[i], get(OUT + 256 * i));
	}
	return true;
}
#define WATCH(m, code, seen) watch(m, code, sizeof(code), seen, sizeof(seen) / sizeof *(seen))

/* v1, v2 and LDS hold OLD at first; results are stored to s[6:7], one register per 256 bytes. */
static const uint32_t prologue[] = {
	0x24000082,             /* v_lshlrev_b32_e32 v0, 2, v0 */
	0x8006ff00, 0x00001000, /* s_add_u32 s6, s0, 0x1000 */
	0x82078001,             /* s_addc_u32 s7, s1, 0 */
	0x7e0202ff, 0x11111111, /* v_mov_b32_e32 v1, 0x11111111 */
	0x7e0402ff, 0x11111111, /* v_mov_b32_e32 v2, 0x11111111 */
	0xbe8400ff, 0x11111111, /* s_mov_b32 s4, 0x11111111 */
	0xbe8500ff, 0x11111111, /* s_mov_b32 s5, 0x11111111 */
	0xd81a0000, 0x00000100, /* ds_write_b32 v0, v1 */
	0xbe880000,             /* s_mov_b32 s8, s0 */
	0xbe890001,             /* s_mov_b32 s9, s1 */
	0xb00a1000,             /* s_movk_i32 s10, 0x1000 */
	0xbe8b00ff, 0x00027000, /* s_mov_b32 s11, 0x27000 */
	0xbefc0080,             /* s_mov_b32 m0, 0 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
};

static const uint32_t store_v3_v4[] = {
	0xdc708000, 0x00060300, /* global_store_dword v0, v3, s[6:7] */
	0xdc708100, 0x00060400, /* global_store_dword v0, v4, s[6:7] offset:256 */
	0xbf810000,             /* s_endpgm */
};

static bool watch_middle(struct machine *m, const uint32_t *middle, size_t bytes,
                         struct seen seen[2]) {
	struct code c = { 0 };
	APPEND(&c, prologue);
	append(&c, middle, bytes);
	APPEND(&c, store_v3_v4);
	return watch(m, c.dwords, c.bytes, seen, 2);
}

/* ---- before and after a wait ---- */

static void test_one_load(struct machine *m, const uint32_t *middle, size_t bytes,
                          const char *what) {
	struct seen s[2];
	bool ran = watch_middle(m, middle, bytes, s);
	if (!ok(ran && both(s[0]) && always_new(s[1]),
	        "%s: the old value under some seeds before the wait, the new one always after",
	        what)) {
		show("before", s[0]);
		show("after", s[1]);
	}
}

static void test_loads(struct machine *m) {
	static const uint32_t global[] = {
		0xdc508000, 0x01000000, /* global_load_dword v1, v0, s[0:1] */
		0x7e060301, /* v_mov_b32_e32 v3, v1 */
		0xbf8c0f70, /* s_waitcnt vmcnt(0) */
		0x7e080301, /* v_mov_b32_e32 v4, v1 */
	}, buffer[] = {
		0xe0501000, 0x80020100, /* buffer_load_dword v1, v0, s[8:11], 0 offen */
		0x7e060301, /* v_mov_b32_e32 v3, v1 */
		0xbf8c0f70, /* s_waitcnt vmcnt(0) */
		0x7e080301, /* v_mov_b32_e32 v4, v1 */
	}, scalar[] = {
		0xc0020100, 0x00000000, /* s_load_dword s4, s[0:1], 0x0 */
		0x7e060204, /* v_mov_b32_e32 v3, s4 */
		0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
		0x7e080204, /* v_mov_b32_e32 v4, s4 */
	}, lds[] = {
		0x7e0402ff, 0x22222222, /* v_mov_b32_e32 v2, 0x22222222 */
		0xd81a0100, 0x00000200, /* ds_write_b32 v0, v2 offset:256 */
		0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
		0xd86c0100, 0x01000000, /* ds_read_b32 v1, v0 offset:256 */
		0x7e060301, /* v_mov_b32_e32 v3, v1 */
		0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
		0x7e080301, /* v_mov_b32_e32 v4, v1 */
	}, dma[] = {
		0xe0511000, 0x80020000, /* buffer_load_dword v0, s[8:11], 0 offen lds */
		0xd86c0000, 0x03000000, /* ds_read_b32 v3, v0 */
		0xbf8c0f70, /* s_waitcnt vmcnt(0) */
		0xd86c0000, 0x04000000, /* ds_read_b32 v4, v0 */
		0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
	}, store[] = {
		0x7e0a02ff, 0x22222222, /* v_mov_b32_e32 v5, 0x22222222 */
		0xdc708400, 0x00060100, /* global_store_dword v0, v1, s[6:7] offset:1024 */
		0xbf8c0f70, /* s_waitcnt vmcnt(0) */
		0xdc708400, 0x00060500, /* global_store_dword v0, v5, s[6:7] offset:1024 */
		0xc0020103, 0x00000400, /* s_load_dword s4, s[6:7], 0x400 */
		0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
		0x7e060204, /* v_mov_b32_e32 v3, s4 */
		0xbf8c0f70, /* s_waitcnt vmcnt(0) */
		0xc0020103, 0x00000400, /* s_load_dword s4, s[6:7], 0x400 */
		0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
		0x7e080204, /* v_mov_b32_e32 v4, s4 */
	};
	test_one_load(m, global, sizeof global, "global load");
	test_one_load(m, buffer, sizeof buffer, "buffer load");
	test_one_load(m, scalar, sizeof scalar, "scalar load");
	test_one_load(m, lds, sizeof lds, "LDS read");
	test_one_load(m, dma, sizeof dma, "LDS-DMA, in LDS");
	test_one_load(m, store, sizeof store, "store, in memory");
}

/* ---- partial waits ---- */

typedef enum { NEW_ALWAYS, EITHER } expectation;

static bool meets(struct seen s, expectation e) {
	return e == EITHER ? both(s) : always_new(s);
}

static void test_partial(struct machine *m, const uint32_t *middle, size_t bytes, expectation older,
                         expectation newer, const char *what) {
	struct seen s[2];
	bool ran = watch_middle(m, middle, bytes, s);
	if (!ok(ran && meets(s[0], older) && meets(s[1], newer), "%s", what)) {
		show("older", s[0]);
		show("newer", s[1]);
	}
}

static void test_partial_waits(struct machine *m) {
	static const uint32_t two_loads[] = {
		0xdc508000, 0x01000000, /* global_load_dword v1, v0, s[0:1] */
		0xdc508100, 0x02000000, /* global_load_dword v2, v0, s[0:1] offset:256 */
		0xbf8c0f71, /* s_waitcnt vmcnt(1) */
		0x7e060301, /* v_mov_b32_e32 v3, v1 */
		0x7e080302, /* v_mov_b32_e32 v4, v2 */
	}, store_between[] = {
		0xdc508000, 0x01000000, /* global_load_dword v1, v0, s[0:1] */
		0xdc708400, 0x00060000, /* global_store_dword v0, v0, s[6:7] offset:1024 */
		0xe0501000, 0x80020200, /* buffer_load_dword v2, v0, s[8:11], 0 offen */
		0xbf8c0f72, /* s_waitcnt vmcnt(2) */
		0x7e060301, /* v_mov_b32_e32 v3, v1 */
		0x7e080302, /* v_mov_b32_e32 v4, v2 */
	}, two_reads[] = {
		0x7e0a02ff, 0x22222222, /* v_mov_b32_e32 v5, 0x22222222 */
		0xd81a0100, 0x00000500, /* ds_write_b32 v0, v5 offset:256 */
		0xd86c0100, 0x01000000, /* ds_read_b32 v1, v0 offset:256 */
		0xd86c0100, 0x02000000, /* ds_read_b32 v2, v0 offset:256 */
		0xbf8cc17f, /* s_waitcnt lgkmcnt(1) */
		0x7e060301, /* v_mov_b32_e32 v3, v1 */
		0x7e080302, /* v_mov_b32_e32 v4, v2 */
	}, two_scalars[] = {
		0xc0020100, 0x00000000, /* s_load_dword s4, s[0:1], 0x0 */
		0xc0020140, 0x00000000, /* s_load_dword s5, s[0:1], 0x0 */
		0xbf8cc17f, /* s_waitcnt lgkmcnt(1) */
		0x7e060204, /* v_mov_b32_e32 v3, s4 */
		0x7e080205, /* v_mov_b32_e32 v4, s5 */
	}, mixed[] = {
		0x7e0a02ff, 0x22222222, /* v_mov_b32_e32 v5, 0x22222222 */
		0xd81a0100, 0x00000500, /* ds_write_b32 v0, v5 offset:256 */
		0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
		0xd86c0100, 0x01000000, /* ds_read_b32 v1, v0 offset:256 */
		0xc0020100, 0x00000000, /* s_load_dword s4, s[0:1], 0x0 */
		0xbf8cc17f, /* s_waitcnt lgkmcnt(1) */
		0x7e060301, /* v_mov_b32_e32 v3, v1 */
		0x7e080204, /* v_mov_b32_e32 v4, s4 */
	}, message[] = {
		0xc0020100, 0x00000000, /* s_load_dword s4, s[0:1], 0x0 */
		0xbf900001, /* s_sendmsg sendmsg(MSG_INTERRUPT) */
		0xbf8cc17f, /* s_waitcnt lgkmcnt(1) */
		0x7e060204, /* v_mov_b32_e32 v3, s4 */
		0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
		0x7e080204, /* v_mov_b32_e32 v4, s4 */
	}, wide_scalar[] = {
		0xc0060100, 0x00000000, /* s_load_dwordx2 s[4:5], s[0:1], 0x0 */
		0xbf8cc17f, /* s_waitcnt lgkmcnt(1) */
		0x7e060204, /* v_mov_b32_e32 v3, s4 */
		0x7e080205, /* v_mov_b32_e32 v4, s5 */
	}, wrong_counter[] = {
		0x7e0a02ff, 0x22222222, /* v_mov_b32_e32 v5, 0x22222222 */
		0xd81a0100, 0x00000500, /* ds_write_b32 v0, v5 offset:256 */
		0xd86c0100, 0x01000000, /* ds_read_b32 v1, v0 offset:256 */
		0xdc508000, 0x02000000, /* global_load_dword v2, v0, s[0:1] */
		0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
		0x7e060301, /* v_mov_b32_e32 v3, v1 */
		0x7e080302, /* v_mov_b32_e32 v4, v2 */
	};
	test_partial(m, two_loads, sizeof two_loads, NEW_ALWAYS, EITHER,
	             "vmcnt(1) covers the older of two loads, not the younger");
	test_partial(m, store_between, sizeof store_between, NEW_ALWAYS, EITHER,
	             "loads and stores of all kinds return in one order");
	test_partial(m, two_reads, sizeof two_reads, NEW_ALWAYS, EITHER,
	             "lgkmcnt(1) covers the older of two LDS reads, not the younger");
	test_partial(m, two_scalars, sizeof two_scalars, EITHER, EITHER,
	             "lgkmcnt(1) covers neither of two scalar loads");
	test_partial(m, mixed, sizeof mixed, EITHER, EITHER,
	             "nor an LDS read beside a scalar load: only 0 does");
	test_partial(m, message, sizeof message, EITHER, NEW_ALWAYS,
	             "lgkmcnt counts a message, which may be sent before an older load lands");
	test_partial(m, wide_scalar, sizeof wide_scalar, NEW_ALWAYS, NEW_ALWAYS,
	             "a scalar load of two dwords counts 2: lgkmcnt(1) is enough");
	test_partial(m, wrong_counter, sizeof wrong_counter, NEW_ALWAYS, EITHER,
	             "lgkmcnt does not wait for a global load");
}

static void test_scratch_apart(struct machine *m) {
	static const uint32_t scratch_first[] = {
		0x7e0a02ff, 0x22222222, /* v_mov_b32_e32 v5, 0x22222222 */
		0xdc704000, 0x007f0500, /* scratch_store_dword off, v5, off */
		0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
		0xdc504000, 0x017f0000, /* scratch_load_dword v1, off, off */
		0xdc508000, 0x02000000, /* global_load_dword v2, v0, s[0:1] */
		0xbf8c0f71,             /* s_waitcnt vmcnt(1) */
		0x7e060301,             /* v_mov_b32_e32 v3, v1 */
		0x7e080302,             /* v_mov_b32_e32 v4, v2 */
	}, scratch_alone[] = {
		0x7e0a02ff, 0x22222222, /* v_mov_b32_e32 v5, 0x22222222 */
		0xdc704000, 0x007f0500, /* scratch_store_dword off, v5, off */
		0xdc504000, 0x017f0000, /* scratch_load_dword v1, off, off */
		0xdc504000, 0x027f0000, /* scratch_load_dword v2, off, off */
		0xbf8c0f71,             /* s_waitcnt vmcnt(1) */
		0x7e060301,             /* v_mov_b32_e32 v3, v1 */
		0x7e080302,             /* v_mov_b32_e32 v4, v2 */
	};
	m->kernel.scratch_bytes = 64;
	test_partial(m, scratch_first, sizeof scratch_first, NEW_ALWAYS, EITHER,
	             "scratch returns in order with all of vmcnt");
	m->launch.scratch_apart = true;
	test_partial(m, scratch_first, sizeof scratch_first, EITHER, EITHER,
	             "if scratch returns out of order, vmcnt(1) covers neither scratch nor load");
	test_partial(m, scratch_alone, sizeof scratch_alone, NEW_ALWAYS, EITHER,
	             "but the older of two scratch loads");
	m->launch.scratch_apart = false;
	m->kernel.scratch_bytes = 0;
}

static void test_store_data(struct machine *m) {
	static const uint32_t late_write[] = {
		0x7e0602ff, 0x22222222, /* v_mov_b32_e32 v3, 0x22222222 */
		0x7e0802ff, 0x22222222, /* v_mov_b32_e32 v4, 0x22222222 */
		0xd81a0100, 0x00000400, /* ds_write_b32 v0, v4 offset:256 */
		0xdc708000, 0x00060300, /* global_store_dword v0, v3, s[6:7] */
		0x7e060301,             /* v_mov_b32_e32 v3, v1 */
		0x7e080301,             /* v_mov_b32_e32 v4, v1 */
		0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
		0xd86c0100, 0x04000000, /* ds_read_b32 v4, v0 offset:256 */
		0xdc508000, 0x03060000, /* global_load_dword v3, v0, s[6:7] */
		0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	};
	struct seen s[2];
	bool ran = watch_middle(m, late_write, sizeof late_write, s);
	if (!ok(ran && always_new(s[0]) && always_new(s[1]),
	        "a store takes its data at issue, to memory and to LDS")) {
		show("memory", s[0]);
		show("LDS", s[1]);
	}
}

/* ---- barriers ---- */

/* Two waves: the first issues LDS-DMA over old data, both reach a barrier, the second reads it. */
static const uint32_t dma_and_meet[] = {
	0x260c00ff, 0x000000fc, /* v_and_b32_e32 v6, 0xfc, v0 */
	0x200a0088,             /* v_lshrrev_b32_e32 v5, 8, v0 */
	0x7e180505,             /* v_readfirstlane_b32 s12, v5 */
	0xbf8a0000,             /* s_barrier */
	0xbf07800c,             /* s_cmp_lg_u32 s12, 0 */
	0xbf850002,             /* s_cbranch_scc1 2 */
	0xe0511000, 0x80020006, /* buffer_load_dword v6, s[8:11], 0 offen lds */
};
static const uint32_t meet[] = {
	0xbf8a0000,             /* s_barrier */
	0xbf06800c,             /* s_cmp_eq_u32 s12, 0 */
	0xbf850005,             /* s_cbranch_scc1 5 */
	0xd86c0000, 0x03000006, /* ds_read_b32 v3, v6 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xdc708000, 0x00060306, /* global_store_dword v6, v3, s[6:7] */
	0xbf810000,             /* s_endpgm */
};
static const uint32_t wait_vmcnt[] = {
	0xbf8c0f70, /* s_waitcnt vmcnt(0) */
};

static void test_barrier(struct machine *m) {
	struct seen s[1];
	struct code racy = { 0 }, right = { 0 };
	m->launch.block[0] = 128;
	APPEND(&racy, prologue);
	APPEND(&racy, dma_and_meet);
	right = racy;
	APPEND(&racy, meet);
	APPEND(&right, wait_vmcnt);
	APPEND(&right, meet);
	bool ran = watch(m, racy.dwords, racy.bytes, s, 1);
	if (!ok(ran && both(s[0]), "LDS-DMA in flight across a barrier: another wave reads stale "
	                           "LDS under some seeds"))
		show("seen", s[0]);
	ran = watch(m, right.dwords, right.bytes, s, 1);
	if (!ok(ran && always_new(s[0]), "with a wait before the barrier: under no seed"))
		show("seen", s[0]);
	m->launch.block[0] = 64;

	static const uint32_t barrier_alone[] = {
		0xdc508000, 0x01000000, /* global_load_dword v1, v0, s[0:1] */
		0xbf8a0000,             /* s_barrier */
		0x7e060301,             /* v_mov_b32_e32 v3, v1 */
		0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
		0x7e080301,             /* v_mov_b32_e32 v4, v1 */
	};
	test_one_load(m, barrier_alone, sizeof barrier_alone, "s_barrier is no wait");
}

/* Wave 0 stores, both reach a barrier without a wait, wave 1 loads. */
static const uint32_t store_and_meet[] = {
	0x260c00ff, 0x000000fc, /* v_and_b32_e32 v6, 0xfc, v0 */
	0x200a0088,             /* v_lshrrev_b32_e32 v5, 8, v0 */
	0x7e180505,             /* v_readfirstlane_b32 s12, v5 */
	0x7e0e02ff, 0x22222222, /* v_mov_b32_e32 v7, 0x22222222 */
	0xbf07800c,             /* s_cmp_lg_u32 s12, 0 */
	0xbf850002,             /* s_cbranch_scc1 2 */
	0xdc708400, 0x00060706, /* global_store_dword v6, v7, s[6:7] offset:1024 */
	0xbf8a0000,             /* s_barrier */
	0xbf06800c,             /* s_cmp_eq_u32 s12, 0 */
	0xbf850005,             /* s_cbranch_scc1 5 */
	0xdc508400, 0x03060006, /* global_load_dword v3, v6, s[6:7] offset:1024 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0xdc708000, 0x00060306, /* global_store_dword v6, v3, s[6:7] */
	0xbf810000,             /* s_endpgm */
};

static void test_one_l1(struct machine *m) {
	struct seen s[1];
	struct code c = { 0 };
	m->launch.block[0] = 128;
	APPEND(&c, prologue);
	APPEND(&c, store_and_meet);
	bool ran = watch(m, c.dwords, c.bytes, s, 1);
	if (!ok(ran && always_new(s[0]),
	        "a wave loads what another stored before a barrier: one L1"))
		show("seen", s[0]);
	m->launch.threadgroup_split = true;
	ran = watch(m, c.dwords, c.bytes, s, 1);
	if (!ok(ran && s[0].new &&s[0].other, "with threadgroup split only under some seeds"))
		show("seen", s[0]);
	m->launch.threadgroup_split = false;
	m->launch.block[0] = 64;
}

/* Wave 0 reaches no barrier; waves 1 and 2 synchronise at different barriers, twice. */
static void test_ended_waves(struct machine *m) {
	static const uint32_t code[] = {
		0x7e0402ff, 0x22222222, /* v_mov_b32_e32 v2, 0x22222222 */
		0x20020086,             /* v_lshrrev_b32_e32 v1, 6, v0 */
		0x7e060501,             /* v_readfirstlane_b32 s3, v1 */
		0x24000082,             /* v_lshlrev_b32_e32 v0, 2, v0 */
		0xbf068003,             /* s_cmp_eq_u32 s3, 0 */
		0xbf850007,             /* s_cbranch_scc1 7 */
		0xbf068103,             /* s_cmp_eq_u32 s3, 1 */
		0xbf850003,             /* s_cbranch_scc1 3 */
		0xbf8a0000,             /* s_barrier */
		0xbf8a0000,             /* s_barrier */
		0xbf810000,             /* s_endpgm */
		0xbf8a0000,             /* s_barrier */
		0xbf8a0000,             /* s_barrier */
		0x8000ff00, 0x00001000, /* s_add_u32 s0, s0, 0x1000 */
		0x82018001,             /* s_addc_u32 s1, s1, 0 */
		0xdc708000, 0x00000200, /* global_store_dword v0, v2, s[0:1] */
		0xbf810000,             /* s_endpgm */
	};
	unsigned right = 0;
	m->launch.block[0] = 192;
	for (m->launch.seed = 0; m->launch.seed < SEEDS; m->launch.seed++) {
		fill_arena(0);
		RUN(m, code);
		right += no_findings(m) && get(OUT) == NEW && get(OUT + 256) == NEW &&
		         get(OUT + 512) == 0;
	}
	m->launch.block[0] = 64;
	if (!ok(right == SEEDS,
	        "a barrier counts arrivals at any s_barrier, and does not count ended waves"))
		diag("right under %u of %d seeds", right, SEEDS);
}

/* ---- counters ---- */

/* Repeats one instruction without a wait; checks the maximum in flight over the seeds. */
static void test_counter(struct machine *m, const uint32_t *op, size_t bytes, unsigned times,
                         bool lgkm, unsigned full, const char *what) {
	unsigned most = 0, above = 0;
	struct code c = { 0 };
	APPEND(&c, prologue);
	while (times--)
		append(&c, op, bytes);
	static const uint32_t end[] = {
		0xbf810000, /* s_endpgm */
	};
	APPEND(&c, end);
	bool ran = true;
	for (m->launch.seed = 0; m->launch.seed < 40; m->launch.seed++) {
		fill_arena(0);
		run_code(m, &c);
		ran = ran && no_findings(m);
		unsigned n = m->report.stats.most[lgkm ? MX_COUNTER_LGKM : MX_COUNTER_VM];
		most = n > most ? n : most;
		above += n > full;
	}
	if (!ok(ran && most == full && !above, "%s", what))
		diag("at most %u in flight", most);
}

static void test_counters(struct machine *m) {
	static const uint32_t load[] = {
		0xdc508000, 0x01000000, /* global_load_dword v1, v0, s[0:1] */
	}, read[] = {
		0xd86c0000, 0x01000000, /* ds_read_b32 v1, v0 */
	}, scalar[] = {
		0xc0060100, 0x00000000, /* s_load_dwordx2 s[4:5], s[0:1], 0x0 */
	}, mixed[] = {
		0xc0020100, 0x00000000, /* s_load_dword s4, s[0:1], 0x0 */
		0xd86c0000, 0x01000000, /* ds_read_b32 v1, v0 */
	}, store[] = {
		0xc0430000, 0x00000100, /* s_store_dword s0, s[0:1], 0x100 glc */
	}, time[] = {
		0xc0900100, 0x00000000, /* s_memtime s[4:5] */
	}, message[] = {
		0xbf900001, /* s_sendmsg sendmsg(MSG_INTERRUPT) */
	};
	test_counter(m, load, sizeof load, 70, false, 63, "of 70 loads, at most 63 are in flight");
	test_counter(m, load, sizeof load, 50, false, 50, "of 50, all");
	test_counter(m, read, sizeof read, 40, true, 15, "of 40 LDS reads, 15");
	test_counter(m, scalar, sizeof scalar, 20, true, 14,
	             "of 20 scalar loads that count 2 each, 14 counts");
	test_counter(m, store, sizeof store, 20, true, 15, "of 20 scalar stores of one dword, 15");
	test_counter(m, time, sizeof time, 20, true, 14,
	             "of 20 clocks that count 2 each, 14 counts");
	test_counter(m, message, sizeof message, 20, true, 15, "of 20 messages, 15");
	test_counter(m, mixed, sizeof mixed, 20, true, 15, "LDS and scalar loads share lgkmcnt");
}

/* ---- a seed selects a schedule ---- */

/* Four waves of three groups store their number to the same words, and the values that they read
 * there before. */
static const uint32_t race[] = {
	0x20020086,             /* v_lshrrev_b32_e32 v1, 6, v0 */
	0x260400bf,             /* v_and_b32_e32 v2, 63, v0 */
	0x24040482,             /* v_lshlrev_b32_e32 v2, 2, v2 */
	0x24060082,             /* v_lshlrev_b32_e32 v3, 2, v0 */
	0x8006ff00, 0x00001000, /* s_add_u32 s6, s0, 0x1000 */
	0x82078001,             /* s_addc_u32 s7, s1, 0 */
	0x8e038a02,             /* s_lshl_b32 s3, s2, 10 */
	0x68060603,             /* v_add_u32_e32 v3, s3, v3 */
	0x68020202,             /* v_add_u32_e32 v1, s2, v1 */
	0xd81a0000, 0x00000102, /* ds_write_b32 v2, v1 */
	0xdc708000, 0x00000102, /* global_store_dword v2, v1, s[0:1] */
	0xd86c0000, 0x04000002, /* ds_read_b32 v4, v2 */
	0xdc508000, 0x05000002, /* global_load_dword v5, v2, s[0:1] */
	0xbf800000,             /* s_nop 0 */
	0xdc708080, 0x00000102, /* global_store_dword v2, v1, s[0:1] offset:128 */
	0xbf8c0f71,             /* s_waitcnt vmcnt(1) */
	0xdc708000, 0x00060503, /* global_store_dword v3, v5, s[6:7] */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0x8006ff06, 0x00001000, /* s_add_u32 s6, s6, 0x1000 */
	0x82078007,             /* s_addc_u32 s7, s7, 0 */
	0xdc708000, 0x00060403, /* global_store_dword v3, v4, s[6:7] */
	0xbf810000,             /* s_endpgm */
};

static void run_race(struct machine *m, uint64_t seed) {
	m->launch.seed = seed;
	fill_arena(0);
	RUN(m, race);
}

static bool same_stats(const struct mx_stats *a, const struct mx_stats *b) {
	return a->instructions == b->instructions && a->mfma == b->mfma &&
	       !memcmp(a->most, b->most, sizeof a->most) &&
	       !memcmp(a->by_op, b->by_op, mx_gfx950.n_ops * sizeof *a->by_op);
}

static void test_seeds(void) {
	struct machine a = machine(), b = machine();
	static uint8_t memory[0x4000], first[0x4000];
	unsigned same = 0, distinct = 0;
	a.kernel.lds_bytes = b.kernel.lds_bytes = 256;
	a.launch.block[0] = b.launch.block[0] = 256;
	a.launch.grid[0] = b.launch.grid[0] = 3;
	for (uint64_t seed = 0; seed < 100; seed++) {
		run_race(&a, seed);
		memcpy(memory, arena, sizeof memory);
		run_race(&b, seed);
		same += no_findings(&a) && no_findings(&b) &&
		        !memcmp(memory, arena, sizeof memory) &&
		        same_stats(&a.report.stats, &b.report.stats);
		if (!seed)
			memcpy(first, memory, sizeof first);
		distinct += memcmp(first, memory, sizeof first) != 0;
	}
	if (!ok(same == 100, "the same seed gives the same memory and the same counts, 100 times"))
		diag("same %u times", same);
	ok(distinct > 50, "other seeds give other results of a race");
	mx_report_free(&a.report);
	mx_report_free(&b.report);
}

/* ---- progress ---- */

/* Workgroup s2 answers its partner: one sets its flag and waits for the other's; the other waits
 * first. s3: the role of this workgroup. Flags at 0 and 64. */
static const uint32_t hello_and_wait[] = {
	0xbefe0181,             /* s_mov_b64 exec, 1 */
	0x7e000280,             /* v_mov_b32_e32 v0, 0 */
	0x7e040281,             /* v_mov_b32_e32 v2, 1 */
	0xbf070302,             /* s_cmp_lg_u32 s2, s3 */
	0xbf850009,             /* s_cbranch_scc1 9 */
	0xdc708000, 0x00000200, /* global_store_dword v0, v2, s[0:1] */
	0xdc508040, 0x01000000, /* global_load_dword v1, v0, s[0:1] offset:64 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0x7e080501,             /* v_readfirstlane_b32 s4, v1 */
	0xbf068104,             /* s_cmp_eq_u32 s4, 1 */
	0xbf84fffa,             /* s_cbranch_scc0 65530 */
	0xbf810000,             /* s_endpgm */
	0xdc508000, 0x01000000, /* global_load_dword v1, v0, s[0:1] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0x7e080501,             /* v_readfirstlane_b32 s4, v1 */
	0xbf068104,             /* s_cmp_eq_u32 s4, 1 */
	0xbf84fffa,             /* s_cbranch_scc0 65530 */
	0xdc708040, 0x00000200, /* global_store_dword v0, v2, s[0:1] offset:64 */
	0xbf810000,             /* s_endpgm */
};

static void test_progress(struct machine *m) {
	static const uint32_t first_waits[] = {
		0xbe830081, /* s_mov_b32 s3, 1 */
	}, second_waits[] = {
		0xbe830080, /* s_mov_b32 s3, 0 */
	};
	m->launch.grid[0] = 2;
	m->launch.max_instructions = 1 << 24;
	for (int second = 0; second < 2; second++) {
		struct code c = { 0 };
		unsigned right = 0;
		append(&c, second ? second_waits : first_waits, sizeof first_waits);
		APPEND(&c, hello_and_wait);
		for (m->launch.seed = 0; m->launch.seed < 3; m->launch.seed++) {
			fill_arena(0);
			run_code(m, &c);
			right += no_findings(m) && get(0) == 1 && get(64) == 1;
		}
		if (!ok(right == 3, "workgroups that wait for each other make progress, %s first",
		        second ? "the second waiting" : "the first waiting"))
			show_findings(m);
	}
	m->launch.grid[0] = 1;

	static const uint32_t endless[] = {
		0xbf800000, /* s_nop 0 */
		0xbf82ffff, /* s_branch 65535 */
	};
	m->launch.max_instructions = 1000;
	RUN(m, endless);
	ok(found(m, MX_STUCK, 4) && m->report.stopped && m->report.stats.instructions == 1000,
	   "an endless loop is no progress after max_instructions");
	static const uint32_t counts[] = {
		0x80048104, /* s_add_u32 s4, s4, 1 */
		0xbf82fffe, /* s_branch 65534 */
	};
	m->launch.max_instructions = 0;
	m->launch.time_limit = 0.01;
	RUN(m, counts);
	if (!ok(only_finding(m) && only_finding(m)->kind == MX_LATE && m->report.stopped,
	        "and late after time_limit"))
		show_findings(m);
	m->launch.time_limit = 0;
	m->launch.max_instructions = 1 << 20;
}

/* A stall is found long before the limit if no wave can change the polled value. */
static void test_stall(struct machine *m) {
	static const uint32_t nobody_sets[] = {
		0xbe830085, /* s_mov_b32 s3, 5 */
	}, wave_0_loops[] = {
		0x7e080500, /* v_readfirstlane_b32 s4, v0 */
		0xbf068004, /* s_cmp_eq_u32 s4, 0 */
		0xbf850002, /* s_cbranch_scc1 2 */
		0xbf8a0000, /* s_barrier */
		0xbf810000, /* s_endpgm */
		0xbf800000, /* s_nop 0 */
		0xbf82fffe, /* s_branch 65534 */
	};
	struct code c = { 0 };
	m->launch.max_instructions = 1 << 26;
	m->launch.grid[0] = 3;
	append(&c, nobody_sets, sizeof nobody_sets);
	APPEND(&c, hello_and_wait);
	for (m->launch.threads = 1; m->launch.threads <= 2; m->launch.threads++) {
		fill_arena(0);
		run_code(m, &c);
		ok(only_finding(m) && only_finding(m)->kind == MX_STUCK && m->report.stopped &&
		           only_finding(m)->n_stalled == 1 &&
		           only_finding(m)->stalled[0] == MX_STALLED_IN_LOOP,
		   "workgroups that wait for a flag that is never set make no progress, %u threads",
		   m->launch.threads);
	}
	m->launch.threads = 1;
	m->launch.grid[0] = 1;
	m->launch.block[0] = 128;
	RUN(m, wave_0_loops);
	ok(only_finding(m) && only_finding(m)->kind == MX_STUCK &&
	           finding_says(m, "in a loop, 1 at +0x10 at a barrier"),
	   "a barrier that one wave never reaches is no progress, and the text names the places of "
	   "all waves");
	m->launch.block[0] = 64;
	m->launch.max_instructions = 1 << 20;
}

int main(void) {
	struct machine m = machine();
	m.kernel.lds_bytes = 1024;
	test_loads(&m);
	test_partial_waits(&m);
	test_scratch_apart(&m);
	test_store_data(&m);
	test_barrier(&m);
	test_one_l1(&m);
	test_ended_waves(&m);
	test_counters(&m);
	test_seeds();
	test_progress(&m);
	test_stall(&m);
	mx_report_free(&m.report);
	return done_testing();
}
