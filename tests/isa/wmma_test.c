/* The WMMAs of gfx1250 in programs: random registers, formats, scales, modifiers and banks, against
 * mx_mma_wmma_plain, which oracle/exact checks (tests/oracle/wmma_test.c). */
#include "machine_test.h"

#include "../../ref/isa/encoding/forms.h"
#include "../../ref/mma/dense.h"

enum { LANES = MX_WAVE32, REGS = 16, LINE = 4 * LANES, SET = REGS * LINE };
enum { WAVES_OF_32 = 1 << 10 };                                /* of KERNEL_CODE_PROPERTIES */
enum { V_A = 16, V_B = 32, V_C = 48, V_D = 64, V_SCALES = 2 }; /* first registers */
enum { AT_A, AT_B, AT_C, AT_D, AT_SCALES, SETS };              /* of the arena, SET bytes each */

static uint64_t rng_state = 33;

static uint32_t rng(uint32_t below) {
	return (uint32_t)(next_random(&rng_state) >> 33) % below;
}

static size_t place_of(unsigned set, unsigned r, unsigned lane) {
	return set * SET + r / 4 * 4 * LINE + 16 * lane + 4 * (r % 4);
}

/* ---- the program ---- */

static void add(struct code *c, uint32_t dword) {
	append(c, &dword, 4);
}

/* s_set_vgpr_msb */
static void set_banks(struct code *c, unsigned src0, unsigned src1, unsigned src2, unsigned dst) {
	add(c, 0xbf860000 | src0 | src1 << 2 | src2 << 4 | dst << 6);
}

/* global_load_b128 v[first:first+3], v1, s[0:1] offset:at, for each four registers. v1 is 16 times
 * the lane. */
static void load(struct code *c, unsigned bank, unsigned first, unsigned set) {
	set_banks(c, 0, 0, 0, bank);
	for (unsigned r = 0; r < REGS; r += 4) {
		add(c, 0xee05c000);
		add(c, first + r);
		add(c, 1 | (set * SET + r * LINE) << 8);
	}
}

/* global_store_b128 */
static void store(struct code *c, unsigned bank, unsigned first, unsigned set) {
	set_banks(c, 0, bank, 0, 0);
	for (unsigned r = 0; r < REGS; r += 4) {
		add(c, 0xee074000);
		add(c, (first + r) << 23);
		add(c, 1 | (set * SET + r * LINE) << 8);
	}
}

/* ---- the instruction ---- */

/* A row's sample with these registers and random modifiers. */
static struct mx_form draw_form(struct mx_form f) {
	uint32_t *w = f.code + (f.dwords == 4 ? 2 : 0);
	w[0] = (w[0] & ~0xffu) | V_D;
	w[1] = (w[1] & 0xf8000000) | (256 + V_A) | (256 + V_B) << 9 | (256 + V_C) << 18;
	w[0] ^= rng(8) << 8 | (rng(8) ? rng(5) << 11 : 0) | rng(2) << 15;
	w[1] ^= rng(4) << 27 | (rng(2) ? rng(8) << 29 : 0);
	if (f.dwords == 4) {
		f.code[0] = (f.code[0] & 0xffff0000) | rng(3) << 8 | rng(2) << 11;
		f.code[1] =
			(256 + V_SCALES) | (256 + V_SCALES + 2) << 9 | rng(2) << 27 | rng(3) << 29;
	}
	return f;
}

static bool is_valid(const struct mx_form *f) {
	char text[200];
	struct mx_inst in;
	mx_gfx1250.decode(f->code, f->dwords, 0, &in);
	return in.op && !in.unsupported && in.size == 4 * f->dwords &&
	       mx_gfx1250.disassemble(f->code, f->dwords, 0, text, sizeof text);
}

/* ---- the expected result ---- */

struct registers {
	uint32_t ab[2][REGS][MX_LANES], c[REGS][MX_LANES], d[REGS][MX_LANES],
		scales[2][2][MX_LANES];
};

static void negate(uint32_t (*regs)[MX_LANES], uint32_t flip) {
	for (unsigned r = 0; r < REGS; r++)
		for (unsigned l = 0; l < LANES; l++)
			regs[r][l] ^= flip;
}

static mx_status expect(const struct mx_wmma *op, const struct mx_form *f, struct registers *x) {
	const uint32_t *w = f->code + (f->dwords == 4 ? 2 : 0);
	unsigned lo = w[1] >> 29, hi = w[0] >> 8 & 7;
	bool is_int = op->d == MX_T_I32;
	struct mx_wmma_args g = { .op = op,
		                  .profile = mx_wmma_profile(op, mx_profile_by_name("block32")),
		                  .c = (const uint32_t(*)[MX_LANES])(op->sparse ? x->d : x->c),
		                  .index = (const uint32_t(*)[MX_LANES])x->c,
		                  .index_key = op->sparse && w[0] >> 11 & 1,
		                  .d = x->d,
		                  .abs_c = hi >> 2,
		                  .neg_c = lo >> 2,
		                  .clamp = is_int && w[0] >> 15 & 1 };
	for (unsigned s = 0; s < 2; s++) {
		bool low = lo >> s & 1, high = hi >> s & 1, wide = op->ab[s] == MX_T_F32;
		if (!is_int)
			negate(x->ab[s], wide ? (uint32_t)low << 31
			                      : (uint32_t)low << 15 | (uint32_t)high << 31);
		g.ab[s].regs = (const uint32_t(*)[MX_LANES])x->ab[s];
		g.ab[s].format = op->ab[s] == MX_T_FP4 ? MX_E2M1
		                 : s                   ? (w[0] >> 14 & 1) << 2 | (w[1] >> 27 & 3)
		                                       : w[0] >> 11 & 7;
		g.ab[s].is_unsigned = !low;
		g.ab[s].scales = (const uint32_t(*)[MX_LANES])x->scales[s];
		if (f->dwords == 4) {
			g.ab[s].scale_format = s ? f->code[0] >> 8 & 3 : f->code[1] >> 29 & 3;
			g.ab[s].scale_row = s ? f->code[1] >> 27 & 1 : f->code[0] >> 11 & 1;
		}
	}
	return mx_mma_wmma_plain(&g);
}

/* ---- rounds ---- */

/* Numbers of moderate size in all types: bytes below 2, halves and floats below 4; and indices that
 * ascend where a SWMMAC has them. */
static void fill(const struct mx_wmma *op) {
	static const uint8_t pairs[] = { 4, 8, 9, 12, 13, 14 };
	fill_arena(0);
	for (size_t at = 0; at < SETS * SET; at += 4)
		put(at, (uint32_t)(next_random(&rng_state) >> 20) & 0xbfbfbfbf);
	for (size_t at = AT_SCALES * SET; at < (AT_SCALES + 1) * SET; at += 4)
		put(at, 0x76777879 + 0x01010101 * rng(8));
	for (unsigned i = 0; op->sparse && i < 2 * LANES; i++) {
		uint32_t indices = 0;
		for (unsigned shift = 0; shift < 32; shift += 4)
			indices |= (uint32_t)pairs[rng(sizeof pairs)] << shift;
		put(place_of(AT_C, i / LANES, i % LANES), indices);
	}
}

/* Runs the instruction on the arena, with operands in random banks, after `before` if there is one;
 * whether it ran and, if it must be clean, all findings are notes. */
static bool execute_after(const struct mx_form *before, const struct mx_form *f, bool clean) {
	struct machine m = machine();
	struct code c = { 0 };
	unsigned a = rng(4), b = rng(4), of_c = rng(4), d = rng(4);
	m.kernel.vgprs = 1024;
	m.kernel.agprs = 0;
	m.kernel.properties |= WAVES_OF_32;
	m.launch.block[0] = LANES;
	add(&c, 0x30020084); /* v_lshlrev_b32_e32 v1, 4, v0 */
	load(&c, 0, V_SCALES, AT_SCALES);
	load(&c, a, V_A, AT_A);
	load(&c, b, V_B, AT_B);
	load(&c, of_c, V_C, AT_C);
	load(&c, d, V_D, AT_D);
	add(&c, 0xbfc00000); /* s_wait_loadcnt 0x0 */
	set_banks(&c, a, b, of_c, d);
	if (before)
		append(&c, before->code, 4 * before->dwords);
	append(&c, f->code, 4 * f->dwords);
	store(&c, d, V_D, AT_D);
	add(&c, 0xbfb00000); /* s_endpgm */
	struct mx_program *p = mx_program_new(&mx_gfx1250, c.dwords, c.bytes, (uintptr_t)c.dwords);
	m.kernel.entry = (uintptr_t)c.dwords;
	m.launch.kernel = &m.kernel;
	m.launch.program = p;
	m.ran = p && mx_launch_run(&m.launch, &m.report);
	bool good = clean ? only_notes(&m) : m.ran;
	for (size_t i = 0; i < m.report.n_findings && !good; i++)
		diag("%s", in_words(&m, &m.report.findings[i]));
	mx_report_free(&m.report);
	mx_program_free(p);
	return good;
}

static bool execute(const struct mx_form *f, bool clean) {
	return execute_after(NULL, f, clean);
}

static void take(uint32_t (*to)[MX_LANES], unsigned n, unsigned set, unsigned first) {
	for (unsigned r = 0; r < n; r++)
		for (unsigned l = 0; l < LANES; l++)
			to[r][l] = get(place_of(set, first + r, l));
}

static bool agrees(const struct mx_wmma *op, const struct mx_form *f) {
	static struct registers x;
	fill(op);
	memset(&x, 0, sizeof x);
	take(x.ab[0], REGS, AT_A, 0);
	take(x.ab[1], REGS, AT_B, 0);
	take(x.c, REGS, AT_C, 0);
	take(x.d, REGS, AT_D, 0);
	take(x.scales[0], 2, AT_SCALES, 0);
	take(x.scales[1], 2, AT_SCALES, 2);
	struct mx_form before = *f;
	struct mx_inst in;
	mx_gfx1250.decode(f->code, f->dwords, 0, &in);
	bool reuses = in.mai.reuse[0] || in.mai.reuse[1];
	before.code[0] &= reuses ? ~(3u << 13) : ~0u;
	if (op->sparse) /* D is C */
		before.code[0] += REGS;
	bool good = expect(op, f, &x) == MX_OK && execute_after(reuses ? &before : NULL, f, true);
	for (unsigned i = 0; i < REGS * LANES && good; i++) {
		unsigned r = i / LANES, l = i % LANES;
		uint32_t got = get(place_of(AT_D, r, l));
		good = got == x.d[r][l];
		if (!good)
			diag("%s, register %u, lane %u: 0x%08X, want 0x%08X", op->name, r, l, got,
			     x.d[r][l]);
	}
	return good;
}

/* One unwritten byte of an operand leaves these results unwritten: row 0 to 31, or -1 for all; the
 * same of columns. */
static bool leaves(const struct mx_wmma *op, const struct mx_form *f, size_t byte, int in_row,
                   int in_col) {
	unsigned items = mx_wmma_result_items(op), n = mx_wmma_result_vgprs(op);
	unsigned bytes = 4 * n / items, wrong = 0, row, col;
	fill(op);
	state[byte] = 0;
	if (!execute(f, false))
		return false;
	for (unsigned i = 0; i < items; i++)
		for (unsigned l = 0; l < LANES; l++) {
			mx_wmma_result(op, l, i, &row, &col);
			bool bad = (in_row < 0 || (int)row == in_row) &&
			           (in_col < 0 || (int)col == in_col);
			size_t at = place_of(AT_D, bytes * i / 4, l) + bytes * i % 4;
			wrong += (state[at] == ALL_WRITTEN) == bad;
		}
	if (wrong)
		diag("%s: %u of %u results are wrong", op->name, wrong, items * LANES);
	return !wrong;
}

static void test_unwritten(const struct mx_wmma *op, const struct mx_form *sample) {
	struct mx_form f = *sample;
	uint32_t *w = f.code + (f.dwords == 4 ? 2 : 0);
	unsigned row, col;
	w[0] = (w[0] & ~0xffu) | V_D;
	w[1] = (w[1] & 0xf8000000) | (256 + V_A) | (256 + V_B) << 9 | (256 + V_C) << 18;
	if (f.dwords == 4)
		f.code[1] = (256 + V_SCALES) | (256 + V_SCALES + 2) << 9;
	bool wide = op->m == 32, good = leaves(op, &f, place_of(AT_B, 0, 20), -1, 4);
	if (!wide)
		good &= leaves(op, &f, place_of(AT_A, 0, 3), 3, -1);
	if (mx_type_bits(op->c) == 32) {
		mx_wmma_result(op, 17, 3, &row, &col);
		good &= leaves(op, &f, place_of(op->sparse ? AT_D : AT_C, 3, 17), (int)row,
		               (int)col);
	}
	if (op->sparse)
		good &= leaves(op, &f, place_of(AT_C, 0, 21), 5, -1);
	if (op->block) {
		good &= leaves(op, &f, place_of(AT_SCALES, 0, 5), 5, -1);
		good &= leaves(op, &f, place_of(AT_SCALES, 2, 7), -1, 7);
	}
	ok(good, "  and an unwritten byte spoils its row, column or element");
}

static void test_op(const struct mx_wmma *op, const struct mx_form *sample, unsigned rounds) {
	unsigned wrong = 0, runs = 0;
	for (unsigned tries = 0; runs < rounds && tries < 400 * rounds; tries++) {
		struct mx_form f = draw_form(*sample);
		if (!is_valid(&f))
			continue;
		runs++;
		wrong += !agrees(op, &f);
	}
	ok(runs == rounds && !wrong, "%s: %u programs", op->name, runs);
}

/* v_wmma_f32_16x16x32_f16 v[64:71], v[16:23], v[32:39], v[48:55], and with matrix_a_reuse or
 * matrix_b_reuse; then after one whose A is v[18:25]. */
static void test_reuse(void) {
	const struct mx_form first = { .code = { 0xcc600040, 0x1cc24110 }, .dwords = 2 };
	struct mx_form reuse[2] = { first, first }, other = first;
	reuse[0].code[0] |= 1 << 13;
	reuse[1].code[0] |= 1 << 14;
	other.code[1] += 2;
	fill(mx_wmma_by_name("v_wmma_f32_16x16x32_f16"));
	ok(execute_after(&first, &reuse[0], true) && execute_after(&first, &reuse[1], true) &&
	           execute_after(&other, &reuse[1], true),
	   "an operand that is that of the WMMA before may be reused");
	ok(!execute_after(&other, &reuse[0], true) && !execute_after(NULL, &reuse[0], true),
	   "  and no other one");
}

int main(void) {
	struct mx_form f;
	unsigned found = 0, all = 0;
	for (size_t i = 0; mx_form_at(&mx_gfx1250, i, &f); i++) {
		struct mx_inst in;
		mx_gfx1250.decode(f.code, f.dwords, 0, &in);
		if (!in.op || !in.mai.wmma)
			continue;
		test_op(in.mai.wmma, &f, is_long() ? 200 : 4);
		test_unwritten(in.mai.wmma, &f);
		found++;
	}
	test_reuse();
	while (mx_wmma_at(all))
		all++;
	ok(found == all, "all of %u WMMAs were found", all);
	return done_testing();
}
