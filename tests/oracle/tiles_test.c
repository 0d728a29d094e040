/* Runs of some tiles: the data and results of a whole run, in little memory, and judged in place.
 */
#include "../../oracle/bench_inside.h"
#include "../tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MIB = 1 << 10 /* of ru_maxrss, in KiB */ };

static struct mx_error err;
static struct mx_device *emu;
static const char *build;

static struct mx_bench *make_of(const struct mx_case *c, const char *co, const char *sizes,
                                mx_regime regime, unsigned tiles, struct mx_run_groups groups) {
	struct mx_case_run run = { c->runs[0].sizes, regime, NULL, tiles, groups };
	char kernels[512], path[512];
	struct mx_plan p;
	struct mx_bench *b;
	snprintf(kernels, sizeof kernels, "%s/kernels", build);
	snprintf(path, sizeof path, "%s/%s", build, co ? co : "");
	mx_sizes_add_choices(c, &run.sizes);
	need(!mx_sizes_replace(c, &run.sizes, sizes, &err), err.text);
	need(!mx_plan_make_run(c, &run, &p, &err), err.text);
	need(!mx_bench_make(&p, emu, co ? path : NULL, kernels, 1, &b, &err), err.text);
	return b;
}

static struct mx_bench *make(const struct mx_case *c, const char *sizes, mx_regime regime,
                             unsigned tiles) {
	return make_of(c, NULL, sizes, regime, tiles, (struct mx_run_groups){ 0 });
}

static struct mx_run_result run(struct mx_bench *b) {
	struct mx_run_result r;
	need(!mx_bench_run(b, 1, &r, &err), err.text);
	return r;
}

static struct mx_verdict judge(struct mx_bench *b, const struct mx_run_result *r) {
	struct mx_verdict v = { 0 };
	need(!mx_bench_judge(b, r, &v, &err), err.text);
	return v;
}

struct comparison {
	const uint8_t *a, *b;
	size_t bytes, equal;
};

static void compare(void *context, size_t from, size_t bytes) {
	struct comparison *c = context;
	c->bytes += bytes;
	c->equal += memcmp(c->a + from, c->b + from, bytes) ? 0 : bytes;
}

static void same_as_whole(const struct mx_case *c, const char *sizes, mx_regime regime,
                          unsigned tiles) {
	struct mx_bench *whole = make(c, sizes, regime, 0);
	struct mx_bench *part = make(c, sizes, regime, tiles);
	run(whole);
	run(part);
	ok(part->plan.n_tiles == tiles, "%s has %u tiles of %s", c->name, tiles, sizes);
	for (unsigned i = 0; i < part->plan.n_buffers; i++) {
		if (!mx_tiles_divide(&part->plan, i))
			continue;
		struct comparison x = { whole->buffer[i].after + whole->plan.buffers[i].guard,
			                part->buffer[i].after + part->plan.buffers[i].guard };
		mx_tiles_bytes(&part->plan, i, compare, &x);
		ok(x.bytes && x.equal == x.bytes, "  %s has the bytes of the whole run there",
		   part->plan.buffers[i].name);
	}
	uint64_t first = mx_bench_hash(part);
	run(part);
	ok(mx_bench_hash(part) == first, "  also in a second run");
	mx_bench_free(whole);
	mx_bench_free(part);
}

static void judged(const struct mx_case *c) {
	struct mx_bench *b = make(c, "400,300,256", MX_REGIME_EXACT, 4);
	struct mx_run_result r = run(b);
	struct mx_verdict v = judge(b, &r);
	const struct mx_buffer *out = mx_plan_role(&b->plan, MX_ROLE_C);
	const struct mx_tile *t = &b->plan.tile[0];
	size_t elements = 0, at = out->guard + mx_buffer_at(out, t->row + 2, t->col + 3);
	for (unsigned i = 0; i < b->plan.n_tiles; i++)
		elements += b->plan.tile[i].rows * b->plan.tile[i].cols;
	ok(!mx_verdict_status(&v) && v.checked == elements && !v.wrong,
	   "every element of the tiles is judged");
	b->buffer[out - b->plan.buffers].after[at] ^= 1;
	v = judge(b, &r);
	ok(v.wrong == 1 && v.offset == (long long)(at - out->guard),
	   "a wrong bit in a tile is found at its place");
	b->buffer[mx_plan_role(&b->plan, MX_ROLE_A) - b->plan.buffers].after[256 + t->row * 128] ^=
		1;
	v = judge(b, &r);
	ok(v.n_notes && !strcmp(v.notes[0].kind, "input-changed"), "so is a changed input");
	mx_bench_free(b);
}

/* The 128 rows after 2^32 bytes of A are in the sample, and those that end 2^32 bytes from the end.
 */
static void chosen(const struct mx_case *c) {
	struct mx_bench *b = make(c, "33555432,1,256", MX_REGIME_EXACT, 12);
	bool after = false, before = false, from_end = false, last = false;
	for (unsigned i = 0; i < b->plan.n_tiles; i++) {
		size_t row = b->plan.tile[i].row;
		after |= row == 33554432;
		before |= row == 33554432 - 128;
		from_end |= row == 1000 / 128 * 128;
		last |= row + b->plan.tile[i].rows == 33554432 + 1000;
	}
	ok(after && before && from_end && last,
	   "tiles around 2^32 bytes, from the start and from the end, and the last one are chosen");
	mx_bench_free(b);
}

static void takes_little(const struct mx_case *c) {
	struct mx_bench *b = make(c, "524288,262144,8192", MX_REGIME_EXACT, 24);
	double bytes = 0;
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		bytes += (double)b->plan.buffers[i].bytes;
	struct mx_run_result r = run(b);
	struct mx_verdict v = judge(b, &r);
	struct rusage use;
	getrusage(RUSAGE_SELF, &use);
	ok(!mx_verdict_status(&v) && bytes > 0x1p39, "buffers of more than 2^39 bytes are judged");
	if (!ok(use.ru_maxrss < 1024 * MIB, "  in less than 1 GiB of memory"))
		diag("%ld KiB", use.ru_maxrss);
	mx_bench_free(b);
}

static struct mx_case *load(const char *path) {
	struct mx_case *c;
	need(!mx_case_load(path, &c, &err), err.text);
	return c;
}

/* The correct kernel passes where its twin fails. */
static void caught(const struct mx_case *c, const char *right, const char *twin, const char *sizes,
                   struct mx_run_groups groups) {
	for (unsigned i = 0; i < 2; i++) {
		struct mx_bench *b =
			make_of(c, i ? twin : right, sizes, MX_REGIME_EXACT, 12, groups);
		struct mx_run_result r = run(b);
		struct mx_verdict v = judge(b, &r);
		if (!ok(!mx_verdict_status(&v) == !i, "%s %s at %s", i ? twin : right,
		        i ? "fails" : "passes", sizes))
			diag("%s", v.n_notes ? v.notes[0].text : "no finding");
		mx_bench_free(b);
	}
}

/* A sum of splits is exact in f32, and so the same in any order. */
static void of_splits(void) {
	struct mx_case *c = load("cases/gemm/mxfp4_splitk_add_f32.yaml");
	same_as_whole(c, "257,272,512,SPLITS=2", MX_REGIME_EXACT, 3);
	mx_case_free(c);
	c = load("cases/gemm/mxfp4_splitk4.yaml");
	caught(c, "kernels/gemm/mxfp4_splitk.co", "tests/ci/wrapped_atomics.gpu.co",
	       "8388609,258,416", (struct mx_run_groups){ 0 });
	mx_case_free(c);
}

static void of_sums(void) {
	struct mx_case *c = load("cases/foreign/mxfp8_wgrad.yaml");
	same_as_whole(c, "300,50,40", MX_REGIME_GENERAL, 9);
	caught(c, "kernels/foreign/mxfp8_wgrad.co", "tests/ci/wrapped_sums.gpu.co", "6,40000,10000",
	       (struct mx_run_groups){ 6, { 1, 1, 1, 1, 1, 1 } });
	mx_case_free(c);
}

/* The six groups of the case, of which two are empty. */
static void of_groups(void) {
	struct mx_case *c = load("cases/foreign/mxfp8_grouped.yaml");
	same_as_whole(c, "300,40,160", MX_REGIME_GENERAL, 9);
	struct mx_bench *b = make(c, "300,40,160", MX_REGIME_EXACT, 32);
	unsigned of[6] = { 0 };
	for (unsigned i = 0; i < b->plan.n_tiles; i++)
		of[b->plan.tile[i].workgroup[2]]++;
	ok(!of[0] && of[1] && of[2] && of[3] && !of[4] && of[5],
	   "each group that has rows has tiles");
	mx_bench_free(b);
	caught(c, "kernels/foreign/mxfp8_grouped.co", "tests/ci/wrapped_groups.gpu.co",
	       "240000000,1,32",
	       (struct mx_run_groups){ 4, { 60000000, 60000000, 60000000, 60000000 } });
	mx_case_free(c);
}

int main(void) {
	struct mx_why why;
	struct mx_case *c;
	build = getenv("BUILD") ? getenv("BUILD") : "build";
	need(!mx_device_open("emu", &emu, &why), why.text);
	c = load("cases/gemm/mxfp4_f32.yaml");
	same_as_whole(c, "400,300,288", MX_REGIME_GENERAL, 5);
	judged(c);
	chosen(c);
	of_splits();
	of_groups();
	of_sums();
	takes_little(c);
	mx_case_free(c);
	mx_device_close(emu);
	return done_testing();
}
