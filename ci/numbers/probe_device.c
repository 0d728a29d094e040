/* Dots in registers: dot i of a tile is its row i of A, column i of B and element (i, i) of D. */
#include "probe_device.h"
#include "../../ref/mma/dense.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILES = 512, MOST_DOTS = 64, MOST_ITEMS = 32 };

/* An instruction: registers of a lane, and dots of a tile. */
struct tile {
	const struct mx_dense *op;      /* NULL: scaled */
	const struct mx_sparse *sparse; /* or NULL; op is then `packed` */
	struct mx_dense packed;
	mx_shape shape;
	const struct mx_probe_insn *insn;
	unsigned items, n_a, n_b, n_d, dots;
	unsigned words; /* registers of an item of C and D */
};

static mx_format format_of(const struct mx_format_info *t) {
	mx_format f = MX_E4M3;
	mx_format_by_name(t->name, &f);
	return f;
}

static void make_tile(struct tile *t, const struct mx_probe_insn *insn) {
	*t = (struct tile){ .insn = insn,
		            .op = mx_dense_by_name(insn->name),
		            .sparse = mx_sparse_by_name(insn->name),
		            .shape = insn->k == 128 ? MX_16X16X128 : MX_32X32X64,
		            .words = mx_probe_result_bytes(insn) / 4 };
	if (t->sparse) {
		t->packed = mx_sparse_packed(t->sparse);
		t->op = &t->packed;
	}
	unsigned mn = t->op ? t->op->m : mx_shape_mn(t->shape);
	t->items = t->op ? mx_dense_operand_items(t->op) : MX_BLOCK;
	t->n_a = t->op ? mx_dense_operand_vgprs(t->op) : mx_operand_vgprs(format_of(insn->a));
	t->n_b = t->sparse ? 2 * t->n_a : t->op ? t->n_a : mx_operand_vgprs(format_of(insn->b));
	t->n_d = t->op ? mx_dense_result_vgprs(t->op) : mn * mn / MX_LANES;
	t->dots = t->op ? mn * t->op->blocks : mn;
}

/* The dot and k of an item of an operand. */
static void place(const struct tile *t, const struct mx_format_info *f, unsigned lane,
                  unsigned item, unsigned *dot, unsigned *k) {
	unsigned block = 0;
	if (t->op)
		mx_dense_operand(t->op, lane, item, &block, dot, k);
	else
		mx_layout_operand(t->shape, format_of(f), lane, item, dot, k);
	*dot += t->op ? block * t->op->m : 0;
}

/* The two of four k of a pair of stored items: all six choices occur. */
static unsigned choice(unsigned pair) {
	static const uint8_t choices[] = { 0x4, 0x8, 0xC, 0x9, 0xD, 0xE };
	return choices[pair % 6];
}

/* The index register of a lane; the items of a lane are set 0. */
static uint32_t index_of(const struct tile *t, unsigned lane) {
	uint32_t index = 0;
	for (unsigned i = 0; i < t->items; i += 2)
		index |= (uint32_t)choice(mx_sparse_position(t->sparse, lane, i) / 2) << 2 * i;
	return index;
}

/* The product for which an item of B of a sparse instruction is selected; MX_PROBE_K: none. */
static unsigned selected(const struct tile *t, unsigned lane, unsigned item) {
	unsigned k = mx_sparse_k(t->sparse, lane, item), pair = k / 4, of_two = choice(pair);
	return k % 4 == (of_two & 3)    ? 2 * pair
	       : k % 4 == (of_two >> 2) ? 2 * pair + 1
	                                : MX_PROBE_K;
}

/* As place(), of an operand of any instruction. */
static void place_a(const struct tile *t, unsigned lane, unsigned item, unsigned *dot,
                    unsigned *k) {
	place(t, t->insn->a, lane, item, dot, k);
	if (t->sparse)
		*k = mx_sparse_position(t->sparse, lane, item);
}

static void place_b(const struct tile *t, unsigned lane, unsigned item, unsigned *dot,
                    unsigned *k) {
	if (!t->sparse) {
		place(t, t->insn->b, lane, item, dot, k);
		return;
	}
	*dot = lane % t->op->m;
	*k = selected(t, lane, item);
}

/* The dot of a register of C or D, or MOST_DOTS if it is not on the diagonal; *shift is the place
 * of its bits in the result. */
static unsigned place_result(const struct tile *t, unsigned lane, unsigned r, unsigned *shift) {
	unsigned block = 0, row, col;
	*shift = r % t->words * 32;
	if (t->op)
		mx_dense_result(t->op, lane, r / t->words, &block, &row, &col);
	else
		mx_layout_result(t->shape, lane, r, &row, &col);
	return row != col ? MOST_DOTS : row + (t->op ? block * t->op->m : 0);
}

/* The device's memory of a launch, and its copy here. */
struct images {
	uint32_t *a, *b, *c, *sa, *sb; /* of a, all in one allocation */
	size_t words;
};

static void put_code(uint32_t *regs, unsigned lane, unsigned bits, unsigned item, uint64_t code) {
	unsigned at = bits * item / 32, shift = bits * item % 32;
	regs[at * MX_LANES + lane] |= (uint32_t)(code << shift);
	if (shift + bits > 32)
		regs[(at + 1) * MX_LANES + lane] |= (uint32_t)(code >> (32 - shift));
}

static void fill_tile(const struct tile *t, const struct images *x, size_t tile,
                      const struct mx_probe_dot *dots, size_t n) {
	const struct mx_format_info *fa = t->insn->a, *fb = t->insn->b;
	unsigned dot, k, block, shift;
	for (unsigned lane = 0; lane < MX_LANES; lane++) {
		for (unsigned i = 0; i < t->items; i++) {
			place_a(t, lane, i, &dot, &k);
			put_code(x->a + tile * t->n_a * MX_LANES, lane, fa->bits, i,
			         dot < n ? dots[dot].a[k] : 0);
		}
		for (unsigned i = 0; i < (t->sparse ? 2 : 1) * t->items; i++) {
			place_b(t, lane, i, &dot, &k);
			put_code(x->b + tile * t->n_b * MX_LANES, lane, fb->bits, i,
			         dot < n && k < t->insn->k ? dots[dot].b[k] : 0);
		}
		for (unsigned r = 0; r < t->n_d; r++) {
			dot = place_result(t, lane, r, &shift);
			x->c[(tile * t->n_d + r) * MX_LANES + lane] =
				dot < n ? (uint32_t)(dots[dot].c >> shift) : 0;
		}
		if (!t->op)
			mx_layout_scale(t->shape, lane, &dot, &block);
		bool scaled = !t->op && dot < n;
		x->sa[tile * MX_LANES + lane] = t->sparse ? index_of(t, lane)
		                                : scaled  ? dots[dot].sa[block]
		                                          : 127;
		x->sb[tile * MX_LANES + lane] = scaled ? dots[dot].sb[block] : 127;
	}
}

static bool make_images(const struct tile *t, size_t tiles, struct images *x) {
	size_t lanes = tiles * MX_LANES;
	x->words = lanes * (t->n_a + t->n_b + t->n_d + 2);
	x->a = calloc(x->words, sizeof *x->a);
	x->b = x->a + lanes * t->n_a;
	x->c = x->b + lanes * t->n_b;
	x->sa = x->c + lanes * t->n_d;
	x->sb = x->sa + lanes;
	return x->a;
}

static void take_results(const struct tile *t, const uint32_t *image, size_t n, uint64_t *d) {
	memset(d, 0, n * sizeof *d);
	for (size_t tile = 0; tile * t->dots < n; tile++)
		for (unsigned lane = 0; lane < MX_LANES; lane++)
			for (unsigned r = 0; r < t->n_d; r++) {
				unsigned shift, dot = place_result(t, lane, r, &shift);
				uint64_t x = image[(tile * t->n_d + r) * MX_LANES + lane];
				if (dot < MOST_DOTS && tile * t->dots + dot < n)
					d[tile * t->dots + dot] |= x << shift;
			}
}

/* ---- launches ---- */

struct probe_args {
	const void *a, *b, *c, *sa, *sb;
	void *d;
};

/* Uploads the images, launches, and reads D into the image of C. */
static int launch(struct mx_device *device, struct mx_module *m, const struct tile *t, size_t tiles,
                  struct images *x, struct mx_why *why) {
	const struct mx_geometry g = { .grid = { (uint32_t)tiles, 1, 1 },
		                       .block = { MX_LANES, 1, 1 } };
	const struct mx_around alone = { .time_out = 60 };
	size_t bytes = x->words * sizeof *x->a, result = tiles * t->n_d * MX_LANES * sizeof *x->c;
	uint32_t *in, *out = NULL;
	void *p = NULL, *q = NULL;
	int status = mx_device_alloc(device, bytes, &p, why) ||
	             mx_device_alloc(device, result, &q, why) ||
	             mx_device_upload(device, p, x->a, bytes, why);
	in = p;
	out = q;
	struct probe_args args = { in,
		                   in + (x->b - x->a),
		                   in + (x->c - x->a),
		                   in + (x->sa - x->a),
		                   in + (x->sb - x->a),
		                   out };
	status = status || mx_module_launch(m, &g, &args, sizeof args, &alone, why) ||
	         mx_device_download(device, x->c, out, result, why);
	if (p)
		mx_device_free(device, p);
	if (q)
		mx_device_free(device, q);
	return status;
}

static int run_tiles(struct mx_device *device, struct mx_module *m, const struct tile *t,
                     const struct mx_probe_dot *dots, size_t n, uint64_t *d, struct mx_why *why) {
	size_t tiles = (n + t->dots - 1) / t->dots;
	struct images x;
	if (!make_images(t, tiles, &x)) {
		snprintf(why->text, sizeof why->text, "out of memory");
		return -1;
	}
	for (size_t i = 0; i < tiles; i++)
		fill_tile(t, &x, i, dots + i * t->dots, n - i * t->dots);
	int status = launch(device, m, t, tiles, &x, why);
	if (!status)
		take_results(t, x.c, n, d);
	free(x.a);
	return status;
}

int mx_probe_run(struct mx_device *device, const char *co, const struct mx_probe_insn *insn,
                 const struct mx_probe_dot *dots, uint64_t seed, uint64_t first, size_t n,
                 uint64_t *d, struct mx_error *err) {
	struct tile t;
	struct mx_module *m;
	struct mx_why why;
	make_tile(&t, insn);
	size_t most = (size_t)TILES * t.dots;
	struct mx_probe_dot *own = dots ? NULL : malloc(most * sizeof *own);
	int status = dots || own ? 0 : mx_fail(err, "out of memory");
	if (!status && mx_module_load(device, co, insn->name, &m, &why)) {
		free(own);
		return mx_fail(err, "%s", why.text);
	}
	for (size_t at = 0; !status && at < n; at += most) {
		size_t now = n - at < most ? n - at : most;
		for (size_t i = 0; own && i < now; i++)
			mx_probe_random(insn, seed, first + at + i, &own[i]);
		if (run_tiles(device, m, &t, own ? own : dots + at, now, d + at, &why))
			status = mx_fail(err, "%s: %s", insn->name, why.text);
	}
	if (dots || own)
		mx_module_unload(m);
	free(own);
	return status;
}
