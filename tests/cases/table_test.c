/* Tables that a reference draws: pages and lengths. */
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

struct drawn {
	struct mx_case *c;
	struct mx_data data;
	const int32_t *pages;
	const uint32_t *lengths;
};

static struct drawn draw(unsigned rows, unsigned cols, unsigned pages, uint64_t seed) {
	struct drawn d;
	struct mx_plan p;
	struct mx_error err;
	if (load(text, &d.c, &err) ||
	    mx_plan_make(d.c, rows, cols, pages, MX_REGIME_GENERAL, &p, &err) ||
	    mx_data_make(&p, seed, &d.data, &err)) {
		fprintf(stderr, "table_test: %s\n", err.text);
		exit(2);
	}
	d.pages = (const int32_t *)d.data.bytes[3];
	d.lengths = (const uint32_t *)d.data.bytes[4];
	return d;
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
	remove_folder();
	return done_testing();
}
