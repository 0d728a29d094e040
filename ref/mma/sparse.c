/* The sparse MFMAs: A stores two of every four consecutive k, which an index selects [ISA 7.5].
 *
 * B: groups of M lanes take turns along k with 16 bytes each [ISA 7.5.1]. A: the stored items of a
 * row, packed as M x K / 2, are in consecutive lane groups, as in the dense instruction of this
 * size. Where a lane has 8 bytes of A, an item meets B of its own lane group. Where it has 16, it
 * does not: items of lane group 1 of v_smfmac_f32_16x16x128_fp8_fp8 belong to k = 32 to 63, which
 * groups 2 and 3 hold in B. The manual describes B and the index. The lanes of A are as measured on
 * MI350 for all float types and sizes [ROCm/hip-fpsan, include/fpsan/amdgcn_smfmac.hpp; its order
 * of k is another one, the items that meet are the same]. Bits 2i and 2i + 1 of a set are the index
 * of item i among its four k.
 *
 * Only stored items are multiplied, K / 2 products in the order of k (assumed for the steps of
 * a profile; the manual does not describe them). */
#include "dense.h"
#include "step.h"

#include <string.h>

enum { MAX_M = 32, MAX_K = 2 * MX_PRODUCTS, RUN_BITS = 128 };

static const struct mx_sparse rows[] = {
#define MX_SPARSE(id, m, k, a, b, d) { "v_smfmac_" #id, m, k, MX_T_##a, MX_T_##b, MX_T_##d },
#include "sparse.def"
#undef MX_SPARSE
};

const struct mx_sparse *mx_sparse_at(size_t i) {
	return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

const struct mx_sparse *mx_sparse_by_name(const char *name) {
	const struct mx_sparse *op;
	for (size_t i = 0; name && (op = mx_sparse_at(i)); i++)
		if (!strcmp(op->name, name))
			return op;
	return NULL;
}

struct mx_dense mx_sparse_packed(const struct mx_sparse *op) {
	return (struct mx_dense){ op->name, op->m, op->k / 2, 1, op->a, op->b, op->d };
}

unsigned mx_sparse_a_vgprs(const struct mx_sparse *op) {
	if (!op)
		return 0;
	struct mx_dense p = mx_sparse_packed(op);
	return mx_dense_operand_vgprs(&p);
}

unsigned mx_sparse_result_vgprs(const struct mx_sparse *op) {
	if (!op)
		return 0;
	struct mx_dense p = mx_sparse_packed(op);
	return mx_dense_result_vgprs(&p);
}

/* ---- where items are ---- */

static unsigned bits_of_item(const struct mx_sparse *op) {
	return op->a == MX_T_F16 || op->a == MX_T_BF16 ? 16 : 8;
}

unsigned mx_sparse_items(const struct mx_sparse *op) {
	return op->m * op->k / 2 / MX_LANES;
}

unsigned mx_sparse_position(const struct mx_sparse *op, unsigned lane, unsigned item) {
	return lane / op->m * mx_sparse_items(op) + item;
}

unsigned mx_sparse_k(const struct mx_sparse *op, unsigned lane, unsigned item) {
	unsigned n = RUN_BITS / bits_of_item(op);
	return (item / n * (MX_LANES / op->m) + lane / op->m) * n + item % n;
}

struct operands {
	uint64_t a[MAX_M][MX_PRODUCTS], b[MAX_M][MAX_K]; /* b by column */
	uint8_t k[MAX_M][MX_PRODUCTS];                   /* of a */
};

/* The first index of the set: ABID chooses the set if CBSZ is 0, else it is the first. For the wide
 * 16-bit forms the manual's text gives 8 bits, its table the 16 that the items need. */
static unsigned first_index(const struct mx_sparse_args *g, unsigned items) {
	unsigned sets = 16 / items;
	return g->cbsz & 3 ? 0 : g->abid % sets * items;
}

static unsigned index_of(const struct mx_sparse_args *g, unsigned lane, unsigned n) {
	return g->index[lane] >> 2 * n & 3;
}

/* Whether each pair of indices ascends, as the manual requires. */
static bool indices_ascend(const struct mx_sparse_args *g, unsigned items) {
	unsigned first = first_index(g, items);
	for (unsigned lane = 0; lane < MX_LANES; lane++)
		for (unsigned i = first; i < first + items; i += 2)
			if (index_of(g, lane, i) >= index_of(g, lane, i + 1))
				return false;
	return true;
}

static void load_indices(struct operands *x, const struct mx_sparse_args *g) {
	const struct mx_sparse *op = g->op;
	unsigned items = mx_sparse_items(op), first = first_index(g, items);
	for (unsigned lane = 0; lane < MX_LANES; lane++)
		for (unsigned i = 0; i < items; i++) {
			unsigned p = mx_sparse_position(op, lane, i);
			x->k[lane % op->m][p] = p / 2 * 4 + index_of(g, lane, first + i);
		}
}

static void load_items(struct operands *x, const struct mx_sparse_args *g) {
	const struct mx_sparse *op = g->op;
	unsigned bits = bits_of_item(op), items = mx_sparse_items(op);
	for (unsigned lane = 0; lane < MX_LANES; lane++) {
		unsigned mn = lane % op->m;
		for (unsigned i = 0; i < items; i++)
			x->a[mn][mx_sparse_position(op, lane, i)] =
				mx_get_item(g->a, bits, lane, i);
		for (unsigned i = 0; i < 2 * items; i++)
			x->b[mn][mx_sparse_k(op, lane, i)] = mx_get_item(g->b, bits, lane, i);
	}
}

/* ---- the instruction ---- */

/* The results with a bit in lanes[item], one by one. */
static void some_plain(const struct mx_sparse_args *g, struct operands *x, const uint64_t *lanes) {
	struct mx_dense op = mx_sparse_packed(g->op);
	struct mx_dense_args dense = { .op = &op, .profile = g->profile, .clamp = g->clamp };
	unsigned items = mx_dense_result_items(&op), block, row, col;
	uint64_t b[MX_PRODUCTS];
	load_items(x, g);
	for (unsigned lane = 0; lane < MX_LANES; lane++)
		for (unsigned i = 0; i < items; i++) {
			if (!(lanes[i] >> lane & 1))
				continue;
			mx_dense_result(&op, lane, i, &block, &row, &col);
			for (unsigned p = 0; p < op.k; p++)
				b[p] = x->b[col][x->k[row][p]];
			g->d[i][lane] = mx_dense_dot(&dense, x->a[row], b, g->d[i][lane]);
		}
}

static void run(const struct mx_sparse_args *g, bool plain) {
	struct mx_dense op = mx_sparse_packed(g->op);
	struct operands x;
	uint64_t again[MX_DENSE_RESULTS] = { 0 }, any = 0;
	struct mx_products products = { .op = &op,
		                        .profile = g->profile,
		                        .a = g->a,
		                        .b = g->b,
		                        .c = (const uint32_t(*)[MX_LANES])g->d,
		                        .d = g->d,
		                        .clamp = g->clamp,
		                        .lanes = MX_LANES,
		                        .run_a = mx_sparse_items(g->op),
		                        .run_b = RUN_BITS / bits_of_item(g->op),
		                        .k_of_b = x.k };
	load_indices(&x, g);
	if (plain || !mx_profile_is_basic(g->profile) || !mx_mma_by_doubles(&products, again))
		memset(again, 0xff, sizeof again);
	for (unsigned i = 0; i < MX_DENSE_RESULTS; i++)
		any |= again[i];
	if (any)
		some_plain(g, &x, again);
}

static mx_status check(const struct mx_sparse_args *g) {
	if (!g || !g->op || !g->a || !g->b || !g->index || !g->d || !g->profile)
		return MX_BAD_POINTER;
	if (!indices_ascend(g, mx_sparse_items(g->op)))
		return MX_BAD_OPTION;
	return mx_profile_check(g->profile);
}

mx_status mx_mma_sparse(const struct mx_sparse_args *g) {
	mx_status status = check(g);
	if (status == MX_OK)
		run(g, false);
	return status;
}

mx_status mx_mma_sparse_plain(const struct mx_sparse_args *g) {
	mx_status status = check(g);
	if (status == MX_OK)
		run(g, true);
	return status;
}
