/* An observer gets events in order and changes nothing; operands that instructions read. */
#include "machine_test.h"

#include "../../ref/isa/encoding/operands.h"

enum { WAVES = 2, LANES = 64, MOST = 4096 };

/* Each lane adds s4, passes its sum to the lane below through LDS, and stores the xor. */
static const uint32_t program[] = {
	0xc0060100, 0x00000010, /* s_load_dwordx2 s[4:5], s[0:1], 0x10 */
	0x24020082,             /* v_lshlrev_b32_e32 v1, 2, v0 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0x68040004,             /* v_add_u32_e32 v2, s4, v0 */
	0xd81a0000, 0x00000201, /* ds_write_b32 v1, v2 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xd86c0004, 0x03000001, /* ds_read_b32 v3, v1 offset:4 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xbf068704,             /* s_cmp_eq_u32 s4, 7 */
	0x85068005,             /* s_cselect_b32 s6, s5, 0 */
	0x2a060606,             /* v_xor_b32_e32 v3, s6, v3 */
	0xdc708100, 0x00000301, /* global_store_dword v1, v3, s[0:1] offset:256 */
	0xbf810000,             /* s_endpgm */
};
enum { INSTRUCTIONS = 13 };
enum { ADD = 16, WRITE = 20, READ = 32, STORE = 56 }; /* bytes of some of them */

/* ---- an observer that records its events ---- */

struct kept {
	mx_event_kind kind;
	uint64_t time, issue, pc, lanes, address;
	unsigned wave, reg, bytes;
	int lane;
	bool landing, write;
	uint32_t value[LANES], data;
};

static struct kept events[MOST];
static size_t n_events;
static unsigned kinds, of_waves;

static unsigned wants(void *context, const uint32_t workgroup[3], uint32_t wave) {
	(void)context, (void)workgroup;
	return of_waves >> wave & 1 ? kinds : 0;
}

static void keep(void *context, const struct mx_event *e) {
	(void)context;
	if (n_events == MOST)
		return;
	struct kept *k = &events[n_events++];
	*k = (struct kept){ e->kind, e->time, e->issue, e->pc,   e->lanes,   e->address,
		            e->wave, e->reg,  e->bytes, e->lane, e->landing, e->write };
	k->data = e->data;
	if (e->kind == MX_EVENT_VGPR)
		memcpy(k->value, e->value, sizeof k->value);
	else if (e->kind == MX_EVENT_SGPR)
		k->value[0] = *e->value;
}

static const struct mx_observer observer = { NULL, wants, keep };

static void run(struct machine *m, bool observed, uint64_t seed) {
	fill_arena(0x11);
	put(16, 7);
	put(20, 0x5000);
	m->kernel.lds_bytes = 4 * WAVES * LANES + 4;
	m->launch.block[0] = WAVES * LANES;
	m->launch.observer = observed ? &observer : NULL;
	m->launch.seed = seed;
	n_events = 0;
	RUN(m, program);
}

static size_t count(mx_event_kind kind, unsigned wave) {
	size_t n = 0;
	for (size_t i = 0; i < n_events; i++)
		n += events[i].kind == kind && events[i].wave == wave;
	return n;
}

/* The i-th event of a kind at a pc of a wave, or NULL. */
static const struct kept *find(mx_event_kind kind, unsigned wave, uint64_t pc, size_t i) {
	for (size_t k = 0; k < n_events; k++)
		if (events[k].kind == kind && events[k].wave == wave && events[k].pc == pc &&
		    events[k].issue && i-- == 0)
			return &events[k];
	return NULL;
}

/* ---- tests ---- */

static void test_nothing_changes(struct machine *m) {
	static uint8_t plain[ARENA], states[ARENA];
	unsigned same = 0, of = 40;
	kinds = ~0u;
	of_waves = ~0u;
	for (uint64_t seed = 1; seed <= of; seed++) {
		run(m, false, seed);
		uint64_t issued = m->report.stats.instructions;
		size_t findings = m->report.n_findings;
		memcpy(plain, arena, ARENA);
		memcpy(states, state, ARENA);
		run(m, true, seed);
		same += m->ran && n_events && n_events < MOST &&
		        issued == m->report.stats.instructions &&
		        findings == m->report.n_findings && !memcmp(plain, arena, ARENA) &&
		        !memcmp(states, state, ARENA);
	}
	ok(same == of, "under %u seeds an observed launch equals an unobserved launch", of);
}

static void test_instructions(struct machine *m) {
	kinds = MX_EVENT_ISSUE | MX_EVENT_LAND;
	of_waves = 3;
	run(m, true, 3);
	bool in_order = true;
	uint64_t issue[WAVES] = { 0 };
	for (size_t i = 0; i < n_events; i++)
		if (events[i].kind == MX_EVENT_ISSUE)
			in_order &= events[i].issue == ++issue[events[i].wave];
	ok(count(MX_EVENT_ISSUE, 0) == INSTRUCTIONS && count(MX_EVENT_ISSUE, 1) == INSTRUCTIONS &&
	           in_order,
	   "an event for each instruction of a wave at issue, in order");
	ok(count(MX_EVENT_LAND, 0) == 4 && count(MX_EVENT_LAND, 1) == 4, "and each landing");
	const struct kept *issued = find(MX_EVENT_ISSUE, 1, STORE, 0);
	const struct kept *landed = find(MX_EVENT_LAND, 1, STORE, 0);
	ok(issued && landed && landed->landing && !issued->landing &&
	           landed->issue == issued->issue && landed->time >= issued->time,
	   "a landing belongs to its instruction and is not before it");
}

static void test_registers(struct machine *m) {
	kinds = MX_EVENT_SGPR | MX_EVENT_VGPR;
	of_waves = 2;
	run(m, true, 1);
	const struct kept *add = find(MX_EVENT_VGPR, 1, ADD, 0);
	ok(add && add->reg == 2 && add->lanes == ~0ull && add->value[5] == LANES + 5 + 7,
	   "a write of a vector register has its lanes and values");
	const struct kept *s5 = find(MX_EVENT_SGPR, 1, 0, 1);
	ok(s5 && s5->reg == 5 && s5->value[0] == 0x5000 && s5->landing,
	   "a scalar load's registers are written as it lands");
	ok(count(MX_EVENT_SGPR, 0) + count(MX_EVENT_VGPR, 0) == 0,
	   "no events for a wave that was not requested");
	ok(count(MX_EVENT_ISSUE, 1) == 0, "nor for other kinds of events");
}

static void test_memory(struct machine *m) {
	kinds = MX_EVENT_MEMORY | MX_EVENT_LDS;
	of_waves = 1;
	run(m, true, 1);
	const struct kept *store = find(MX_EVENT_MEMORY, 0, STORE, 9);
	ok(store && store->write && store->lane == 9 && store->bytes == 4 &&
	           store->address == (uintptr_t)arena + 256 + 4 * 9 &&
	           store->data == get(256 + 4 * 9) && store->data == ((10 + 7) ^ 0x5000),
	   "the write of a store has lane, address and value");
	const struct kept *load = find(MX_EVENT_MEMORY, 0, 0, 0);
	ok(load && !load->write && load->lane == -1 && load->data == 7,
	   "the read of a scalar load has no lane");
	const struct kept *in = find(MX_EVENT_LDS, 0, WRITE, 9),
			  *out = find(MX_EVENT_LDS, 0, READ, 8);
	ok(in && in->write && in->address == 36 && in->lane == 9 && in->data == 16 && out &&
	           !out->write && out->address == 36 && out->lane == 8 && out->data == 16,
	   "events for writes and reads of LDS");
}

/* The LDS operations of the last launch whose lanes were accessed together. */
static unsigned lanes_together(const struct machine *m) {
	const uint64_t *n = m->report.stats.together;
	return (unsigned)(n[MX_TOGETHER_LDS_WRITE] + n[MX_TOGETHER_LDS_READ]);
}

/* An observer of some bytes gets the accesses of operations that touch them, and the lanes of
 * others are accessed together as without it. */
static void test_bytes(struct machine *m) {
	struct mx_observer some = observer;
	run(m, false, 1);
	unsigned before = lanes_together(m);
	kinds = MX_EVENT_MEMORY | MX_EVENT_LDS;
	of_waves = 3;
	some.address = (uintptr_t)arena + 256 + 4 * 9;
	some.bytes = 1;
	m->launch.observer = &some;
	n_events = 0;
	RUN(m, program);
	const struct kept *store = find(MX_EVENT_MEMORY, 0, STORE, 9);
	ok(before && lanes_together(m) == before && store && store->address == some.address &&
	           store->write && !find(MX_EVENT_MEMORY, 1, STORE, 0) && !count(MX_EVENT_LDS, 0) &&
	           !count(MX_EVENT_LDS, 1),
	   "an observer of a byte gets the accesses of the store to it, and leaves the others "
	   "together");
}

/* An access to a lane's scratch has the offset in its segment. */
static void test_scratch(struct machine *m) {
	static const uint32_t spill[] = {
		0xdc684008, 0x007f0000, /* scratch_store_short off, v0, off offset:8 */
		0xdc484008, 0x057f0000, /* scratch_load_ushort v5, off, off offset:8 */
		0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
		0xbf810000,             /* s_endpgm */
	};
	kinds = MX_EVENT_SCRATCH;
	of_waves = 1;
	m->kernel.scratch_bytes = 16;
	m->launch.block[0] = LANES;
	m->launch.observer = &observer;
	n_events = 0;
	RUN(m, spill);
	m->kernel.scratch_bytes = 0;
	const struct kept *in = find(MX_EVENT_SCRATCH, 0, 0, 9),
			  *out = find(MX_EVENT_SCRATCH, 0, 8, 9);
	ok(in && in->write && in->address == 8 && in->lane == 9 && in->bytes == 2 &&
	           in->data == 9 && out && !out->write && out->address == 8 && out->lane == 9 &&
	           out->data == 9,
	   "events for writes and reads of scratch");
}

/* A store narrower than a dword writes a part of its register. */
static void test_part(struct machine *m) {
	static const uint32_t part[] = {
		0x7e0402ff, 0x12345678, /* v_mov_b32_e32 v2, 0x12345678 */
		0xdc608100, 0x00000200, /* global_store_byte v0, v2, s[0:1] offset:256 */
		0xbf810000,             /* s_endpgm */
	};
	kinds = MX_EVENT_MEMORY;
	m->launch.observer = &observer;
	n_events = 0;
	RUN(m, part);
	const struct kept *store = find(MX_EVENT_MEMORY, 0, 8, 9);
	ok(store && store->bytes == 1 && store->data == 0x78,
	   "the event of a byte has only that byte");
}

/* ---- what instructions read ---- */

/* "src0 256+1 ..." of an instruction; operands that only locate data are in parentheses. */
static const char *uses_text(const uint32_t *code, size_t dwords, char text[256]) {
	struct mx_inst in;
	size_t at = 0;
	mx_gfx950.decode(code, dwords, 0, &in);
	text[0] = 0;
	MX_FOR_OPERANDS(o, &in)
		if (!o->written)
			at += (size_t)snprintf(
				text + at, 256 - at, "%s%s%s %u+%u%s", at ? ", " : "",
				mx_operand_is_value(o->role) ? "" : "(",
				mx_operand_role_name(o->role), mx_first_register(o->code),
				o->dwords, mx_operand_is_value(o->role) ? "" : ")");
	return text;
}

static void test_uses(void) {
	static const struct {
		uint32_t code[2];
		const char *reads, *name;
	} rows[] = {
		{ { 0x00020702 /* v_cndmask_b32_e32 v1, v2, v3, vcc */ },
		  "src0 258+1, src1 259+1, mask 106+2",
		  "v_cndmask_b32" },
		{ { 0x76020602 /* v_fmac_f32_e32 v1, s2, v3 */ },
		  "src0 2+1, src1 259+1, src2 257+1",
		  "v_fmac_f32" },
		{ { 0xd89c0100, 0x00040200 /* ds_write2_b64 v0, v[2:3], v[4:5] offset1:1 */ },
		  "(address 256+1), data 258+2, data1 260+2",
		  "ds_write2_b64" },
		{ { 0xe0511000, 0x02020004 /* buffer_load_dword v4, s[8:11], s2 offen lds */ },
		  "(address 260+1), (descriptor 8+4), (offset 2+1), (LDS base 124+1)",
		  "buffer_load_dword to LDS" },
		{ { 0xd3d40000,
		    0x04021104 /* v_mfma_f32_16x16x32_f16 v[0:3], v[4:7], v[8:11], v[0:3] */ },
		  "A 260+4, B 264+4, C 256+4",
		  "v_mfma" },
		{ { 0xd2350001, 0x04120702 /* v_cvt_scalef32_pk_fp8_f32 v1, v2, v3, v4 */ },
		  "src0 258+1, src1 259+1, scale 260+1, old 257+1",
		  "v_cvt_scalef32_pk_fp8_f32" },
		{ { 0x85068005 /* s_cselect_b32 s6, s5, 0 */ },
		  "src0 5+1, flag 253+1",
		  "s_cselect_b32" },
		{ { 0x7d8404fa, 0xff011101 /* v_cmp_eq_i32 vcc, v1, v2 row_shr:1 */ },
		  "src0 257+1, src1 258+1",
		  "v_cmp_eq_i32 with DPP" },
		{ { 0x2e020702, 0x40000000 /* v_fmamk_f32 v1, v2, 2.0, v3 */ },
		  "src0 258+1, src2 259+1",
		  "v_fmamk_f32" },
		{ { 0xbe8d00fb /* s_mov_b32 s13, src_vccz */ }, "src0 106+2", "s_mov_b32 of vccz" },
	};
	char text[256];
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!ok(!strcmp(uses_text(rows[i].code, 2, text), rows[i].reads), "%s reads %s",
		        rows[i].name, rows[i].reads))
			diag("got %s", text);
}

/* The source lane of an operand, for a lane of the result. */
static int lane_from(const uint32_t code[2], const char *role, int lane, unsigned part) {
	uint32_t s[MX_SGPR_FILE] = { [5] = 70, [MX_EXEC] = 8 };
	struct mx_registers r = { .s = s };
	struct mx_inst in;
	mx_gfx950.decode(code, 2, 0, &in);
	MX_FOR_OPERANDS(o, &in)
		if (!o->written && !strcmp(mx_operand_role_name(o->role), role))
			return mx_operand_lane(&in, o, lane, part, &r);
	return -2;
}

static void test_lanes(void) {
	static const uint32_t dpp[] = {
		0x7e0202fa,
		0xff011102, /* v_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf */
	};
	static const uint32_t mfma[] = {
		0xd3d40000,
		0x04021104, /* v_mfma_f32_16x16x32_f16 v[0:3], v[4:7], v[8:11], v[0:3] */
	};
	static const uint32_t blocks[] = {
		0xd3c10020, 0x04821900, /* v_mfma_f32_16x16x1_4b_f32 v[32:47], v0, v12, v[32:47] */
	};
	static const uint32_t readlane[] = {
		0xd2890004, 0x00000b02, /* v_readlane_b32 s4, v2, s5 */
	};
	static const uint32_t readfirst[] = { 0x7e080502 /* v_readfirstlane_b32 s4, v2 */, 0 };
	ok(lane_from(dpp, "src0", 9, 0) == 8 && lane_from(dpp, "src0", 16, 0) == -1,
	   "DPP reads the source lane of the shift, or none");
	ok(lane_from(mfma, "C", 37, 1) == 37 && lane_from(mfma, "A", 37, 1) == 9 &&
	           lane_from(mfma, "B", 37, 1) == 5,
	   "an element of an MFMA reads its row of A, column of B and element of C");
	ok(lane_from(blocks, "C", 37, 1) == 37 && lane_from(blocks, "A", 37, 1) == -1 &&
	           lane_from(blocks, "B", 37, 1) == -1,
	   "for one of several blocks the lanes of A and B are unknown");
	ok(lane_from(readlane, "src0", -1, 0) == 70 % 64,
	   "v_readlane reads the lane of its operand");
	ok(lane_from(readfirst, "src0", -1, 0) == 3, "v_readfirstlane reads the first active lane");
}

int main(void) {
	struct machine m = machine();
	test_nothing_changes(&m);
	test_instructions(&m);
	test_registers(&m);
	test_memory(&m);
	test_bytes(&m);
	test_scratch(&m);
	test_part(&m);
	test_uses();
	test_lanes();
	mx_report_free(&m.report);
	done_testing();
	return 0;
}
