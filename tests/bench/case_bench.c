/* The parts of a case that are no launch: drawing its data compared with memcpy of the same values,
 * and judging compared with SGEMM of the same size. Argument: size. */
#include "../../cases/case.h"
#include "../../oracle/exact/exact.h"
#include "bench.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static int64_t size = 2048;

struct job {
	struct mx_plan plan;
	float *from, *to;
	struct exact_gemm g;
	uint32_t *out;
	float *c;
};

static void fail(const char *why) {
	fprintf(stderr, "case_bench: %s\n", why);
	exit(1);
}

static void draw(void *arg) {
	struct job *j = arg;
	struct mx_data data;
	struct mx_error err;
	if (mx_data_make(&j->plan, 1, &data, &err))
		fail(err.text);
	mx_data_free(&data);
}

static void copy(void *arg) {
	struct job *j = arg;
	memcpy(j->to, j->from, 2 * (size_t)(size * size) * sizeof *j->to);
}

/* The bytes of both operands' values before quantisation. */
static void drawing(struct job *j, const struct mx_case *c, mx_regime regime) {
	struct mx_error err;
	char name[64];
	double gigabytes = 2 * (double)(size * size) * sizeof(float) * 1e-9;
	if (mx_plan_make(c, size, size, size, regime, &j->plan, &err))
		fail(err.text);
	double base = bench("memcpy", "GB/s", gigabytes, copy, j);
	snprintf(name, sizeof name, "draw/%s", mx_regime_name(regime));
	double rate = bench(name, "GB/s", gigabytes, draw, j);
	printf("%s/memcpy,ratio,%.3f,\n", name, rate / base);
}

static void judge(void *arg) {
	struct job *j = arg;
	if (exact_profile(&j->g, "block32", 128, j->out) != EXACT_OK)
		fail("exact_profile");
}

static void check(void *arg) {
	struct job *j = arg;
	struct exact_check c;
	size_t n = j->g.n;
	if (exact_freivalds(&j->g, j->out, n, 1, 16, &c) != EXACT_OK || !c.holds)
		fail("exact_freivalds");
}

static void sgemm(void *arg) {
	const struct job *j = arg;
	int n = (int)size;
	cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 1, j->from, n,
	            j->from + size * size, n, 0, j->c, n);
}

static struct exact_operand operand(const struct job *j, const struct mx_data *d, unsigned i) {
	return (struct exact_operand){ "E2M1", d->bytes[i], d->bytes[i + 1], j->plan.buffers[i].ld,
		                       j->plan.buffers[i + 1].ld };
}

/* Judges the data of the plan. base: the rate of SGEMM. */
static void judging(struct job *j, const char *what, void (*f)(void *), double base) {
	struct mx_data data;
	struct mx_error err;
	size_t n = (size_t)size;
	if (mx_data_make(&j->plan, 1, &data, &err))
		fail(err.text);
	j->g = (struct exact_gemm){ n, n, n, operand(j, &data, 0), operand(j, &data, 2), 1 };
	double rate = bench(what, "GMAC/s", pow((double)size, 3) * 1e-9, f, j);
	printf("%s/sgemm,ratio,%.3g,\n", what, rate / base);
	mx_data_free(&data);
}

int main(int argc, char **argv) {
	struct mx_case *c;
	struct mx_error err;
	struct job j = { 0 };
	size = argc > 1 ? atoll(argv[1]) : size;
	size_t n = (size_t)(size * size);
	j.from = calloc(2 * n, sizeof *j.from), j.to = calloc(2 * n, sizeof *j.to);
	j.c = calloc(n, sizeof *j.c), j.out = calloc(n, sizeof *j.out);
	if (!j.from || !j.to || !j.c || !j.out)
		fail("memory");
	if (mx_case_load("cases/gemm/mxfp4_f32.yaml", &c, &err))
		fail(err.text);
	drawing(&j, c, MX_REGIME_GENERAL);
	openblas_set_num_threads(1);
	double base = bench("sgemm", "GMAC/s", pow((double)size, 3) * 1e-9, sgemm, &j);
	drawing(&j, c, MX_REGIME_SPECIAL);
	judging(&j, "judge/special", judge, base);
	drawing(&j, c, MX_REGIME_EXACT);
	judging(&j, "judge/profile", judge, base);
	judging(&j, "judge/freivalds", check, base); /* needs data in the exact regime */
	mx_case_free(c);
	return 0;
}
