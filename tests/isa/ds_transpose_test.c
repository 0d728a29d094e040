/* Transposing reads as a GEMM uses them: they read a matrix with N contiguous in LDS as the operand
 * of an MFMA. */
#include "ds_scene.h"

/* A is [M][K] and B [K][N] of elements of `bits`; n is M or N, and one instruction has all `k`.
 * Lane l of the operand holds row (column) l % n and a range of consecutive k, in the order of
 * lanes [ISA 7.1.4]. Each case needs two reads [ISA 11.4]. */
struct operand {
	const char *mfma;
	unsigned bits, n, k;
	const uint32_t *read;
};

static const uint32_t read_b16[] = {
	0xd9c60000, 0x08000001, /* ds_read_b64_tr_b16 v[8:9], v1 */
};
static const uint32_t read_b8[] = {
	0xd9c40000, 0x08000001, /* ds_read_b64_tr_b8 v[8:9], v1 */
};
static const uint32_t read_b6[] = {
	0xd9c20000, 0x08000001, /* ds_read_b96_tr_b6 v[8:10], v1 */
};
static const uint32_t read_b4[] = {
	0xd9c00000, 0x08000001, /* ds_read_b64_tr_b4 v[8:9], v1 */
};

static const struct operand operands[] = {
	{ "32x32x16 of 16 bits", 16, 32, 16, read_b16 },
	{ "16x16x32 of 16 bits", 16, 16, 32, read_b16 },
	{ "32x32x32 of 8 bits", 8, 32, 32, read_b8 },
	{ "16x16x64 of 8 bits", 8, 16, 64, read_b8 },
	{ "32x32x64 of 6 bits", 6, 32, 64, read_b6 },
	{ "16x16x128 of 6 bits", 6, 16, 128, read_b6 },
	{ "32x32x64 of 4 bits", 4, 32, 64, read_b4 },
	{ "16x16x128 of 4 bits", 4, 16, 128, read_b4 },
};

static uint32_t element(const struct operand *o, unsigned k, unsigned n) {
	uint32_t v = 0;
	for (unsigned i = 0, at = (k * o->n + n) * o->bits; i < o->bits; i++, at++)
		v |= (uint32_t)(scene->lds[at / 8] >> at % 8 & 1) << i;
	return v;
}

static void put_item(unsigned lane, unsigned item, unsigned bits, uint32_t v) {
	for (unsigned i = 0, at = item * bits; i < bits; i++, at++) {
		uint32_t *d = &want_v8[lane][at / 32];
		*d = (*d & ~(1u << at % 32)) | (v >> i & 1) << at % 32;
	}
}

/* Sixteen lanes address the rows of their k, with as many lanes per row as 16 elements need. */
static unsigned aim(const struct operand *o, unsigned lane, unsigned first) {
	unsigned read = o->bits == 6 ? 96 : 64, to_a_row = 16 * o->bits / read;
	unsigned row = first + lane % 16 / to_a_row;
	unsigned column = lane / 16 * 16 % o->n + lane % to_a_row * (16 / to_a_row);
	return (row * o->n + column) * o->bits / 8;
}

static void test_operand(struct machine *m, const struct operand *o) {
	unsigned share = o->k * o->n / 64, items = (o->bits == 6 ? 96 : 64) / o->bits;
	bool right = share == 2 * items;
	for (unsigned part = 0; part < 2; part++) {
		set_scene();
		want_no_change();
		for (unsigned l = 0; l < LANES; l++) {
			unsigned first = share * (l / o->n) + items * part;
			scene->v1[l] = aim(o, l, first);
			for (unsigned i = 0; i < items; i++)
				put_item(l, i, o->bits, element(o, first + i, l % o->n));
		}
		run_op(m, o->read, 8);
		right = right && as_wanted(o->mfma) && no_findings(m);
	}
	if (!ok(right, "two transposing reads make the operand of %s", o->mfma))
		show_findings(m);
}

/* ---- independent addresses: the 16 lanes may read anywhere ---- */

static const uint32_t op_b8[] = {
	0xd9c40008, 0x08000001, /* ds_read_b64_tr_b8 v[8:9], v1 offset:8 */
};

static void test_anywhere(struct machine *m) {
	set_scene();
	for (unsigned l = 0; l < LANES; l++)
		scene->v1[l] = (uint32_t)next_random(&seed) % 500 * 8;
	want_no_change();
	for (unsigned l = 0; l < LANES; l++)
		for (unsigned i = 0; i < 8; i++) {
			unsigned byte = 16 * i + l % 16, from = l / 16 * 16 + byte / 8;
			put_item(l, i, 8, scene->lds[scene->v1[from] + 8 + byte % 8]);
		}
	RUN_OP(m, op_b8);
	ok(as_wanted("ds_read_b64_tr_b8") && no_findings(m),
	   "each lane reads from its own address");
}

/* ---- undefined uses ---- */

static const uint32_t op_b6_odd[] = {
	0xd9c20000, 0x09000001, /* ds_read_b96_tr_b6 v[9:11], v1 */
};

static void test_undefined(struct machine *m) {
	set_scene();
	scene->exec = ~1ull;
	RUN_OP(m, op_b8);
	ok(found(m, MX_UNSUPPORTED, sizeof prologue), "an inactive lane stops");
	set_scene();
	scene->v1[40] += 4;
	RUN_OP(m, op_b8);
	ok(found(m, MX_UNSUPPORTED, sizeof prologue), "an unaligned address stops");
	set_scene();
	scene->v1[40] += 4;
	RUN_OP(m, op_b6_odd);
	ok(no_findings(m), "6 bits: alignment to dwords and odd registers are accepted");
	set_scene();
	memset(scene->lds, 0x77, LDS_BYTES);
	scene->v1[3] = LDS_BYTES;
	want_no_change();
	RUN_OP(m, op_b8);
	ok(found(m, MX_BOUNDS_READ, sizeof prologue) && only_finding(m)->lane == 3 &&
	           !(scene->v8_after[14][0] >> 8 & 0xff) && (scene->v8_after[14][0] & 0xff),
	   "a lane out of range is reported, and its elements are 0");
}

int main(void) {
	struct machine m = scene_machine();
	for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
		test_operand(&m, &operands[i]);
	test_anywhere(&m);
	test_undefined(&m);
	mx_report_free(&m.report);
	return done_testing();
}
