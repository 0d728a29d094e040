/* Conversion instructions, dense and sparse MFMA in the emulator: operands, OP_SEL, EXEC, unwritten
 * bits. tests/num, tests/mma and tests/oracle check the arithmetic; this test compares with the
 * library's functions on the registers in the encoding. */
#include "machine_test.h"

#include "../../ref/isa/encoding/formats.h"
#include "../../ref/mma/matrix_profiles.h"

/* VGPRs 8 .. 55 are loaded from the arena, results are stored from VGPR 0 on.
 *   v_mbcnt_lo_u32_b32 v60, -1, 0 ; v_mbcnt_hi_u32_b32 v60, -1, v60 ; v_lshlrev_b32 v60, 2, v60 */
static const uint32_t lane_offset[] = { 0xd28c003c, 0x000100c1, 0xd28d003c, 0x000278c1,
	                                0x24787882 };
/*   s_waitcnt vmcnt(0) ; s_endpgm */
static const uint32_t wait_loads[] = { 0xbf8c0f70 };
static const uint32_t end[] = { 0xbf8c0f70, 0xbf810000 };
/*   s_nop 0 ; s_mov_b64 exec, -1 */
static const uint32_t all_lanes[] = { 0xbefe01c1 };

enum { SOURCE = 0x4000, RESULT = 0x10000, ROW = 256, FIRST = 8, N_SOURCES = 48 };

/*   global_load_dword v[n], v60, s[0:1] and global_store_dword v60, v[n], s[0:1], after
 *   s_add_u32 s0, s0, literal has moved the base. */
static void load(struct code *c, unsigned n) {
	uint32_t part[] = { 0xdc508000, 0x0000003c | n << 24 };
	append(c, part, sizeof part);
}
static void store(struct code *c, unsigned n) {
	uint32_t part[] = { 0xdc708000, 0x0000003c | n << 8 };
	append(c, part, sizeof part);
}
static void move_base(struct code *c, int32_t by) {
	uint32_t sign = by < 0 ? 0x8201c101 : 0x82018001; /* s_addc_u32 s1, s1, -1 or 0 */
	uint32_t part[] = { 0x8000ff00, (uint32_t)by, sign };
	append(c, part, sizeof part);
}

/* Loads the sources, and the old values of the results. */
static void prologue(struct code *c, unsigned results) {
	APPEND(c, lane_offset);
	move_base(c, SOURCE);
	for (unsigned n = 0; n < N_SOURCES; n++, move_base(c, ROW))
		load(c, FIRST + n);
	move_base(c, RESULT - SOURCE - N_SOURCES * ROW);
	for (unsigned n = 0; n < results; n++, move_base(c, ROW))
		load(c, n);
	move_base(c, -(int32_t)(results * ROW));
	APPEND(c, wait_loads);
}

static void epilogue(struct code *c, unsigned results) {
	APPEND(c, all_lanes);
	for (unsigned n = 0; n < results; n++, move_base(c, ROW))
		store(c, n);
	APPEND(c, end);
}

static uint32_t source(unsigned n, unsigned lane) {
	return get(SOURCE + (n - FIRST) * ROW + 4 * lane);
}
static uint32_t result(unsigned n, unsigned lane) {
	return get(RESULT + n * ROW + 4 * lane);
}

static void random_arena(uint64_t seed) {
	fill_arena(0);
	for (size_t at = 0; at < ARENA; at += 4) {
		uint32_t v = (uint32_t)next_random(&seed);
		/* half of the values near 1, so that conversions do not all saturate */
		put(at, v & 1 ? v : (v & 0x87ffffff) | 0x38000000);
	}
}

/* ---- the table of opcodes ---- */

static const struct mx_op *row_of(const char *name) {
	for (size_t i = 0; i < mx_gfx950.n_ops; i++)
		if (!strcmp(mx_gfx950.ops[i].name, name))
			return &mx_gfx950.ops[i];
	return NULL;
}

/* The first form of an opcode, with all fields 0. */
static void encode_blank(const struct mx_op *op, uint32_t code[4]) {
	const struct mx_isa_row *row = mx_gfx950_encodings.rows;
	while (row->op != op->id)
		row++;
	mx_isa_row_blank(&mx_gfx950_encodings, row, code);
}

/* ---- conversions ---- */

/* Those of gfx1250 come last. */
static bool is_of_gfx950(mx_cvt_op op) {
	return row_of(mx_cvt_info(op).name);
}

static bool is_vop1(mx_cvt_op op) {
	return row_of(mx_cvt_info(op).name)->encoding == MX_VOP1;
}

/* VOP3, or VOP1 unchanged; data in v8 and v24, random number in v40, scale in v41. */
static unsigned encode(mx_cvt_op op, unsigned op_sel, uint32_t d[4]) {
	const struct mx_cvt_info info = mx_cvt_info(op);
	unsigned src[3] = { 256 + 8 }, n = info.data;
	encode_blank(row_of(info.name), d);
	if (is_vop1(op)) {
		d[0] |= src[0];
		return 4;
	}
	if (n == 2)
		src[1] = 256 + 24;
	if (info.stochastic)
		src[n++] = 256 + 40;
	if (info.scaled)
		src[n] = 256 + 41;
	d[0] |= op_sel << 11;
	d[1] = src[0] | src[1] << 9 | src[2] << 18;
	return 8;
}

static bool lane_agrees(mx_cvt_op op, const struct mx_cvt_info *info, unsigned op_sel,
                        unsigned lane, const uint32_t *before, bool flush) {
	uint32_t data[32], want[32];
	struct mx_cvt_args a = { .source = data,
		                 .scale = source(41, lane),
		                 .random = source(40, lane),
		                 .old = before[lane],
		                 .op_sel = op_sel,
		                 .flush_f32 = flush };
	for (unsigned n = 0; n < info->data; n++)
		for (unsigned k = 0; k < info->data_dwords; k++)
			data[n * info->data_dwords + k] = source(8 + 16 * n + k, lane);
	if (mx_cvt(op, &a, want) != MX_OK)
		return false;
	for (unsigned k = 0; flush && !strcmp(info->to, "FP32") && k < info->dst_dwords; k++)
		if (!(want[k] & 0x7f800000))
			want[k] &= 0x80000000;
	for (unsigned k = 0; k < info->dst_dwords; k++)
		if (result(k, lane) != want[k]) {
			diag("%s, lane %u, dword %u: got 0x%08x, want 0x%08x", info->name, lane, k,
			     result(k, lane), want[k]);
			return false;
		}
	return true;
}

/* Denormals of f32, and scales that shift them into the range of small formats. */
static void denormal_sources(void) {
	for (unsigned l = 0; l < MX_LANES; l++) {
		for (unsigned n = FIRST; n < 40; n++)
			put(SOURCE + (n - FIRST) * ROW + 4 * l, source(n, l) & 0x807fffff);
		put(SOURCE + (41 - FIRST) * ROW + 4 * l, l % 4 << 23);
	}
}

/* Runs a conversion under a MODE in which it executes, or stops. */
static bool run_cvt(mx_cvt_op op, unsigned op_sel, uint32_t mode, bool stops) {
	struct mx_cvt_info info = mx_cvt_info(op);
	struct machine m = machine();
	struct code c = { 0 };
	uint32_t d[4], before[MX_LANES];
	bool good = true;
	random_arena(op * 16 + op_sel);
	if (!(mode & 0x10))
		denormal_sources();
	for (unsigned l = 0; l < MX_LANES; l++)
		before[l] = result(0, l);
	prologue(&c, info.dst_dwords < 8 ? info.dst_dwords : 8);
	append(&c, d, encode(op, op_sel, d));
	epilogue(&c, info.dst_dwords);
	m.kernel.mode = mode;
	run_code(&m, &c);
	const struct mx_finding *f = only_finding(&m);
	if (!(good = stops ? f && f->kind == MX_UNSUPPORTED : only_notes(&m)))
		show_findings(&m);
	for (unsigned l = 0; good && !stops && l < MX_LANES; l++)
		good = lane_agrees(op, &info, op_sel, l, before, !(mode & 0x10));
	mx_report_free(&m.report);
	return good;
}

/* Tries every subset of the OP_SEL bits with a meaning for the opcode. */
static void test_conversions(void) {
	for (unsigned op = 0; is_of_gfx950(op); op++) {
		struct mx_cvt_info info = mx_cvt_info(op);
		bool good = true;
		for (unsigned s = 0; good && s < 16; s++)
			if (!(s & ~info.op_sel) && !(is_vop1(op) && s))
				good = run_cvt(op, s, USUAL_MODE, false);
		ok(good, "%s uses the operands of its encoding, with each OP_SEL", info.name);
	}
}

/* The manual on other MODEs: FP8, BF8, FP4 and pairs of f16 and bf16 are rounded to nearest even or
 * stochastically [ISA 12.11]; f32 sources follow MODE, small formats do not [ISA 7.3]. The name of
 * an opcode has its formats. */
static bool has(const char *name, const char *part) {
	return strstr(name, part);
}
static bool to_small(const char *name) {
	return has(name, "8_f32") || has(name, "8_f16") || has(name, "8_bf16") ||
	       has(name, "4_f32") || has(name, "4_f16") || has(name, "4_bf16") ||
	       has(name, "p6_f") || has(name, "p6_b") || has(name, "bf6_f") || has(name, "bf6_b");
}
static bool from_small(const char *name) {
	return !has(name, "f16_f32") && !to_small(name);
}
static bool rounding_known(const char *name) {
	bool six = has(name, "p6_") || has(name, "bf6_");
	return has(name, "_sr_") || !has(name, "scale") || (to_small(name) && !six);
}
static bool flushing_known(const char *name) {
	return (to_small(name) && has(name, "_f32")) || (from_small(name) && !has(name, "scale"));
}

/* Other conversions rest on an assumption if a source or a result is denormal, unless MODE flushes
 * f16, too: then they stop. */

static void test_conversion_modes(void) {
	enum { TO_ZERO = 0x2ff, FLUSH_F32 = 0x2c0, FLUSH_ALL = 0x200 };
	unsigned wrong = 0;
	for (unsigned op = 0; is_of_gfx950(op); op++) {
		const char *name = mx_cvt_info(op).name;
		bool right = run_cvt(op, 0, TO_ZERO, !rounding_known(name)) &&
		             run_cvt(op, 0, FLUSH_F32, false) &&
		             run_cvt(op, 0, FLUSH_ALL, !flushing_known(name));
		if (!right && !wrong++)
			diag("first wrong: %s", name);
	}
	ok(!wrong, "conversions follow MODE if the manual defines it, and stop otherwise");
}

/* Another instruction follows the literal. 0x40 is 2 in E4M3. */
static void test_literal_source(void) {
	static const uint32_t cvt[] = { 0x7e00a8ff, 0xc0ffee40 }; /* v_cvt_f32_fp8 v0, literal */
	struct machine m = machine();
	struct code c = { 0 };
	random_arena(2);
	prologue(&c, 1);
	append(&c, cvt, sizeof cvt);
	epilogue(&c, 1);
	run_code(&m, &c);
	if (!ok(no_findings(&m) && result(0, 5) == 0x40000000,
	        "a conversion of a literal constant"))
		show_findings(&m);
	mx_report_free(&m.report);
}

/* v_cvt_scalef32_pk_fp4_f32 v0, v8, v24, v41 op_sel:[0,0,1,0] writes byte 1 of v0. */
static void test_partial_result(void) {
	mx_cvt_op op;
	uint32_t d[4];
	struct machine m = machine();
	struct code c = { 0 };
	ok(mx_cvt_by_name("v_cvt_scalef32_pk_fp4_f32", &op), "v_cvt_scalef32_pk_fp4_f32 exists");
	random_arena(1);
	memset(state + RESULT, 0, 1); /* byte 0 of lane 0's old dword: never written, and kept */
	prologue(&c, 1);
	append(&c, d, encode(op, 4, d));
	epilogue(&c, 1);
	run_code(&m, &c);
	if (!ok(only_finding(&m) && only_finding(&m)->kind == MX_UNWRITTEN &&
	                finding_says(&m, "mask 0xff of dword 0"),
	        "a kept byte stays unwritten, and the converted byte is written"))
		show_findings(&m);
	mx_report_free(&m.report);
}

/* ---- dense MFMA ---- */

typedef uint32_t row_of_lanes[MX_LANES];

/* The assumption that an instruction notes: that of its opcode; or, with profiles of single
 * instructions that lack it, of its accumulation. */
static const char *note_of(const struct machine *m, const struct mx_op *row, mx_type a) {
	const struct mx_matrix_profiles *t = m->launch.profiles;
	const struct mx_dense *dense = mx_dense_by_name(row->name);
	const struct mx_sparse *sparse = mx_sparse_by_name(row->name);
	bool has_one = t && (dense    ? mx_matrix_profile_of(t, dense)
	                     : sparse ? mx_sparse_profile_of(t, sparse)
	                              : NULL);
	bool varies = a != MX_T_F64 && a != MX_T_F32 && a != MX_T_I8;
	mx_assumption rule = mx_op_rests_on(row);
	return mx_assumption_text(!rule && t && !has_one && varies ? MX_ASSUMES_NO_PROFILE : rule);
}

/* Runs a matrix instruction v[0:n-1] = ... and compares with the status and result of the
 * library. It leaves the note of an assumption. */
static bool leaves(struct machine *m, const struct mx_op *row, mx_type a, uint32_t operands,
                   unsigned n, mx_status status, const row_of_lanes *want) {
	uint32_t d[4];
	encode_blank(row, d);
	d[1] = operands;
	struct code code = { 0 };
	prologue(&code, n < 8 ? n : 8);
	append(&code, d, 8);
	epilogue(&code, n);
	run_code(m, &code);
	const char *rule = note_of(m, row, a);
	bool good = (*rule ? finding_says(m, rule) : no_findings(m)) && status == MX_OK;
	if (!good)
		show_findings(m);
	for (unsigned r = 0; good && r < n; r++)
		for (unsigned l = 0; good && l < MX_LANES; l++)
			good = result(r, l) == want[r][l];
	mx_report_free(&m->report);
	return good;
}

/* v_mfma_* v[0:], v[8+...]: results may take 32 registers, so operands start at v40. */
static bool run_dense(const struct mx_dense *op, const struct mx_matrix_profiles *profiles) {
	const struct mx_op *row = row_of(op->name);
	unsigned n = mx_dense_result_vgprs(op), operands = mx_dense_operand_vgprs(op);
	uint32_t a[8][MX_LANES], b[8][MX_LANES], c[32][MX_LANES], want[32][MX_LANES];
	struct machine m = machine();
	const mx_profile *own = profiles ? mx_matrix_profile_of(profiles, op) : NULL;
	m.launch.profiles = profiles;
	if (!row || row->d != n || row->s[0] != operands) {
		diag("%s: its row has %u and %u registers, not %u and %u", op->name,
		     row ? row->d : 0, row ? row->s[0] : 0, n, operands);
		return false;
	}
	random_arena(op->m * 1000 + op->k);
	for (unsigned l = 0; l < MX_LANES; l++) {
		for (unsigned r = 0; r < operands; r++) {
			a[r][l] = source(40 + r, l);
			b[r][l] = source(48 + r, l);
		}
		for (unsigned r = 0; r < n; r++)
			c[r][l] = r < 8 ? result(r, l) : source(r, l);
	}
	struct mx_dense_args args = { op,
		                      own ? own : mx_dense_profile(op, m.launch.profile),
		                      (const uint32_t(*)[MX_LANES])a,
		                      (const uint32_t(*)[MX_LANES])b,
		                      (const uint32_t(*)[MX_LANES])c,
		                      want,
		                      0,
		                      0,
		                      0,
		                      false };
	return leaves(&m, row, op->a, (256 + 40) | (256 + 48) << 9 | 256 << 18, n,
	              mx_mma_dense(&args), want);
}

static void test_dense(void) {
	const struct mx_dense *op;
	for (size_t i = 0; (op = mx_dense_at(i)); i++)
		ok(run_dense(op, NULL), "%s uses the registers of its encoding", op->name);
}

/* Profiles that cut results, for all dense instructions but `missing`. */
static void test_dense_profiles(const char *missing) {
	static mx_profile profile[MX_DENSE_INSNS];
	struct mx_matrix_profiles t = { .dense = { NULL } };
	const struct mx_dense *op;
	unsigned wrong = 0;
	for (size_t i = 0; (op = mx_dense_at(i)); i++) {
		profile[i] = (mx_profile){ .name = op->name, .parts = 1, .round = 1, .over = 1 };
		wrong += strcmp(op->name, missing) && !mx_matrix_profiles_add(&t, &profile[i]);
	}
	for (size_t i = 0; (op = mx_dense_at(i)); i++)
		wrong += !run_dense(op, &t);
	ok(!wrong, "each but %s has a profile", missing);
}

/* ---- sparse MFMA ---- */

/* v_smfmac_* v[0:], v[40:], v[44:], v39. The pairs of the index ascend. */
static bool run_sparse(const struct mx_sparse *op, const struct mx_matrix_profiles *profiles) {
	enum { ASCENDING = 0xd8d8d8d8 };
	const struct mx_op *row = row_of(op->name);
	unsigned n = mx_sparse_result_vgprs(op), operands = mx_sparse_a_vgprs(op);
	uint32_t a[4][MX_LANES], b[8][MX_LANES], index[MX_LANES], want[16][MX_LANES];
	struct machine m = machine();
	const mx_profile *own = profiles ? mx_sparse_profile_of(profiles, op) : NULL;
	m.launch.profiles = profiles;
	if (!row || row->d != n || row->s[0] != operands || row->s[1] != 2 * operands) {
		diag("%s: another number of registers than in its row", op->name);
		return false;
	}
	random_arena(op->m * 1000 + op->k);
	for (unsigned l = 0; l < MX_LANES; l++) {
		put(SOURCE + (39 - FIRST) * ROW + 4 * l, ASCENDING);
		index[l] = ASCENDING;
		for (unsigned r = 0; r < operands; r++)
			a[r][l] = source(40 + r, l);
		for (unsigned r = 0; r < 2 * operands; r++)
			b[r][l] = source(44 + r, l);
		for (unsigned r = 0; r < n; r++)
			want[r][l] = r < 8 ? result(r, l) : source(r, l);
	}
	struct mx_sparse_args args = { op,
		                       own ? own : m.launch.profile,
		                       (const uint32_t(*)[MX_LANES])a,
		                       (const uint32_t(*)[MX_LANES])b,
		                       index,
		                       want };
	return leaves(&m, row, op->a, (256 + 40) | (256 + 44) << 9 | (256 + 39) << 18, n,
	              mx_mma_sparse(&args), want);
}

static void test_sparse(void) {
	const struct mx_matrix_profiles none = { .dense = { NULL } };
	const struct mx_sparse *op;
	for (size_t i = 0; (op = mx_sparse_at(i)); i++)
		ok(run_sparse(op, NULL) && run_sparse(op, &none),
		   "%s uses the registers of its encoding", op->name);
}

/* Profiles that cut results, for each sparse instruction. */
static void test_sparse_profiles(void) {
	static mx_profile profile[MX_SPARSE_INSNS];
	struct mx_matrix_profiles t = { .dense = { NULL } };
	const struct mx_sparse *op;
	unsigned wrong = 0;
	for (size_t i = 0; (op = mx_sparse_at(i)); i++) {
		profile[i] = (mx_profile){ .name = op->name, .parts = 1, .round = 1, .over = 1 };
		wrong += !mx_matrix_profiles_add(&t, &profile[i]);
	}
	for (size_t i = 0; (op = mx_sparse_at(i)); i++)
		wrong += !run_sparse(op, &t);
	ok(!wrong, "each sparse instruction has a profile");
}

static const uint32_t sparse_to_agprs[] = {
	0xd3d94000,
	0x18000100, /* v_accvgpr_write_b32 a0, v0 */
	0xd3d94001,
	0x18000101, /* v_accvgpr_write_b32 a1, v1 */
	0xd3d94002,
	0x18000102, /* v_accvgpr_write_b32 a2, v2 */
	0xd3d94003,
	0x18000103, /* v_accvgpr_write_b32 a3, v3 */
	0xbf800001, /* s_nop 1 */
	0xd3e28800,
	0x049e5928, /* v_smfmac_f32_16x16x32_f16 a[0:3], v[40:41], v[44:47], v39 abid:1 */
	0xbf800007, /* s_nop 7 */
	0xd3d84000,
	0x18000100, /* v_accvgpr_read_b32 v0, a0 */
	0xd3d84001,
	0x18000101, /* v_accvgpr_read_b32 v1, a1 */
	0xd3d84002,
	0x18000102, /* v_accvgpr_read_b32 v2, a2 */
	0xd3d84003,
	0x18000103, /* v_accvgpr_read_b32 v3, a3 */
};

/* With D in AGPRs the index is in a VGPR; only the second set is valid. */
static void test_sparse_index(void) {
	uint32_t a[2][MX_LANES], b[4][MX_LANES], index[MX_LANES], want[4][MX_LANES];
	struct machine m = machine();
	struct code code = { 0 };
	unsigned wrong = 0;
	random_arena(7);
	for (unsigned l = 0; l < MX_LANES; l++) {
		put(SOURCE + (39 - FIRST) * ROW + 4 * l, index[l] = 0x0000d800);
		for (unsigned r = 0; r < 4; r++) {
			b[r][l] = source(44 + r, l);
			want[r][l] = result(r, l);
			a[r % 2][l] = source(40 + r % 2, l);
		}
	}
	struct mx_sparse_args args = { mx_sparse_by_name("v_smfmac_f32_16x16x32_f16"),
		                       m.launch.profile,
		                       (const uint32_t(*)[MX_LANES])a,
		                       (const uint32_t(*)[MX_LANES])b,
		                       index,
		                       want,
		                       .abid = 1 };
	prologue(&code, 4);
	APPEND(&code, sparse_to_agprs);
	epilogue(&code, 4);
	run_code(&m, &code);
	mx_status status = mx_mma_sparse(&args);
	for (unsigned l = 0; l < MX_LANES; l++)
		for (unsigned r = 0; r < 4; r++)
			wrong += result(r, l) != want[r][l];
	if (!ok(no_findings(&m) && status == MX_OK && !wrong,
	        "a sparse result in AGPRs, with the index that ABID selects in a VGPR"))
		show_findings(&m);
	mx_report_free(&m.report);
}

static void test_sparse_refused(void) {
	static const struct {
		const char *what;
		uint32_t code[2], index;
	} cases[] = {
		{ "indices that do not ascend", { 0xd3e20000, 0x049e5928 }, 0 },
		{ "BLGP", { 0xd3e20000, 0x249e5928 }, 0xd8d8d8d8 },
		{ "a constant as index", { 0xd3e20000, 0x02025928 }, 0xd8d8d8d8 },
	};
	for (unsigned i = 0; i < 3; i++) {
		struct machine m = machine();
		struct code code = { 0 };
		random_arena(7);
		for (unsigned l = 0; l < MX_LANES; l++)
			put(SOURCE + (39 - FIRST) * ROW + 4 * l, cases[i].index);
		prologue(&code, 4);
		size_t at = code.bytes;
		append(&code, cases[i].code, 8);
		epilogue(&code, 4);
		run_code(&m, &code);
		if (!ok(found(&m, MX_UNSUPPORTED, at), "sparse MFMA: %s stops", cases[i].what))
			show_findings(&m);
		mx_report_free(&m.report);
	}
}

int main(void) {
	test_conversions();
	test_conversion_modes();
	test_partial_result();
	test_literal_source();
	test_dense();
	test_dense_profiles("v_mfma_f32_16x16x32_bf16");
	test_dense_profiles("v_mfma_f32_16x16x4_f32");
	test_sparse();
	test_sparse_profiles();
	test_sparse_index();
	test_sparse_refused();
	return done_testing();
}
