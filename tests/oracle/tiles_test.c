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

static struct mx_bench *make(const struct mx_case *c, int64_t M, int64_t N, int64_t K,
                             mx_regime regime, unsigned tiles) {
	struct mx_case_run run = {
		{ 3, { { "M", M }, { "N", N }, { "K", K } } }, regime, NULL, tiles
	};
	char kernels[512];
	struct mx_plan p;
	struct mx_bench *b;
	snprintf(kernels, sizeof kernels, "%s/kernels", build);
	need(!mx_plan_make_run(c, &run, &p, &err), err.text);
	need(!mx_bench_make(&p, emu, NULL, kernels, 1, &b, &err), err.text);
	return b;
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

static void same_as_whole(const struct mx_case *c) {
	struct mx_bench *whole = make(c, 400, 300, 288, MX_REGIME_GENERAL, 0);
	struct mx_bench *part = make(c, 400, 300, 288, MX_REGIME_GENERAL, 5);
	run(whole);
	run(part);
	ok(part->plan.n_tiles == 5, "a run has 5 of 12 tiles");
	for (unsigned i = 0; i < part->plan.n_buffers; i++) {
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
	struct mx_bench *b = make(c, 400, 300, 256, MX_REGIME_EXACT, 4);
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
	struct mx_bench *b = make(c, 33554432 + 1000, 1, 256, MX_REGIME_EXACT, 12);
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
	struct mx_bench *b = make(c, 1 << 19, 1 << 18, 8192, MX_REGIME_EXACT, 24);
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

int main(void) {
	struct mx_why why;
	struct mx_case *c;
	build = getenv("BUILD") ? getenv("BUILD") : "build";
	need(!mx_device_open("emu", &emu, &why), why.text);
	need(!mx_case_load("cases/gemm/mxfp4_f32.yaml", &c, &err), err.text);
	same_as_whole(c);
	judged(c);
	chosen(c);
	takes_little(c);
	mx_case_free(c);
	mx_device_close(emu);
	return done_testing();
}
