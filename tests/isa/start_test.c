/* Registers at the start of a wave, in the order of the manual's and LLVM's tables: user SGPRs,
 * work-group ids and info, work-item ids, EXEC of partial waves and workgroups. */
#include "machine_test.h"

enum {
	/* KERNEL_CODE_PROPERTIES [LLVM "Kernel Descriptor"] */
	DISPATCH_PTR = 1 << 1,
	QUEUE_PTR = 1 << 2,
	DISPATCH_ID = 1 << 4,
	PRIVATE_SEGMENT_SIZE = 1 << 6,
	LANES_AT = 64, /* offset at which the program stores v0 of each lane */
};

#define DISPATCH 0x1111111122222222ull
#define QUEUE    0x3333333344444444ull
#define ID       0x5555555566666666ull

/* Stores s0 to s15 and v0 to s[40:41]; the first two instructions set s[40:41] to the arena. */
static const uint32_t dump[] = {
	0xd28c0001, 0x000100c1, /* v_mbcnt_lo_u32_b32 v1, -1, 0 */
	0xd28d0001, 0x000202c1, /* v_mbcnt_hi_u32_b32 v1, -1, v1 */
	0x24020282,             /* v_lshlrev_b32_e32 v1, 2, v1 */
	0xdc708040, 0x00280001, /* global_store_dword v1, v0, s[40:41] offset:64 */
	0x7e040280,             /* v_mov_b32_e32 v2, 0 */
	0x7e080200,             /* v_mov_b32_e32 v4, s0 */
	0x7e0a0201,             /* v_mov_b32_e32 v5, s1 */
	0x7e0c0202,             /* v_mov_b32_e32 v6, s2 */
	0x7e0e0203,             /* v_mov_b32_e32 v7, s3 */
	0xdc7c8000, 0x00280402, /* global_store_dwordx4 v2, v[4:7], s[40:41] */
	0x7e100204,             /* v_mov_b32_e32 v8, s4 */
	0x7e120205,             /* v_mov_b32_e32 v9, s5 */
	0x7e140206,             /* v_mov_b32_e32 v10, s6 */
	0x7e160207,             /* v_mov_b32_e32 v11, s7 */
	0xdc7c8010, 0x00280802, /* global_store_dwordx4 v2, v[8:11], s[40:41] offset:16 */
	0x7e180208,             /* v_mov_b32_e32 v12, s8 */
	0x7e1a0209,             /* v_mov_b32_e32 v13, s9 */
	0x7e1c020a,             /* v_mov_b32_e32 v14, s10 */
	0x7e1e020b,             /* v_mov_b32_e32 v15, s11 */
	0xdc7c8020, 0x00280c02, /* global_store_dwordx4 v2, v[12:15], s[40:41] offset:32 */
	0x7e20020c,             /* v_mov_b32_e32 v16, s12 */
	0x7e22020d,             /* v_mov_b32_e32 v17, s13 */
	0x7e24020e,             /* v_mov_b32_e32 v18, s14 */
	0x7e26020f,             /* v_mov_b32_e32 v19, s15 */
	0xdc7c8030, 0x00281002, /* global_store_dwordx4 v2, v[16:19], s[40:41] offset:48 */
	0xbf810000,             /* s_endpgm */
};

static void run_after_aim(struct machine *m, const uint32_t *program, size_t bytes) {
	uint64_t base = (uintptr_t)arena;
	const uint32_t aim[] = { 0xbea800ff, (uint32_t)base, 0xbea900ff, (uint32_t)(base >> 32) };
	struct code c = { 0 };
	fill_arena(0xEE);
	APPEND(&c, aim);
	append(&c, program, bytes);
	run_code(m, &c);
}

static void run_dump(struct machine *m) {
	run_after_aim(m, dump, sizeof dump);
}

static uint64_t pair(unsigned sgpr) {
	return get(4 * sgpr) | (uint64_t)get(4 * sgpr + 4) << 32;
}

static void test_user_sgprs(void) {
	struct machine m = machine();
	m.kernel.properties =
		DISPATCH_PTR | QUEUE_PTR | KERNARG_POINTER | DISPATCH_ID | PRIVATE_SEGMENT_SIZE;
	m.kernel.user_sgprs = 9;
	m.kernel.workgroup_id[1] = m.kernel.workgroup_id[2] = m.kernel.workgroup_info = true;
	m.launch.dispatch = DISPATCH;
	m.launch.queue = QUEUE;
	m.launch.dispatch_id = ID;
	run_dump(&m);
	ok(pair(0) == DISPATCH, "the dispatch packet's address comes first");
	ok(pair(2) == QUEUE, "then the queue's");
	ok(pair(4) == (uintptr_t)arena, "then that of the arguments");
	ok(pair(6) == ID, "then the number of the dispatch");
	ok(get(32) == m.kernel.scratch_bytes, "then the size of the private segment");
	ok(get(36) == 0 && get(40) == 0 && get(44) == 0,
	   "then the workgroup's place on three axes");
	ok(get(48) == (0x80000000u | 1), "last, that this is the first wave of one");
	m.kernel.properties = QUEUE_PTR | DISPATCH_ID;
	m.kernel.user_sgprs = 4;
	m.kernel.workgroup_id[0] = m.kernel.workgroup_id[2] = false;
	run_dump(&m);
	ok(pair(0) == QUEUE && pair(2) == ID && get(16) == 0 && get(20) == 0x80000001,
	   "properties that are not set take no registers");
	mx_report_free(&m.report);
}

static void test_preload(void) {
	struct machine m = machine();
	struct code c = { 0 };
	uint64_t base = (uintptr_t)arena;
	const uint32_t aim[] = { 0xbea800ff, (uint32_t)base, 0xbea900ff, (uint32_t)(base >> 32) };
	c.bytes = 256; /* the hardware enters after these */
	APPEND(&c, aim);
	APPEND(&c, dump);
	m.kernel.preload_dwords = 3;
	m.kernel.preload_offset = 5;
	m.kernel.user_sgprs = 5;
	fill_arena(0);
	put(20, 0xA0);
	put(24, 0xA1);
	put(28, 0xA2);
	run_code(&m, &c);
	ok(get(8) == 0xA0 && get(12) == 0xA1 && get(16) == 0xA2 && get(20) == 0,
	   "preloaded arguments come after the other user SGPRs");
	mx_report_free(&m.report);
}

/* v0 of each lane, for a block of 8 x 4 x 2. */
static unsigned right_lanes(unsigned axes) {
	unsigned right = 0;
	for (unsigned z = 0; z < 2; z++)
		for (unsigned y = 0; y < 4; y++)
			for (unsigned x = 0; x < 8; x++)
				right +=
					get(LANES_AT + 4 * (x + 8 * (y + 4 * z))) ==
					(x | (axes >= 1 ? y << 10 : 0) | (axes >= 2 ? z << 20 : 0));
	return right;
}

static void test_work_items(void) {
	static const char *const names[] = { "x", "x and y", "x, y and z" };
	struct machine m = machine();
	m.launch.block[0] = 8;
	m.launch.block[1] = 4;
	m.launch.block[2] = 2;
	for (unsigned axes = 0; axes < 3; axes++) {
		m.kernel.work_item_ids = axes;
		run_dump(&m);
		ok(right_lanes(axes) == 64, "v0 has %s, ten bits each, and 0 elsewhere",
		   names[axes]);
	}
	mx_report_free(&m.report);
}

/* The number of lanes that stored. */
static unsigned active(void) {
	unsigned n = 0;
	for (unsigned l = 0; l < 64; l++)
		n += get(LANES_AT + 4 * l) != 0xEEEEEEEE;
	return n;
}

static void test_partial(void) {
	struct machine m = machine();
	m.launch.block[0] = 40;
	run_dump(&m);
	ok(active() == 40, "a wave of 40 work-items has 40 lanes");
	m.launch.block[0] = 64;
	m.launch.partial[0] = 10;
	run_dump(&m);
	ok(active() == 10, "the last workgroup of an axis may have 10 of 64");
	m.launch.block[0] = 8;
	m.launch.block[1] = 8;
	m.launch.partial[0] = 3;
	m.launch.partial[1] = 2;
	m.kernel.work_item_ids = 1;
	run_dump(&m);
	ok(active() == 6 && get(LANES_AT + 12) == 1 << 10,
	   "on two axes, 3 of 8 and 2 of 8: the fourth is the first of the second row");
	mx_report_free(&m.report);
}

/* Stores lane 39 or 40 of v0. */
static const uint32_t store_lane_39[] = {
	0xd2890004, 0x00014f00, /* v_readlane_b32 s4, v0, 39 */
	0x7e040280,             /* v_mov_b32_e32 v2, 0 */
	0x7e0a0204,             /* v_mov_b32_e32 v5, s4 */
	0xdc708000, 0x00280502, /* global_store_dword v2, v5, s[40:41] */
	0xbf810000,             /* s_endpgm */
};
static const uint32_t store_lane_40[] = {
	0xd2890004, 0x00015100, /* v_readlane_b32 s4, v0, 40 */
	0x7e040280,             /* v_mov_b32_e32 v2, 0 */
	0x7e0a0204,             /* v_mov_b32_e32 v5, s4 */
	0xdc708000, 0x00280502, /* global_store_dword v2, v5, s[40:41] */
	0xbf810000,             /* s_endpgm */
};

static void test_absent_lanes(void) {
	struct machine m = machine();
	m.launch.block[0] = 40;
	run_after_aim(&m, store_lane_39, sizeof store_lane_39);
	ok(no_findings(&m) && get(0) == 39, "with 40 work-items lane 39 of v0 has the last id");
	run_after_aim(&m, store_lane_40, sizeof store_lane_40);
	if (!ok(only_finding(&m) && only_finding(&m)->kind == MX_UNWRITTEN, "lane 40 is unwritten"))
		show_findings(&m);
	mx_report_free(&m.report);
}

static void test_refusals(void) {
	static const uint32_t end[] = {
		0xbf810000, /* s_endpgm */
	};
	static const struct {
		uint16_t properties;
		const char *text;
	} t[] = {
		{ 1 << 0, "private segment buffer" },
		{ 1 << 5, "FLAT_SCRATCH" },
		{ 1 << 10, "wave32" },
		{ 1 << 7, "reserved" },
		{ 1 << 15, "reserved" },
		{ 1 << 1, "packet" },
		{ 1 << 2, "queue" },
	};
	struct machine m = machine();
	m.kernel.user_sgprs = 16;
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		m.kernel.properties = t[i].properties;
		RUN(&m, end);
		ok(found(&m, MX_UNSUPPORTED, 0) && finding_says(&m, t[i].text) &&
		           !m.report.stats.instructions,
		   "property bit %x is refused: %s", t[i].properties, t[i].text);
	}
	m.kernel.properties = KERNARG_POINTER | DISPATCH_ID;
	m.kernel.user_sgprs = 3;
	RUN(&m, end);
	ok(found(&m, MX_UNSUPPORTED, 0), "so are more user SGPRs than the kernel counts");
	m.kernel.user_sgprs = 16;
	m.kernel.scratch_bytes = 131060;
	RUN(&m, end);
	ok(found(&m, MX_UNSUPPORTED, 0) && finding_says(&m, "131056"), "so is too much scratch");
	m.kernel.scratch_bytes = 131056;
	RUN(&m, end);
	ok(no_findings(&m), "the most scratch is not");
	mx_report_free(&m.report);
}

/* The first workgroup leaves a register with one half that is unwritten; the second, in whose waves
 * the same memory serves, reads the other half. */
static void test_new_workgroup(void) {
	static const uint32_t program[] = {
		0xbf078002,             /* s_cmp_lg_u32 s2, 0 */
		0xbf850003,             /* s_cbranch_scc1 3 */
		0x7e0402f2,             /* v_mov_b32_e32 v2, 1.0 */
		0x7e021502,             /* v_cvt_f16_f32_e32 v1, v2 */
		0xbf810000,             /* s_endpgm */
		0x24060081,             /* v_lshlrev_b32_e32 v3, 1, v0 */
		0xdc688000, 0x00000103, /* global_store_short v3, v1, s[0:1] */
		0xbf810000,             /* s_endpgm */
	};
	struct machine m = machine();
	fill_arena(0);
	m.launch.grid[0] = 2;
	RUN(&m, program);
	if (!ok(found(&m, MX_UNWRITTEN, 0x18), "registers of a new workgroup are unwritten"))
		show_findings(&m);
	mx_report_free(&m.report);
}

int main(void) {
	test_user_sgprs();
	test_preload();
	test_work_items();
	test_partial();
	test_absent_lanes();
	test_new_workgroup();
	test_refusals();
	return done_testing();
}
