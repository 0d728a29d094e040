/* Unwritten bits and unimplemented instructions: programs with a report, and similar ones
 * without. */
#include "machine_test.h"

enum { LANES = 64, OUT = 0x1000, PARTLY = 0x800, SIZE = 4 };

/* ---- snippets: a few instructions, and a finding at the last one, or none ---- */

/* v0 lane*4, v1 0, v2 a dword of which bytes 1 and 3 were never written, v3 0x11223344,
 * v60 and s60 never written, s[6:7] the output, s[8:11] a good descriptor. The use of an AGPR ends
 * the VGPRs at ACCUM_OFFSET. */
static const uint32_t prologue[] = {
	0xd3d94000, 0x18000080, /* v_accvgpr_write_b32 a0, 0 */
	0x24000082,             /* v_lshlrev_b32_e32 v0, 2, v0 */
	0xdc508800, 0x02000000, /* global_load_dword v2, v0, s[0:1] offset:2048 */
	0x7e020280,             /* v_mov_b32_e32 v1, 0 */
	0x7e0602ff, 0x11223344, /* v_mov_b32_e32 v3, 0x11223344 */
	0x8006ff00, 0x00001000, /* s_add_u32 s6, s0, 0x1000 */
	0x82078001,             /* s_addc_u32 s7, s1, 0 */
	0xbe880000,             /* s_mov_b32 s8, s0 */
	0xbe890001,             /* s_mov_b32 s9, s1 */
	0xb00a1000,             /* s_movk_i32 s10, 0x1000 */
	0xbe8b00ff, 0x00027000, /* s_mov_b32 s11, 0x27000 */
	0xbeea0180,             /* s_mov_b64 vcc, 0 */
	0xbf060a0a,             /* s_cmp_eq_u32 s10, s10 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};

static const uint32_t end[] = {
	0xbf810000, /* s_endpgm */
};

static void prepare(void) {
	fill_arena(0x5a);
	for (unsigned l = 0; l < LANES; l++)
		state[PARTLY + SIZE * l + 1] = state[PARTLY + SIZE * l + 3] = 0;
	memset(state + OUT, 0, OUT);
}

static void run_snippet(struct machine *m, const uint32_t *snippet, size_t bytes) {
	struct code c = { 0 };
	prepare();
	APPEND(&c, prologue);
	append(&c, snippet, bytes);
	APPEND(&c, end);
	run_code(m, &c);
}

#define UNPACK(...) __VA_ARGS__
#define COUNT(...)  (sizeof((uint32_t[]){ __VA_ARGS__ }) / 4)

/* A row of taint.def: a snippet, and the finding at its last instruction of `last` dwords. */
struct row {
	const char *text;
	uint32_t code[16];
	size_t dwords, last;
	mx_finding_kind kind; /* MX_FINDINGS: none */
	const char *says;
};
#define ROW(text, dwords, kind, last, says)                                                        \
	{ text, { UNPACK dwords }, COUNT dwords, last, kind, says },
static const struct row rows[] = {
#include "taint.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static void test_row(struct machine *m, const struct row *r) {
	run_snippet(m, r->code, 4 * r->dwords);
	uint64_t pc = sizeof prologue + 4 * (r->dwords - r->last);
	bool right = r->kind == MX_FINDINGS ? no_findings(m)
	                                    : found(m, r->kind, pc) && finding_says(m, r->says);
	if (!ok(right, "%s: %s%s", r->text, r->kind == MX_FINDINGS ? "" : mx_finding_name(r->kind),
	        r->kind == MX_FINDINGS ? "nothing to report" : ""))
		show_findings(m);
}

/* ---- after a finding ---- */

static void test_stored_states(struct machine *m) {
	static const uint32_t store[] = {
		0xdc708000, 0x00060200, /* global_store_dword v0, v2, s[6:7] */
	};
	run_snippet(m, store, sizeof store);
	unsigned wrong = 0;
	for (unsigned i = 0; i < SIZE * LANES; i++)
		wrong += state[OUT + i] != (i % 2 ? 0 : MX_WRITTEN);
	ok(only_finding(m) && only_finding(m)->count == LANES && !wrong,
	   "stored unwritten bytes stay unwritten, and the finding counts lanes");
}

static void test_poison(struct machine *m) {
	static const uint32_t store[] = {
		0xdc708000, 0x00063c00, /* global_store_dword v0, v60, s[6:7] */
	};
	bool differ = false;
	uint32_t first = 0;
	for (m->launch.seed = 1; m->launch.seed < 8; m->launch.seed++) {
		run_snippet(m, store, sizeof store);
		first = m->launch.seed == 1 ? get(OUT) : first;
		differ |= get(OUT) != first;
	}
	m->launch.seed = 1;
	ok(differ, "the value of an unwritten register depends on the seed");
}

/* ---- matrix instructions ---- */

/* A v[8:15], B v[16:23], C v[24:39], scales v40 and v41: all zero, except that some lanes of one
 * register (0: none) are unwritten. */
struct matrix {
	unsigned shape; /* 16 or 32 */
	unsigned poisoned;
	uint64_t lanes;
};

static void append_operands(struct code *c, const struct matrix *x) {
	const uint32_t v_mov_zero = 0x7e000280; /* v_mov_b32_e32 v0, 0 */
	static const uint32_t all[] = {
		0xbefe01c1, /* s_mov_b64 exec, -1 */
	};
	for (unsigned v = 8; v <= 41; v++) {
		const uint32_t mov = v_mov_zero | v << 17;
		const uint32_t some[] = {
			0xbefe00ff, ~(uint32_t)x->lanes,         /* s_mov_b32 exec_lo, literal */
			0xbeff00ff, ~(uint32_t)(x->lanes >> 32), /* s_mov_b32 exec_hi, literal */
		};
		if (v == x->poisoned)
			APPEND(c, some);
		append(c, &mov, sizeof mov);
		if (v == x->poisoned)
			APPEND(c, all);
	}
}

static const uint32_t mfma_16[] = {
	0xd3ac0000, 0x00025328, 0xd3ad0818,
	0x04622108, /* v_mfma_scale_f32_16x16x128_f8f6f4 v[24:27], v[8:15], v[16:23], v[24:27], v40,
	               v41 op_sel_hi:[0,0,0] */
	0xdc708000, 0x00061800, /* global_store_dword v0, v24, s[6:7] */
	0xdc708100, 0x00061900, /* global_store_dword v0, v25, s[6:7] offset:256 */
	0xdc708200, 0x00061a00, /* global_store_dword v0, v26, s[6:7] offset:512 */
	0xdc708300, 0x00061b00, /* global_store_dword v0, v27, s[6:7] offset:768 */
	0xbf810000,             /* s_endpgm */
};
static const uint32_t mfma_32[] = {
	0xd3ac0000, 0x00025328, 0xd3ae0818,
	0x04622108, /* v_mfma_scale_f32_32x32x64_f8f6f4 v[24:39], v[8:15], v[16:23], v[24:39], v40,
	               v41 op_sel_hi:[0,0,0] */
	0xdc708000, 0x00061800, /* global_store_dword v0, v24, s[6:7] */
	0xdc708100, 0x00061900, /* global_store_dword v0, v25, s[6:7] offset:256 */
	0xdc708200, 0x00061a00, /* global_store_dword v0, v26, s[6:7] offset:512 */
	0xdc708300, 0x00061b00, /* global_store_dword v0, v27, s[6:7] offset:768 */
	0xdc708400, 0x00061c00, /* global_store_dword v0, v28, s[6:7] offset:1024 */
	0xdc708500, 0x00061d00, /* global_store_dword v0, v29, s[6:7] offset:1280 */
	0xdc708600, 0x00061e00, /* global_store_dword v0, v30, s[6:7] offset:1536 */
	0xdc708700, 0x00061f00, /* global_store_dword v0, v31, s[6:7] offset:1792 */
	0xdc708800, 0x00062000, /* global_store_dword v0, v32, s[6:7] offset:2048 */
	0xdc708900, 0x00062100, /* global_store_dword v0, v33, s[6:7] offset:2304 */
	0xdc708a00, 0x00062200, /* global_store_dword v0, v34, s[6:7] offset:2560 */
	0xdc708b00, 0x00062300, /* global_store_dword v0, v35, s[6:7] offset:2816 */
	0xdc708c00, 0x00062400, /* global_store_dword v0, v36, s[6:7] offset:3072 */
	0xdc708d00, 0x00062500, /* global_store_dword v0, v37, s[6:7] offset:3328 */
	0xdc708e00, 0x00062600, /* global_store_dword v0, v38, s[6:7] offset:3584 */
	0xdc708f00, 0x00062700, /* global_store_dword v0, v39, s[6:7] offset:3840 */
	0xbf810000,             /* s_endpgm */
};

/* The row and column in D of a lane's result register [ISA 7.1.5]. */
static unsigned row_of(unsigned shape, unsigned lane, unsigned r) {
	return shape == 16 ? 4 * (lane / 16) + r : 8 * (r / 4) + 4 * (lane / 32) + r % 4;
}
static unsigned column_of(unsigned shape, unsigned lane) {
	return lane % shape;
}

typedef bool expected_unwritten(unsigned shape, unsigned lane, unsigned r);

static void test_matrix(struct machine *m, const struct matrix *x, expected_unwritten *expect,
                        const char *what) {
	struct code c = { 0 };
	unsigned n = x->shape == 16 ? 4 : 16, wrong = 0;
	prepare();
	APPEND(&c, prologue);
	append_operands(&c, x);
	if (x->shape == 16)
		APPEND(&c, mfma_16);
	else
		APPEND(&c, mfma_32);
	run_code(m, &c);
	for (unsigned r = 0; r < n; r++)
		for (unsigned l = 0; l < LANES; l++) {
			const uint8_t *s = state + OUT + 256 * r + 4 * l;
			bool unwritten = !(s[0] & s[1] & s[2] & s[3] & MX_WRITTEN);
			if (unwritten != expect(x->shape, l, r) && !wrong++)
				diag("first wrong: lane %u, register %u is %swritten", l, r,
				     unwritten ? "un" : "");
		}
	if (!ok(m->ran && !m->report.stopped && !wrong, "%ux%u: %s", x->shape, x->shape, what))
		show_findings(m);
}

/* A row and a column that only this shape has. */
static unsigned bad_row(unsigned shape) {
	return shape - 11;
}
static unsigned bad_column(unsigned shape) {
	return shape - 7;
}

static bool in_row(unsigned shape, unsigned lane, unsigned r) {
	return row_of(shape, lane, r) == bad_row(shape);
}
static bool in_column(unsigned shape, unsigned lane, unsigned r) {
	(void)r;
	return column_of(shape, lane) == bad_column(shape);
}
static bool in_lane_9_register_2(unsigned shape, unsigned lane, unsigned r) {
	(void)shape;
	return lane == 9 && r == 2;
}
static bool nowhere(unsigned shape, unsigned lane, unsigned r) {
	(void)shape, (void)lane, (void)r;
	return false;
}

static void test_matrices(struct machine *m) {
	for (unsigned shape = 16; shape <= 32; shape += 16) {
		uint64_t row = 1ull << bad_row(shape), column = 1ull << bad_column(shape);
		uint64_t further = row << shape; /* the same row, at a higher K */
		test_matrix(m, &(struct matrix){ shape, 0, 0 }, nowhere, "nothing unwritten");
		test_matrix(m, &(struct matrix){ shape, 10, row }, in_row,
		            "an unwritten register of A reaches its row");
		test_matrix(m, &(struct matrix){ shape, 15, further }, in_row, "also at another K");
		test_matrix(m, &(struct matrix){ shape, 21, column }, in_column,
		            "an unwritten register of B reaches its column");
		test_matrix(m, &(struct matrix){ shape, 26, 1ull << 9 }, in_lane_9_register_2,
		            "an unwritten element of C reaches the same element");
		test_matrix(m, &(struct matrix){ shape, 40, further }, in_row,
		            "an unwritten scale of A reaches its row");
		test_matrix(m, &(struct matrix){ shape, 41, column }, in_column,
		            "an unwritten scale of B reaches its column");
	}
}

/* v40 and v41 from memory in which some bytes of each dword are unwritten. */
static void test_scale_bytes(struct machine *m) {
	static const uint32_t load_scales[] = {
		0xdc508800, 0x28000000, /* global_load_dword v40, v0, s[0:1] offset:2048 */
		0xbf8c0f70, /* s_waitcnt vmcnt(0) */
		0x7e520328, /* v_mov_b32_e32 v41, v40 */
	}, byte_0_and_2[] = {
		0xd3ac0000, 0x10025328, 0xd3ad0818, 0x04622108, /* v_mfma_scale_f32_16x16x128_f8f6f4 v[24:27], v[8:15], v[16:23], v[24:27], v40, v41 op_sel:[0,0,0] op_sel_hi:[0,1,0] */
	}, byte_3[] = {
		0xd3ac1000, 0x10025328, 0xd3ad0818, 0x04622108, /* v_mfma_scale_f32_16x16x128_f8f6f4 v[24:27], v[8:15], v[16:23], v[24:27], v40, v41 op_sel:[0,1,0] op_sel_hi:[0,1,0] */
	}, unscaled[] = {
		0xd3ad0018, 0x04622108, /* v_mfma_f32_16x16x128_f8f6f4 v[24:27], v[8:15], v[16:23], v[24:27] */
	}, store[] = {
		0xdc708000, 0x00061800, /* global_store_dword v0, v24, s[6:7] */
		0xbf810000, /* s_endpgm */
	};
	const struct {
		const uint32_t *mfma;
		size_t bytes;
		bool clean;
		const char *what;
	} cases[] = {
		{ byte_0_and_2, sizeof byte_0_and_2, true,
		  "other bytes of a scale register may be unwritten" },
		{ byte_3, sizeof byte_3, false, "the byte that OP_SEL selects may not" },
		{ unscaled, sizeof unscaled, true, "an unscaled form reads no scale" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct code c = { 0 };
		prepare();
		APPEND(&c, prologue);
		append_operands(&c, &(struct matrix){ 16, 0, 0 });
		APPEND(&c, load_scales);
		append(&c, cases[i].mfma, cases[i].bytes);
		APPEND(&c, store);
		run_code(m, &c);
		if (!ok(cases[i].clean ? no_findings(m) : found(m, MX_UNWRITTEN, c.bytes - 12),
		        "%s", cases[i].what))
			show_findings(m);
	}
}

/* ---- findings that stop ---- */

static void test_place(struct machine *m) {
	static const uint32_t unknown[] = {
		0xd7ff0000, 0x00000000, /* a VOP3 opcode that does not exist */
	};
	run_snippet(m, unknown, sizeof unknown);
	const struct mx_finding *f = only_finding(m);
	char place[64];
	snprintf(place, sizeof place, "test+0x%zx unknown instruction (d7ff0000", sizeof prologue);
	if (!ok(found(m, MX_UNSUPPORTED, sizeof prologue) && m->report.stopped &&
	                finding_says(m, place),
	        "an unknown opcode stops, with kernel, pc and dwords"))
		show_findings(m);
	static const uint32_t known[] = {
		0xd384c005, 0x18020703, /* v_pk_lshlrev_b16 v5, v3, v3 clamp */
	};
	run_snippet(m, known, sizeof known);
	f = only_finding(m);
	snprintf(place, sizeof place,
	         "test+0x%zx v_pk_lshlrev_b16 v5, v3, v3 clamp (d384c005 18020703)",
	         sizeof prologue);
	if (!ok(f && m->report.stopped && finding_says(m, place),
	        "an unimplemented modifier stops, with the disassembly too"))
		show_findings(m);
}

static void test_descriptor(struct machine *m) {
	static const struct {
		const char *field;
		uint32_t set[2]; /* an s_or_b32 of s9 or s11, by a literal */
	} fields[] = {
		{ "type", { 0x870bff0b, 0x40000000 } },
	};
	static const uint32_t load[] = {
		0xe0501000, 0x80020500, /* buffer_load_dword v5, v0, s[8:11], 0 offen */
	};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		const uint32_t code[] = { fields[i].set[0], fields[i].set[1], load[0], load[1] };
		run_snippet(m, code, sizeof code);
		if (!ok(found(m, MX_UNSUPPORTED, sizeof prologue + 8) &&
		                finding_says(m, fields[i].field),
		        "a descriptor with %s stops", fields[i].field))
			show_findings(m);
	}
}

static void test_outside_code(struct machine *m) {
	static const uint32_t beyond[] = {
		0xbf820001, /* s_branch 1 */
	}, away[] = {
		0xbe840180, /* s_mov_b64 s[4:5], 0 */
		0xbe801d04, /* s_setpc_b64 s[4:5] */
	}, between[] = {
		0xbe841c00, /* s_getpc_b64 s[4:5] */
		0x80048204, /* s_add_u32 s4, s4, 2 */
		0xbe801d04, /* s_setpc_b64 s[4:5] */
	};
	run_snippet(m, beyond, sizeof beyond);
	ok(found(m, MX_FAULT, sizeof prologue + 8), "a branch beyond the code is a fault there");
	run_snippet(m, away, sizeof away);
	ok(only_finding(m) && only_finding(m)->kind == MX_FAULT && m->report.stopped,
	   "a jump to address 0 is a fault");
	run_snippet(m, between, sizeof between);
	ok(only_finding(m) && only_finding(m)->kind == MX_FAULT, "and between two dwords");
	RUN(m, prologue);
	ok(found(m, MX_FAULT, sizeof prologue), "and the end of code without s_endpgm");
}

/* Each uses one register beyond the 16 allocated. */
static void test_sgprs(void) {
	static const struct {
		uint32_t code[3];
		unsigned sgpr;
	} beyond[] = {
		{ { 0xbe900080, /* s_mov_b32 s16, 0 */ }, 16 },
		{ { 0xbe8f0010, /* s_mov_b32 s15, s16 */ }, 16 },
		{ { 0xbe800120, /* s_mov_b64 s[0:1], s[32:33] */ }, 33 },
		{ { 0x7e000211, /* v_mov_b32_e32 v0, s17 */ }, 17 },
		{ { 0xd0ca0010, 0x00020100, /* v_cmp_eq_u32_e64 s[16:17], v0, v0 */ }, 17 },
		{ { 0x7e240500, /* v_readfirstlane_b32 s18, v0 */ }, 18 },
		{ { 0xc00a0400, 0x00000000, /* s_load_dwordx4 s[16:19], s[0:1], 0x0 */ }, 19 },
		{ { 0xc0000000, 0x00000010, /* s_load_dword s0, s[0:1], s16 */ }, 16 },
		{ { 0xe0501000, 0x80040100, /* buffer_load_dword v1, v0, s[16:19], 0 offen */ },
		  19 },
		{ { 0xdc508000, 0x01100000, /* global_load_dword v1, v0, s[16:17] */ }, 17 },
	};
	static const uint32_t within[] = {
		0xbe8f0080, /* s_mov_b32 s15, 0 */
		0xbeea01fd, /* s_mov_b64 vcc, src_scc */
		0xbefc006a, /* s_mov_b32 m0, vcc_lo */
		0xbf810000, /* s_endpgm */
	};
	struct machine m = machine();
	char text[64];
	m.kernel.sgprs = 16;
	for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
		RUN(&m, beyond[i].code);
		snprintf(text, sizeof text, "SGPR %u is beyond the 16 allocated", beyond[i].sgpr);
		if (!ok(found(&m, MX_UNSUPPORTED, 0) && finding_says(&m, text), "%s", text))
			show_findings(&m);
	}
	RUN(&m, within);
	ok(no_findings(&m), "VCC, M0 and similar registers exist with any allocation");
	mx_report_free(&m.report);
}

static void test_launch_state(void) {
	struct machine m = machine();
	m.launch.dynamic_lds = 160 * 1024 + 1;
	RUN(&m, end);
	ok(found(&m, MX_UNSUPPORTED, 0) && !m.report.stats.instructions,
	   "a kernel with more than 160 KiB of LDS does not begin");
	m = (mx_report_free(&m.report), machine());
	m.kernel.scratch_bytes = 1u << 31;
	RUN(&m, end);
	ok(found(&m, MX_UNSUPPORTED, 0), "nor one with more scratch than a wave can have");
	mx_report_free(&m.report);
}

int main(void) {
	struct machine m = machine();
	m.kernel.lds_bytes = 1024;
	for (unsigned i = 0; i < ROWS; i++)
		test_row(&m, &rows[i]);
	test_stored_states(&m);
	test_poison(&m);
	test_matrices(&m);
	test_scale_bytes(&m);
	test_place(&m);
	test_descriptor(&m);
	test_outside_code(&m);
	test_sgprs();
	test_launch_state();
	mx_report_free(&m.report);
	return done_testing();
}
