/* The speed of quantisation, compared with memcpy of the same input bytes. */
#define _GNU_SOURCE
#include "../../ref/mxref.h"
#include "bench.h"

#include <string.h>
#include <sys/mman.h>

enum { ROWS = 4096, COLS = 4096 }; /* 64 MiB of f32: larger than the caches */

struct job {
	struct mx_quantizer q;
	struct mx_tensor x;
	struct mx_quantised *rowwise, *colwise;
	uint8_t *copy;
};

static void copy(void *arg) {
	struct job *j = arg;
	memcpy(j->copy, j->x.data, (size_t)ROWS * COLS * 4);
}

static void quantize(void *arg) {
	struct job *j = arg;
	if (mx_quantize(&j->q, &j->x, j->rowwise, j->colwise))
		abort();
}

static void plain(void *arg) {
	struct job *j = arg;
	if (mx_quantize_plain(&j->q, &j->x, j->rowwise, j->colwise))
		abort();
}

/* In huge pages if the kernel has them, as in NumPy. */
static void *room(size_t bytes) {
	void *p = aligned_alloc(1 << 21, (bytes + (1 << 21) - 1) >> 21 << 21);
	if (p)
		madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

/* xorshift32 bits as floats between 2^-8 and 2^8, both signs. */
static uint32_t *data(void) {
	uint32_t *x = room((size_t)ROWS * COLS * 4), s = 1;
	for (size_t i = 0; x && i < (size_t)ROWS * COLS; i++) {
		s ^= s << 13, s ^= s >> 17, s ^= s << 5;
		x[i] = (s & 0x87FFFFFF) + 0x3C000000;
	}
	return x;
}

/* The time of this thread, which does all the work. */
static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static double seconds(void (*f)(void *), struct job *j) {
	double start = now();
	f(j);
	return now() - start;
}

/* Each run after a memcpy of its own, so that other load slows both. */
static void report(struct job *j, const char *name) {
	double rate[BENCH_RUNS], ratio[BENCH_RUNS], gb = (double)j->x.rows * j->x.cols * 4 * 1e-9;
	char title[80];
	copy(j);
	quantize(j);
	for (int i = 0; i < BENCH_RUNS; i++) {
		double copied = seconds(copy, j), quantised = seconds(quantize, j);
		rate[i] = gb / quantised;
		ratio[i] = copied / quantised;
	}
	bench_print(name, "GB/s", rate);
	snprintf(title, sizeof title, "%s/memcpy", name);
	bench_print(title, "ratio", ratio);
}

static void set_rows(struct job *j, ptrdiff_t row_bytes) {
	j->rowwise->row_bytes = row_bytes;
	if (j->colwise)
		j->colwise->row_bytes = row_bytes;
}

/* Rows of codes lie next to each other. */
static void set_format(struct job *j, mx_format f) {
	j->q.format = f;
	set_rows(j, (ptrdiff_t)mx_packed_bytes(f, COLS));
}

static void row_wise(struct job *j) {
	static const mx_format formats[] = { MX_E2M1, MX_E4M3, MX_E5M2, MX_E2M3 };
	static const mx_recipe recipes[] = { MX_RECIPE_FLOOR, MX_RECIPE_EVEN, MX_RECIPE_RCEIL };
	for (unsigned f = 0; f < sizeof formats / sizeof *formats; f++)
		for (unsigned r = 0; r < sizeof recipes / sizeof *recipes; r++) {
			char name[80];
			set_format(j, formats[f]);
			j->q.recipe = recipes[r];
			snprintf(name, sizeof name, "quantize/f32/%s/%s/row",
			         mx_format_info(formats[f])->name,
			         mx_recipe_info(recipes[r])->name);
			report(j, name);
		}
}

static void row_and_column_wise(struct job *j) {
	j->q.recipe = MX_RECIPE_EVEN;
	for (int f = 0; f < MX_FORMATS; f++) {
		char name[80];
		set_format(j, (mx_format)f);
		snprintf(name, sizeof name, "quantize/f32/%s/even/row+col",
		         mx_format_info((mx_format)f)->name);
		report(j, name);
	}
	set_format(j, MX_E2M3);
	set_rows(j, COLS);
	report(j, "quantize/f32/E2M3/even/row+col/rows 4096 bytes apart");
}

int main(void) {
	struct mx_quantised row = { room((size_t)ROWS * COLS), COLS, room(ROWS * COLS / 32),
		                    COLS / 32 };
	struct mx_quantised col = { room((size_t)ROWS * COLS), ROWS, room(ROWS * COLS / 32),
		                    ROWS / 32 };
	struct job j = { .q = { .threads = 1 },
		         .x = { data(), MX_DTYPE_F32, ROWS, COLS, 4 * COLS, 4 },
		         .rowwise = &row,
		         .copy = room((size_t)ROWS * COLS * 4) };
	if (!j.x.data || !j.copy || !row.codes || !row.scales || !col.codes || !col.scales)
		return 1;
	bench("memcpy", "GB/s", (double)ROWS * COLS * 4 * 1e-9, copy, &j);
	row_wise(&j);
	j.colwise = &col;
	row_and_column_wise(&j);
	set_format(&j, MX_E2M1);
	j.q.block = MX_BLOCK_32X32;
	report(&j, "quantize/f32/E2M1/even/row+col/32x32");
	j.q.block = MX_BLOCK_1X32;
	j.x.rows = 64;
	bench("plain/f32/E2M1/even/row+col", "GB/s", 64.0 * COLS * 4 * 1e-9, plain, &j);
	return 0;
}
