/* The state of a wave beyond its registers: its place, counters that it reads, priority, and the
 * index that the vector ALU adds to VGPR numbers. */
#include "../../ref/isa/alu/vector.h"
#include "machine_test.h"

enum { LANES = 64, OUT = 0x1000, WAVES = 16 };

/* ---- hardware registers that differ between waves ---- */

/* Each work-item stores the register at OUT + 4 * number. */
static const uint32_t read_hw_id[] = {
	0xb884f804, /* s_getreg_b32 s4, hwreg(HW_REG_HW_ID) */
}, read_xcc_id[] = {
	0xb884f814, /* s_getreg_b32 s4, hwreg(HW_REG_XCC_ID) */
}, read_lds_alloc[] = {
	0xb8844b06, /* s_getreg_b32 s4, hwreg(HW_REG_LDS_ALLOC, 12, 10) */
}, read_group[] = {
	0xb8840ac2, /* s_getreg_b32 s4, hwreg(HW_REG_STATUS, 11, 2) */
}, store[] = {
	0x24000082,             /* v_lshlrev_b32_e32 v0, 2, v0 */
	0x7e020204,             /* v_mov_b32_e32 v1, s4 */
	0xdc709000, 0x00000100, /* global_store_dword v0, v1, s[0:1] offset:-4096 */
	0xbf810000,             /* s_endpgm */
}, base[] = {
	0x8000ff00, 0x00002000, /* s_add_u32 s0, s0, 0x2000 */
	0x82018001,             /* s_addc_u32 s1, s1, 0 */
};

static void read_register(struct machine *m, const uint32_t *getreg) {
	struct code c = { 0 };
	fill_arena(0);
	APPEND(&c, base);
	append(&c, getreg, 4);
	APPEND(&c, store);
	run_code(m, &c);
}

/* The value that wave i read. */
static uint32_t of_wave(unsigned i) {
	return get(OUT + 4 * LANES * i);
}

static void test_hw_id(struct machine *m) {
	enum { SLOT = 0x3f, UNIT = ~0x3fu };
	bool apart = true, together = true, differ = false;
	uint32_t first = 0;
	m->launch.block[0] = LANES * WAVES;
	for (m->launch.seed = 1; m->launch.seed < 9; m->launch.seed++) {
		read_register(m, read_hw_id);
		for (unsigned i = 0; i < WAVES; i++)
			for (unsigned j = 0; j < i; j++) {
				apart &= (of_wave(i) & SLOT) != (of_wave(j) & SLOT);
				together &= (of_wave(i) & UNIT) == (of_wave(j) & UNIT);
			}
		first = m->launch.seed == 1 ? of_wave(0) : first;
		differ |= of_wave(0) != first;
	}
	ok(only_notes(m) && apart, "HW_ID gives each wave of a workgroup a slot of its own");
	ok(together && differ, "on one compute unit, which depends on the seed");
	m->launch.block[0] = LANES;
	m->launch.seed = 1;
}

static void test_xcc_id(struct machine *m) {
	unsigned seen = 0;
	bool in_range = true;
	for (m->launch.seed = 1; m->launch.seed < 65; m->launch.seed++) {
		read_register(m, read_xcc_id);
		in_range &= only_notes(m) && of_wave(0) < 8;
		seen |= 1u << (of_wave(0) & 31);
	}
	m->launch.seed = 1;
	ok(in_range && seen == 0xff, "XCC_ID is one of eight, by the seed");
}

static void test_allocation(struct machine *m) {
	m->kernel.lds_bytes = 1281;
	read_register(m, read_lds_alloc);
	ok(only_notes(m) && of_wave(0) == 10,
	   "LDS_ALLOC: 1281 bytes are two granules of five times 64 dwords");
	m->kernel.lds_bytes = 0;
	read_register(m, read_group);
	ok(no_findings(m) && of_wave(0) == 0, "STATUS: a single wave is not in a group");
	m->launch.block[0] = 2 * LANES;
	read_register(m, read_group);
	ok(no_findings(m) && of_wave(0) == 1 && of_wave(1) == 1, "two waves are");
	m->launch.block[0] = LANES;
}

/* ---- counters ---- */

static void test_counters(struct machine *m) {
	static const uint32_t code[] = {
		0xc00a0200, 0x00000000, /* s_load_dwordx4 s[8:11], s[0:1], 0x0 */
		0xbf900001,             /* s_sendmsg sendmsg(MSG_INTERRUPT) */
		0xdc508000, 0x01000000, /* global_load_dword v1, v0, s[0:1] */
		0xb8841807,             /* s_getreg_b32 s4, hwreg(HW_REG_IB_STS, 0, 4) */
		0xb8851a07,             /* s_getreg_b32 s5, hwreg(HW_REG_IB_STS, 8, 4) */
		0x8e058805,             /* s_lshl_b32 s5, s5, 8 */
		0x87040504,             /* s_or_b32 s4, s4, s5 */
		0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
		0x8000ff00, 0x00002000, /* s_add_u32 s0, s0, 0x2000 */
		0x82018001,             /* s_addc_u32 s1, s1, 0 */
		0x24000082,             /* v_lshlrev_b32_e32 v0, 2, v0 */
		0x7e020204,             /* v_mov_b32_e32 v1, s4 */
		0xdc709000, 0x00000100, /* global_store_dword v0, v1, s[0:1] offset:-4096 */
		0xbf810000,             /* s_endpgm */
	};
	unsigned seen = 0, possible = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3;
	bool vm = false;
	for (m->launch.seed = 1; m->launch.seed < 65; m->launch.seed++) {
		fill_arena(0);
		RUN(m, code);
		seen |= no_findings(m) ? 1u << (of_wave(0) >> 8 & 15) : 1u << 31;
		vm |= (of_wave(0) & 15) == 1;
	}
	m->launch.seed = 1;
	ok(!(seen & ~possible) && seen & 1 << 3 && seen & 1,
	   "IB_STS counts 2 for four dwords and 1 for a message, until they land");
	ok(vm, "and a vector load");
}

/* s_waitcnt: the export counter is always 0 [ISA 4.4]. */
static void test_expcnt(struct machine *m) {
	static const uint32_t code[] = {
		0xbf8ccf0f, /* s_waitcnt expcnt(0) */
		0xbf810000, /* s_endpgm */
	};
	RUN(m, code);
	ok(no_findings(m), "a wait for exports does not block");
}

/* ---- priority ---- */

/* Two waves add to one LDS word without pause; the wave with priority 3 makes more progress. */
static void test_priority(struct machine *m) {
	static const uint32_t code[] = {
		0x7e0a0500,             /* v_readfirstlane_b32 s5, v0 */
		0xbf068005,             /* s_cmp_eq_u32 s5, 0 */
		0xbf840001,             /* s_cbranch_scc0 1 */
		0xbf8f0003,             /* s_setprio 3 */
		0xb0060080,             /* s_movk_i32 s6, 0x80 */
		0x80868106,             /* s_sub_u32 s6, s6, 1 */
		0xbf078006,             /* s_cmp_lg_u32 s6, 0 */
		0xbf85fffd,             /* s_cbranch_scc1 65533 */
		0x7e020205,             /* v_mov_b32_e32 v1, s5 */
		0x7e040280,             /* v_mov_b32_e32 v2, 0 */
		0xdc708000, 0x00000102, /* global_store_dword v2, v1, s[0:1] */
		0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
		0xbf810000,             /* s_endpgm */
	};
	unsigned last = 0;
	m->launch.block[0] = 2 * LANES;
	for (m->launch.seed = 1; m->launch.seed < 257; m->launch.seed++) {
		fill_arena(0);
		RUN(m, code);
		last += get(0) == LANES;
	}
	m->launch.block[0] = LANES;
	m->launch.seed = 1;
	if (!ok(last > 140 && last < 256,
	        "s_setprio: the wave of low priority is mostly last, not always"))
		diag("last in %u of 256 schedules", last);
}

/* ---- the vector ALU's index ---- */

static void test_gpr_index(void) {
	struct mx_wave *w = calloc(1, sizeof *w);
	bool off = true, right = true;
	w->s[MX_M0] = 0xf7a5;
	for (unsigned i = 0; i < 4; i++)
		off &= mx_gpr_index(w, i) == 0;
	w->mode = 1u << 27;
	for (unsigned enables = 0; enables < 16; enables++) {
		w->s[MX_M0] = 0xdead0fa5 | enables << 12;
		for (unsigned i = 0; i < 4; i++)
			right &= mx_gpr_index(w, i) == (enables >> i & 1 ? 0xa5u : 0);
	}
	free(w);
	ok(off, "M0 is not added to VGPR numbers if MODE disables it");
	ok(right, "M0 15:12 select the operands to which M0 7:0 is added: src0, src1, src2, dst");
}

int main(void) {
	struct machine m = machine();
	test_hw_id(&m);
	test_xcc_id(&m);
	test_allocation(&m);
	test_counters(&m);
	test_expcnt(&m);
	test_priority(&m);
	test_gpr_index();
	mx_report_free(&m.report);
	return done_testing();
}
