/* FLAT's counters and apertures, scratch addressing and its bounds, and atomics on unwritten
 * bits. */
#include "machine_test.h"

enum { LANES = 64, LDS_BYTES = 256, SCRATCH_BYTES = 64, OUT = 1024, SEEDS = 200 };

/* Dword l of the arena is FIRST + l, dwords of LDS are 2; v4 is 1 at first and is stored to OUT. */
enum { FIRST = 100, IN_LDS = 2, STALE = 1 };

static const uint32_t prologue[] = {
	0x242c0082,             /* v_lshlrev_b32_e32 v22, 2, v0 */
	0xbe8401eb,             /* s_mov_b64 s[4:5], src_shared_base */
	0xbe8601ed,             /* s_mov_b64 s[6:7], src_private_base */
	0x7e080281,             /* v_mov_b32_e32 v4, 1 */
	0x7e0a0282,             /* v_mov_b32_e32 v5, 2 */
	0x7e160201,             /* v_mov_b32_e32 v11, s1 */
	0x32142c00,             /* v_add_co_u32_e32 v10, vcc, s0, v22 */
	0x38161680,             /* v_addc_co_u32_e32 v11, vcc, 0, v11, vcc */
	0x7e180316,             /* v_mov_b32_e32 v12, v22 */
	0x7e1a0205,             /* v_mov_b32_e32 v13, s5 */
	0x7e1c0316,             /* v_mov_b32_e32 v14, v22 */
	0x7e1e0207,             /* v_mov_b32_e32 v15, s7 */
	0xd81a0000, 0x00000516, /* ds_write_b32 v22, v5 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
};

static const uint32_t epilogue[] = {
	0xdc708400, 0x00000416, /* global_store_dword v22, v4, s[0:1] offset:1024 */
	0xbf810000,             /* s_endpgm */
};

static const uint32_t flat_lds_vmcnt[] = {
	0xdc500000, 0x0400000c, /* flat_load_dword v4, v[12:13] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};

static const uint32_t flat_lds_lgkmcnt[] = {
	0xdc500000, 0x0400000c, /* flat_load_dword v4, v[12:13] */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
};

static const uint32_t flat_memory_vmcnt[] = {
	0xdc500000, 0x0400000a, /* flat_load_dword v4, v[10:11] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};

static const uint32_t flat_memory_lgkmcnt[] = {
	0xdc500000, 0x0400000a, /* flat_load_dword v4, v[10:11] */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
};

static const uint32_t flat_after_ds[] = {
	0xd86c0000, 0x04000016, /* ds_read_b32 v4, v22 */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xbf8cc17f,             /* s_waitcnt lgkmcnt(1) */
};

static const uint32_t flat_after_ds_0[] = {
	0xd86c0000, 0x04000016, /* ds_read_b32 v4, v22 */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
};

static const uint32_t flat_after_global[] = {
	0xdc508000, 0x04000016, /* global_load_dword v4, v22, s[0:1] */
	0xdc500000, 0x0600000c, /* flat_load_dword v6, v[12:13] */
	0xbf8c0f71,             /* s_waitcnt vmcnt(1) */
};

static const uint32_t flat_after_global_0[] = {
	0xdc508000, 0x04000016, /* global_load_dword v4, v22, s[0:1] */
	0xdc500000, 0x0600000c, /* flat_load_dword v6, v[12:13] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};

static const uint32_t flat_memory_in_order[] = {
	0xdc508000, 0x04000016, /* global_load_dword v4, v22, s[0:1] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xbf8c0f71,             /* s_waitcnt vmcnt(1) */
};

static const uint32_t global_after_flat[] = {
	0xdc500000, 0x0400000a, /* flat_load_dword v4, v[10:11] */
	0xdc508000, 0x06000016, /* global_load_dword v6, v22, s[0:1] */
	0xbf8c0f71,             /* s_waitcnt vmcnt(1) */
};

static const uint32_t caches[] = {
	0xe0a08000, 0x00000000, /* buffer_wbl2 sc1 */
	0xe0a48000, 0x00000000, /* buffer_inv sc1 */
	0xdc508000, 0x04000016, /* global_load_dword v4, v22, s[0:1] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};

static const uint32_t flat_nowhere[] = {
	0x7e160281,             /* v_mov_b32_e32 v11, 1 */
	0xdc500000, 0x0400000a, /* flat_load_dword v4, v[10:11] */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
};

static const uint32_t flat_atomic_odd[] = {
	0x68141482,             /* v_add_u32_e32 v10, 2, v10 */
	0xdd080000, 0x0000040a, /* flat_atomic_add v[10:11], v4 */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
};

static const uint32_t flat_beyond_lds[] = {
	0x68181884,             /* v_add_u32_e32 v12, 4, v12 */
	0xdc500000, 0x0400000c, /* flat_load_dword v4, v[12:13] */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
};

static const uint32_t scratch_modes[] = {
	0xb0140008,             /* s_movk_i32 s20, 8 */
	0x7e0e0284,             /* v_mov_b32_e32 v7, 4 */
	0xdc70400c, 0x007f0000, /* scratch_store_dword off, v0, off offset:12 */
	0xdc704000, 0x00141600, /* scratch_store_dword off, v22, s20 */
	0xdc706004, 0x00140507, /* scratch_store_dword v7, v5, s20 offset:4 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0xdc586004, 0x187f0007, /* scratch_load_dwordx3 v[24:26], v7, off offset:4 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0x68083318,             /* v_add_u32_e32 v4, v24, v25 */
	0xd1fd0004, 0x0411151a, /* v_lshl_add_u32 v4, v26, 10, v4 */
};

static const uint32_t scratch_negative[] = {
	0x7e0e0290,             /* v_mov_b32_e32 v7, 16 */
	0xdc707ffc, 0x007f0007, /* scratch_store_dword v7, v0, off offset:-4 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0xdc50400c, 0x047f0000, /* scratch_load_dword v4, off, off offset:12 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};

static const uint32_t scratch_beyond[] = {
	0x7e0e02bd,             /* v_mov_b32_e32 v7, 61 */
	0xdc706000, 0x007f0007, /* scratch_store_dword v7, v0, off */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};

static const uint32_t scratch_beyond_read[] = {
	0xdc504040, 0x067f0000, /* scratch_load_dword v6, off, off offset:64 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};

static const uint32_t scratch_unwritten[] = {
	0xdc684000, 0x007f0500, /* scratch_store_short off, v5, off */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0xdc504000, 0x047f0000, /* scratch_load_dword v4, off, off */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};

static const uint32_t scratch_written[] = {
	0xdc684000, 0x007f0500, /* scratch_store_short off, v5, off */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0xdc484000, 0x047f0000, /* scratch_load_ushort v4, off, off */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};

static const uint32_t flat_scratch[] = {
	0x7e080266, /* v_mov_b32_e32 v4, flat_scratch_lo */
	0x7e0c0267, /* v_mov_b32_e32 v6, flat_scratch_hi */
	0x28080d04, /* v_or_b32_e32 v4, v4, v6 */
};

static const uint32_t limits[] = {
	0xbe8801ec, /* s_mov_b64 s[8:9], src_shared_limit */
	0xbe8a01ee, /* s_mov_b64 s[10:11], src_private_limit */
	0x80880408, /* s_sub_u32 s8, s8, s4 */
	0x82890509, /* s_subb_u32 s9, s9, s5 */
	0x808a060a, /* s_sub_u32 s10, s10, s6 */
	0x828b070b, /* s_subb_u32 s11, s11, s7 */
	0x88880a08, /* s_xor_b64 s[8:9], s[8:9], s[10:11] */
	0x800a0b0a, /* s_add_u32 s10, s10, s11 */
	0x87080908, /* s_or_b32 s8, s8, s9 */
	0x7e08020a, /* v_mov_b32_e32 v4, s10 */
	0x28080808, /* v_or_b32_e32 v4, s8, v4 */
};

static const uint32_t base_as_dword[] = {
	0xbe8800ed, /* s_mov_b32 s8, src_private_base */
	0x7e080208, /* v_mov_b32_e32 v4, s8 */
};

static const uint32_t add_unwritten_memory[] = {
	0xdd098000, 0x04000516, /* global_atomic_add v4, v22, v5, s[0:1] sc0 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};

static const uint32_t swap_unwritten_memory[] = {
	0xdd008000, 0x00000516, /* global_atomic_swap v22, v5, s[0:1] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0xdc508000, 0x04000016, /* global_load_dword v4, v22, s[0:1] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};

static const uint32_t add_then_load[] = {
	0xdd088000, 0x00000516, /* global_atomic_add v22, v5, s[0:1] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0xdc508000, 0x04000016, /* global_load_dword v4, v22, s[0:1] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};

static const uint32_t add_unwritten_data[] = {
	0xdd088000, 0x00001e16, /* global_atomic_add v22, v30, s[0:1] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};

static const uint32_t add_f32[] = {
	0xdd348000, 0x00000416, /* global_atomic_add_f32 v22, v4, s[0:1] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};

static const uint32_t many_flats[] = {
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xdc500000, 0x0600000a, /* flat_load_dword v6, v[10:11] */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
};

static const uint32_t add_f32_normal[] = {
	0x7e0802ff, 0x80800000, /* v_mov_b32_e32 v4, 0x80800000 */
	0xdd348000, 0x00000416, /* global_atomic_add_f32 v22, v4, s[0:1] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};

static void run_op(struct machine *m, const uint32_t *op, size_t bytes) {
	struct code c = { 0 };
	APPEND(&c, prologue);
	append(&c, op, bytes);
	APPEND(&c, epilogue);
	run_code(m, &c);
}
#define RUN_OP(m, op) run_op(m, op, sizeof(op))

static void set_scene(void) {
	fill_arena(0);
	for (unsigned l = 0; l < LANES; l++)
		put(4 * l, FIRST + l);
}

static uint32_t out(unsigned lane) {
	return get(OUT + 4 * lane);
}

#define JUDGE(m, condition, ...)                                                                   \
	do {                                                                                       \
		if (!ok(condition, __VA_ARGS__))                                                   \
			show_findings(m);                                                          \
	} while (0)

/* ---- waits ---- */

/* The number of schedules in which a load has not landed; all others must give the right result. */
static unsigned stale(struct machine *m, const uint32_t *op, size_t bytes, bool lds) {
	unsigned n = 0;
	for (m->launch.seed = 1; m->launch.seed <= SEEDS; m->launch.seed++) {
		set_scene();
		run_op(m, op, bytes);
		n += out(7) == STALE;
		for (unsigned l = 0; l < LANES; l++)
			if (!no_findings(m) || out(l) != (out(7) == STALE ? STALE
			                                  : lds           ? IN_LDS
			                                                  : FIRST + l))
				return ~0u;
	}
	m->launch.seed = 1;
	return n;
}
#define TIMELY(m, op, lds, what) ok(stale(m, op, sizeof(op), lds) == 0, what)
#define TOO_SOON(m, op, lds, what)                                                                 \
	do {                                                                                       \
		unsigned n_ = stale(m, op, sizeof(op), lds);                                       \
		ok(n_ &&n_ < SEEDS, "%s (%u of %d)", what, n_, SEEDS);                             \
	} while (0)

static void test_waits(struct machine *m) {
	TOO_SOON(m, flat_lds_vmcnt, true, "vmcnt does not cover a FLAT in LDS");
	TIMELY(m, flat_lds_lgkmcnt, true, "lgkmcnt(0) does");
	TOO_SOON(m, flat_memory_lgkmcnt, false, "lgkmcnt does not cover a FLAT in memory");
	TIMELY(m, flat_memory_vmcnt, false, "vmcnt(0) does");
	TOO_SOON(m, flat_after_ds, true, "a FLAT may decrement lgkmcnt before an older LDS read");
	TIMELY(m, flat_after_ds_0, true, "so only 0 covers that read");
	TOO_SOON(m, flat_after_global, false,
	         "a FLAT with all lanes in LDS may decrement vmcnt before an older load");
	TIMELY(m, flat_after_global_0, false, "so only 0 covers that load");
	TIMELY(m, flat_memory_in_order, false, "a FLAT in memory decrements vmcnt in order");
	TIMELY(m, global_after_flat, false, "and so does a later load");
	TIMELY(m, caches, false, "buffer_wbl2 and buffer_inv execute");
	set_scene();
	m->launch.schedule = &(struct mx_schedule){ .late = true, .odd = UINT64_MAX };
	RUN_OP(m, caches);
	m->launch.schedule = NULL;
	ok(m->report.stats.most[MX_COUNTER_VM] == 3, "and vmcnt counts them");
	set_scene();
	RUN_OP(m, many_flats);
	ok(no_findings(m) && m->report.stats.most[MX_COUNTER_LGKM] <= 15 &&
	           m->report.stats.most[MX_COUNTER_VM] <= 20,
	   "a full lgkmcnt stalls FLAT");
}

/* ---- apertures ---- */

static void test_apertures(struct machine *m) {
	set_scene();
	RUN_OP(m, flat_nowhere);
	JUDGE(m, found(m, MX_FAULT, sizeof prologue + 4) && !out(0),
	      "a FLAT in no aperture and no allocation is a fault");
	RUN_OP(m, flat_atomic_odd);
	JUDGE(m, found(m, MX_FAULT, sizeof prologue + 4),
	      "and so is an atomic that is not aligned");
	RUN_OP(m, flat_beyond_lds);
	JUDGE(m,
	      found(m, MX_BOUNDS_READ, sizeof prologue + 4) && only_finding(m)->lane == 63 &&
	              out(62) == IN_LDS && out(63) == 0,
	      "a FLAT beyond LDS is out of bounds, and loads 0");
	RUN_OP(m, limits);
	JUDGE(m, no_findings(m) && out(3) == 0xffffffff, "an aperture has 4 GiB");
	RUN_OP(m, base_as_dword);
	JUDGE(m, found(m, MX_UNSUPPORTED, sizeof prologue), "its base as a dword stops");
	RUN_OP(m, flat_scratch);
	JUDGE(m, no_findings(m) && out(3) != STALE, "FLAT_SCRATCH can be read");
}

/* ---- scratch ---- */

static void test_scratch(struct machine *m) {
	bool right = true;
	set_scene();
	RUN_OP(m, scratch_modes);
	for (unsigned l = 0; l < LANES; l++)
		right &= out(l) == (4 * l + l) + (2 << 10);
	JUDGE(m, right && no_findings(m), "scratch: an offset, with an SGPR, a VGPR or both");
	right = true;
	RUN_OP(m, scratch_negative);
	for (unsigned l = 0; l < LANES; l++)
		right &= out(l) == l;
	JUDGE(m, right && no_findings(m), "a negative offset, and separate lanes");
	RUN_OP(m, scratch_beyond);
	JUDGE(m, found(m, MX_BOUNDS_WRITE, sizeof prologue + 4) && only_finding(m)->address == 61,
	      "a store that ends beyond the segment is out of bounds");
	RUN_OP(m, scratch_beyond_read);
	JUDGE(m, found(m, MX_BOUNDS_READ, sizeof prologue), "and so is a load");
	RUN_OP(m, scratch_unwritten);
	JUDGE(m, only_finding(m) && only_finding(m)->kind == MX_UNWRITTEN,
	      "bytes without a store are unwritten");
	RUN_OP(m, scratch_written);
	JUDGE(m, no_findings(m) && out(5) == 2, "stored bytes are written");
}

/* ---- unwritten bits ---- */

static void test_taint(struct machine *m) {
	set_scene();
	memset(state + 4 * 9, 0, 4);
	RUN_OP(m, add_unwritten_memory);
	JUDGE(m,
	      only_finding(m) && only_finding(m)->kind == MX_UNWRITTEN &&
	              only_finding(m)->lane == 9 && !state[4 * 9] && state[4 * 10],
	      "an atomic returns unwritten bits, and stores them");
	set_scene();
	memset(state, 0, 4 * LANES);
	RUN_OP(m, swap_unwritten_memory);
	JUDGE(m, no_findings(m) && state[0] == MX_WRITTEN && out(3) == 2,
	      "a swap stores written bits");
	set_scene();
	state[4 * 9 + 2] = 0;
	RUN_OP(m, add_then_load);
	JUDGE(m, only_finding(m) && only_finding(m)->lane == 9 && only_finding(m)->count == 1,
	      "one unwritten byte makes a sum unwritten");
	set_scene();
	RUN_OP(m, add_unwritten_data);
	JUDGE(m, found(m, MX_UNWRITTEN, sizeof prologue) && !state[4],
	      "unwritten data is reported at the atomic");
}

/* v4 is 1, the least denormal. */
static void test_denormals(struct machine *m) {
	set_scene();
	put(0, 0x3f800000);
	put(4, 5);
	RUN_OP(m, add_f32);
	ok(get(0) == 0x3f800000 && get(4) == 0 && no_findings(m),
	   "f32 atomics in memory flush denormals in any MODE");
	put(0, 0x00c00000);
	RUN_OP(m, add_f32_normal);
	ok(get(0) == 0 && found(m, MX_AMBIGUOUS, sizeof prologue + 8) && only_finding(m)->lane == 0,
	   "a denormal sum of normal numbers is flushed, and ambiguous");
}

int main(void) {
	struct machine m = machine();
	m.kernel.lds_bytes = LDS_BYTES;
	m.kernel.scratch_bytes = SCRATCH_BYTES;
	test_waits(&m);
	test_apertures(&m);
	test_scratch(&m);
	test_taint(&m);
	test_denormals(&m);
	mx_report_free(&m.report);
	return done_testing();
}
