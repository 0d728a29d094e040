/* Tables that a reference draws: pages and lengths, tokens sorted by expert. */
#include "case_file.h"

static const char text[] = "name: paged\n"
			   "kernel: paged\n"
			   "grid: [1]\n"
			   "block: [64]\n"
			   "buffers:\n"
			   "  - {name: Q, role: none, type: f32, rows: M, cols: 8}\n"
			   "  - {name: C, role: none, type: f32, rows: 4 * K, cols: 8}\n"
			   "  - {name: V, role: none, type: f32, rows: 4 * K, cols: 8}\n"
			   "  - {name: T, role: none, type: i32, rows: M, cols: N}\n"
			   "  - {name: L, role: none, type: u32, rows: 1, cols: M}\n"
			   "  - {name: O, role: none, type: f32, rows: M, cols: 8}\n"
			   "reference: {op: attention, q: Q, k: C, v: V, o: O, batch: M, pages: T, "
			   "page: 4, lengths: L}\n"
			   "kernarg: []\n"
			   "verdict: {judge: bound}\n"
			   "runs:\n"
			   "  - {M: 1, N: 1, K: 1, regime: general}\n";

static const char moe[] =
	"name: moe\n"
	"kernel: moe\n"
	"grid: [1]\n"
	"block: [64]\n"
	"buffers:\n"
	"  - {name: X, role: none, type: f32, rows: M, cols: 8}\n"
	"  - {name: W1, role: none, type: f32, rows: 4 * N, cols: 8}\n"
	"  - {name: W2, role: none, type: f32, rows: 8 * N, cols: 2}\n"
	"  - {name: T, role: none, type: u32, rows: 1, cols: 2 * M + 8 * N}\n"
	"  - {name: E, role: none, type: i32, rows: 1, cols: (2 * M + 8 * N) / 8}\n"
	"  - {name: C, role: none, type: u32, rows: 1, cols: 2}\n"
	"  - {name: R, role: none, type: f32, rows: 1, cols: 2 * M + 8 * N}\n"
	"  - {name: O, role: none, type: f32, rows: M, cols: 8}\n"
	"reference: {op: moe, x: X, w1: W1, w2: W2, tokens: T, experts: E, count: C, routing: R, "
	"o: O, "
	"topk: 2, n_experts: N, tile: 8IDS}\n"
	"kernarg: []\n"
	"verdict: {judge: bound}\n"
	"runs:\n"
	"  - {M: 1, N: 2, K: 1, regime: general}\n";

static const char list[] =
	"name: listed\n"
	"kernel: listed\n"
	"grid: [1]\n"
	"block: [64]\n"
	"buffers:\n"
	"  - {name: Q, role: none, type: f32, rows: M, cols: 8}\n"
	"  - {name: C, role: none, type: f32, rows: 4 * K, cols: 8}\n"
	"  - {name: T, role: none, type: i32, rows: 1, cols: N}\n"
	"  - {name: B, role: none, type: i32, rows: 1, cols: M + 1}\n"
	"  - {name: L, role: none, type: i32, rows: 1, cols: M}\n"
	"  - {name: O, role: none, type: f32, rows: M, cols: 6}\n"
	"reference: {op: attention, q: Q, k: C, v: C, width: 6, o: O, batch: M, pages: T, page: 4, "
	"page_begin: B, last_page: L}\n"
	"kernarg: []\n"
	"verdict: {judge: bound}\n"
	"runs:\n"
	"  - {M: 1, N: 1, K: 1, regime: general}\n";

struct drawn {
	struct mx_case *c;
	struct mx_data data;
	const int32_t *pages;
	const uint32_t *lengths;
};

static struct drawn draw_case(const char *yaml, unsigned rows, unsigned cols, unsigned pages,
                              uint64_t seed) {
	struct drawn d;
	struct mx_plan p;
	struct mx_error err;
	if (load(yaml, &d.c, &err) ||
	    mx_plan_make(d.c, rows, cols, pages, MX_REGIME_GENERAL, &p, &err) ||
	    mx_data_make(&p, seed, &d.data, &err)) {
		fprintf(stderr, "table_test: %s\n", err.text);
		exit(2);
	}
	d.pages = (const int32_t *)d.data.bytes[3];
	d.lengths = (const uint32_t *)d.data.bytes[4];
	return d;
}

static struct drawn draw(unsigned rows, unsigned cols, unsigned pages, uint64_t seed) {
	return draw_case(text, rows, cols, pages, seed);
}

static void release(struct drawn *d) {
	mx_data_free(&d->data);
	mx_case_free(d->c);
}

/* How many of n numbers below `below` differ. */
static unsigned distinct(const int32_t *x, unsigned n, int32_t below) {
	bool has[256] = { false };
	unsigned different = 0;
	for (unsigned i = 0; i < n; i++) {
		if (x[i] < 0 || x[i] >= below)
			return 0;
		different += !has[x[i]];
		has[x[i]] = true;
	}
	return different;
}

static void test_lists(void) {
	for (unsigned total = 9; total <= 60; total += 51) {
		struct drawn d = draw_case(list, 9, total, 64, 1);
		const int32_t *pages = (const int32_t *)d.data.bytes[2],
			      *begin = (const int32_t *)d.data.bytes[3],
			      *last = (const int32_t *)d.data.bytes[4];
		bool rising = begin[0] == 0 && begin[9] == (int32_t)total, right = last[0] == 4;
		int32_t longest = 0;
		for (unsigned i = 0; i < 9; i++) {
			rising &= begin[i + 1] > begin[i];
			right &= last[i] >= 1 && last[i] <= 4;
			longest = begin[i + 1] - begin[i] > longest ? begin[i + 1] - begin[i]
			                                            : longest;
		}
		ok(rising && distinct(pages, total, 64) == total,
		   "%u pages of 9 batches: each batch has its own, none has no page", total);
		ok(right && (total == 9 ? longest == 1 : longest > 7),
		   "last pages have a key at least; lists differ in length");
		release(&d);
	}
}

/* The tables of TOKENS tokens that have 2 of EXPERTS experts each. */
enum { TOKENS = 37, EXPERTS = 6, SORTED = 2 * TOKENS + 8 * EXPERTS };

struct tables {
	uint32_t id[SORTED], count[2];
	int32_t expert[SORTED / 8];
	float weight[SORTED];
};

static struct tables sorted(const char *ids, mx_regime regime, uint64_t seed) {
	static char edited_text[sizeof moe + 32];
	struct tables t;
	struct mx_case *c;
	struct mx_data data;
	struct mx_plan p;
	struct mx_error err;
	const char *at = strstr(moe, "IDS");
	snprintf(edited_text, sizeof edited_text, "%.*s%s%s", (int)(at - moe), moe, ids, at + 3);
	if (load(edited_text, &c, &err) || mx_plan_make(c, TOKENS, EXPERTS, 1, regime, &p, &err) ||
	    mx_data_make(&p, seed, &data, &err)) {
		fprintf(stderr, "table_test: %s\n", err.text);
		exit(2);
	}
	memcpy(t.id, data.bytes[3], sizeof t.id);
	memcpy(t.expert, data.bytes[4], sizeof t.expert);
	memcpy(t.count, data.bytes[5], sizeof t.count);
	memcpy(t.weight, data.bytes[6], sizeof t.weight);
	mx_data_free(&data);
	mx_case_free(c);
	return t;
}

struct sorted {
	bool all, ordered, padded, weighted, same;
};

static void look(uint64_t seed, struct sorted *x) {
	struct tables t = sorted("", MX_REGIME_GENERAL, seed),
		      flat = sorted(", ids: flat", MX_REGIME_GENERAL, seed);
	unsigned seen[TOKENS] = { 0 }, of[TOKENS][2] = { 0 }, last = 0;
	for (unsigned i = 0; i < SORTED; i++) {
		uint32_t token = t.id[i] & 0xffffff, slot = t.id[i] >> 24;
		bool padding = token == TOKENS;
		x->padded &= padding ? slot == 2 : slot < 2 && i < t.count[0];
		x->weighted &= padding ? t.weight[i] == 0 : t.weight[i] > 0 && t.weight[i] <= 1;
		x->same &= flat.id[i] == (padding ? 2 * TOKENS : token * 2 + slot);
		x->ordered &= padding || i % 8 == 0 || token > last;
		last = padding ? last : token;
		if (!padding) {
			seen[token] |= 1u << slot;
			of[token][slot] = (unsigned)t.expert[i / 8];
		}
	}
	for (unsigned i = 0; i < TOKENS; i++)
		x->all &= seen[i] == 3 && of[i][0] != of[i][1] && of[i][0] < EXPERTS &&
		          of[i][1] < EXPERTS;
	for (unsigned i = 1; i < SORTED / 8; i++)
		x->ordered &=
			i * 8 < t.count[0] ? t.expert[i] >= t.expert[i - 1] : t.expert[i] == -1;
	x->ordered &= t.expert[0] >= 0;
	x->padded &= t.count[0] % 8 == 0 && t.count[1] == TOKENS;
}

/* Weights that are powers of two. */
static unsigned powers(mx_regime regime) {
	struct tables t = sorted("", regime, 1);
	unsigned n = 0;
	for (unsigned i = 0; i < SORTED; i++)
		n += t.weight[i] == 0.25F || t.weight[i] == 0.5F || t.weight[i] == 1;
	return n;
}

static void test_sorted(void) {
	struct sorted x = { true, true, true, true, true };
	for (uint64_t seed = 1; seed <= 20; seed++)
		look(seed, &x);
	ok(x.all, "every token has two different experts");
	ok(x.ordered, "tokens are in order in a tile, tiles by expert");
	ok(x.padded, "what is left of tiles, and after the last one, is padding");
	ok(x.weighted, "weights are in (0, 1], and 0 in padding");
	ok(powers(MX_REGIME_EXACT) == 2 * TOKENS && powers(MX_REGIME_GENERAL) < 4,
	   "they are powers of two in the exact regime only");
	ok(x.same, "flat numbers are the token times 2 and the slot");
}

int main(void) {
	make_folder();
	struct drawn d = draw(3, 7, 21, 1), e = draw(3, 7, 21, 2);
	bool ordered = true;
	for (unsigned i = 1; i < 21; i++)
		ordered &= d.pages[i] > d.pages[i - 1];
	ok(distinct(d.pages, 21, 21) == 21 && !ordered,
	   "a table as long as there are pages has each page once, out of order");
	ok(memcmp(d.pages, e.pages, 21 * sizeof *d.pages) != 0, "another seed has another order");
	ok(d.lengths[0] == 28 && d.lengths[1] % 4 == 0 && d.lengths[1] >= 4 && d.lengths[1] <= 28 &&
	           d.lengths[2] >= 1 && d.lengths[2] <= 28,
	   "the first length is the largest, the second fills pages, others are any");
	release(&d);
	release(&e);
	d = draw(16, 12, 20, 1);
	bool whole = true, same = true, partial = false;
	for (unsigned i = 0; i < 16; i++) {
		whole &= distinct(d.pages + 12 * i, 12, 20) == 12;
		same &= !memcmp(d.pages + 12 * i, d.pages, 12 * sizeof *d.pages);
		partial |= d.lengths[i] % 4 != 0;
	}
	ok(whole && !same, "with fewer pages each row has different ones, and rows differ");
	ok(partial, "some length ends within a page");
	release(&d);
	d = draw(1, 1, 1, 1);
	ok(d.pages[0] == 0 && d.lengths[0] == 4, "one page is page 0");
	release(&d);
	test_lists();
	test_sorted();
	remove_folder();
	return done_testing();
}
