/* Every form of every opcode of the vector ALU and of matrix instructions, with random registers,
 * some of them unwritten: operands that are taken by the shorter way, and results that earlier
 * launches kept, leave the same as the general way.
 *
 *   shorter_ways_test.t SEED ROUNDS */
#include "both_ways.h"
#include "form_program.h"

static unsigned tried, differ, simple, known;

static const uint32_t float_mode[] = {
	0xb9143801, /* s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s20 */
};

/* Operands that are loaded: v0 to v15, s16 to s31 and constants. */
static struct mx_form with_operands(struct mx_form f, uint64_t r) {
	static const uint16_t sources[] = { 256, 260, 265, 271, 16, 21, 128, 193, 242, 106 };
	struct mx_form v = f;
	struct mx_inst in;
	v.code[0] = (v.code[0] & ~0x1ffu) | sources[r % 10];
	mx_gfx950.decode(v.code, v.dwords, 0, &in);
	return f.dwords == 1 && in.op && !in.unsupported && in.size == 4 ? v : f;
}

/* A matrix instruction with A from v0, B from v8, C and D from v16, and scales in v28 and v30. MX
 * formats are E2M1, which has no NaN. */
static struct mx_form with_matrices(struct mx_form f) {
	struct mx_form v = f;
	struct mx_inst in;
	uint32_t *w = v.code + v.dwords - 2;
	w[0] = (w[0] & ~0xffu) | 16;
	w[1] = (w[1] & 0xf8000000) | 256 | (256 + 8) << 9 | (256 + 16) << 18;
	if (strstr(f.opcode, "f8f6f4")) {
		w[0] |= MX_E2M1 << 8;
		w[1] |= (uint32_t)MX_E2M1 << 29;
	}
	if (v.dwords == 4)
		v.code[1] = (v.code[1] & ~0x3ffffu) | (256 + 28) | (256 + 30) << 9;
	mx_gfx950.decode(v.code, v.dwords, 0, &in);
	return in.op && !in.unsupported && in.operand[MX_AT_SRC2].dwords <= 16 ? v : f;
}

static void make_program(struct code *c, const struct mx_form *f, uint64_t r) {
	c->bytes = 0;
	APPEND(c, prologue);
	if (r % 3 == 0)
		APPEND(c, one_exec);
	if (r / 4 % 8 == 0)
		APPEND(c, float_mode);
	append(c, f->code, 4 * f->dwords);
	append(c, f->code, 4 * f->dwords);
	APPEND(c, epilogue);
}

static void report(const struct mx_form *f, const char *what, const char *when) {
	char text[200];
	tried++;
	if (!what || differ++ >= 5)
		return;
	mx_gfx950.disassemble(f->code, f->dwords, 0, text, sizeof text);
	diag("%s differ %s: %s", what, when, text);
}

/* Where a byte of an operand is loaded from: four registers of a lane after those of another. Of a
 * scale it is the byte that the samples select. */
static size_t place_in(const struct mx_operand *o, uint64_t r) {
	unsigned v = o->code - MX_VGPR + r % o->dwords, lane = r / 256 % 64;
	return v / 4 * 1024 + 16 * lane + v % 4 * 4 + (o->dwords > 1 ? r / 16384 % 4 : 2);
}

static void try_change(struct machine *m, const struct code *c, const struct mx_form *f,
                       struct mx_products *products, const char *when) {
	m->launch.products = products;
	run_way(m, c->dwords, c->bytes, false, &together);
	m->launch.products = NULL;
	run_way(m, c->dwords, c->bytes, true, &one_by_one);
	report(f, difference(&one_by_one, &together), when);
}

/* With what the launch before has kept; then with one bit of each operand that is another, and
 * under another profile. */
static void try_matrix(struct machine *m, const struct code *c, const struct mx_form *f,
                       const struct mx_inst *in, uint64_t random) {
	struct mx_products *products = m->launch.products = mx_products_new();
	run_way(m, c->dwords, c->bytes, false, &together);
	report(f, difference(&one_by_one, &together), "when kept");
	for (unsigned i = 0; i <= MX_AT_SCALE_B; i++) {
		const struct mx_operand *o = &in->operand[i];
		m->launch.products = products;
		run_way(m, c->dwords, c->bytes, false, &together);
		known += together.report.stats.known != 0;
		if (!o->dwords || o->code < MX_VGPR || o->code + o->dwords > MX_VGPR + VGPRS)
			continue;
		uint64_t r = next_random(&random);
		initial[place_in(o, r)] ^= 1u << r / 65536 % 8;
		try_change(m, c, f, products, "after a change");
	}
	m->launch.profile = mx_profile_by_name("fma32");
	try_change(m, c, f, products, "under another profile");
	m->launch.profile = mx_profile_by_name("block32");
	mx_products_free(products);
}

static void try_form(struct machine *m, struct mx_form f, uint64_t random) {
	struct code c;
	struct mx_inst in;
	uint64_t r = next_random(&random);
	mx_gfx950.decode(f.code, f.dwords, 0, &in);
	f = mx_is_matrix(in.op) ? with_matrices(f) : with_operands(f, next_random(&random));
	mx_gfx950.decode(f.code, f.dwords, 0, &in);
	make_program(&c, &f, r);
	fill_initial(&random, USED);
	for (unsigned i = r / 32 % 4 ? 0 : 2; i--;) /* of v0 to v15 */
		initial_state[next_random(&random) % 4096] &= ~MX_WRITTEN;
	m->launch.seed = r;
	simple += in.simple;
	report(&f, compare_ways(m, c.dwords, c.bytes), "by the shorter way");
	if (mx_is_matrix(in.op))
		try_matrix(m, &c, &f, &in, next_random(&random));
}

static bool is_wanted(const struct mx_form *f) {
	struct mx_inst in;
	mx_gfx950.decode(f->code, f->dwords, 0, &in);
	return f->dwords && in.op && !in.unsupported &&
	       (in.op->unit == MX_UNIT_VALU || mx_is_matrix(in.op));
}

static void try_forms(uint64_t *random) {
	struct machine m = machine();
	struct mx_form f;
	whole.size = USED;
	m.kernel.lds_bytes = 2048;
	m.kernel.scratch_bytes = 64;
	for (size_t i = 0; mx_form_at(&mx_gfx950, i, &f); i++)
		if (is_wanted(&f))
			try_form(&m, f, next_random(random));
	mx_report_free(&m.report);
}

int main(int argc, char **argv) {
	uint64_t random = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	for (unsigned n = 4 * rounds_of(argc, argv, 30, 4500); n--;)
		try_forms(&random);
	ok(tried > 500 && !differ, "%u launches leave the same by the shorter way", tried);
	ok(simple > 300, "of them %u have simple operands", simple);
	ok(known > 20, "and %u take results that were kept", known);
	end_both_ways();
	return done_testing();
}
