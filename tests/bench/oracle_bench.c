/* The products of the judge compared with OpenBLAS SGEMM of the same shape and number of threads:
 * GMAC/s and ratio. Arguments: threads, sizes. */
#include "../../oracle/exact/fast.h"
#include "bench.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

struct job {
	struct exact_gemm g;
	const struct fast_way *way;
	uint32_t *out;
	float *a, *b, *c;
};

static void profile(void *arg) {
	struct job *j = arg;
	if (fast_block32(&j->g, j->way, 4, j->out) != EXACT_OK)
		exit(1);
}

static void sgemm(void *arg) {
	struct job *j = arg;
	int n = (int)j->g.m;
	cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 1, j->a, n, j->b, n, 0, j->c,
	            n);
}

static void *filled(size_t bytes, uint8_t mask, uint8_t set) {
	uint8_t *p = malloc(bytes + 1);
	for (size_t i = 0; p && i < bytes; i++)
		p[i] = ((uint8_t)(i * 2654435761u >> 11) & mask) | set;
	return p;
}

static void product(void *arg) {
	struct job *j = arg;
	if (exact_product(&j->g, j->out) != EXACT_OK)
		exit(1);
}

static struct job make(const char *format, size_t n, unsigned threads) {
	size_t ld = strcmp(format, "E2M1") ? n : n / 2;
	return (struct job){
		.g = { n,
		       n,
		       n,
		       { format, filled(n * ld, 0xbf, 0), filled(n * n / 32, 3, 124), ld, n / 32 },
		       { format, filled(n * ld, 0xbf, 0), filled(n * n / 32, 3, 124), ld, n / 32 },
		       threads },
		.out = malloc(n * n * 4),
		.a = calloc(n * n, 4),
		.b = calloc(n * n, 4),
		.c = calloc(n * n, 4),
	};
}

static void drop(struct job *j) {
	free((void *)j->g.a.codes), free((void *)j->g.a.scales);
	free((void *)j->g.b.codes), free((void *)j->g.b.scales);
	free(j->out), free(j->a), free(j->b), free(j->c);
}

/* Measures SGEMM, then the named function at the same shape. Returns seconds. */
static double beside(struct job *j, const char *what, void (*f)(void *)) {
	char name[80];
	size_t n = j->g.n;
	double macs = (double)n * (double)n * (double)n * 1e-9;
	openblas_set_num_threads((int)j->g.threads);
	snprintf(name, sizeof name, "sgemm/%zu", n);
	double base = bench(name, "GMAC/s", macs, sgemm, j);
	nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL); /* OpenBLAS spins until then */
	snprintf(name, sizeof name, "%s/%zu", what, n);
	double rate = bench(name, "GMAC/s", macs, f, j);
	printf("%s,of sgemm,%.3g,0\n", name, rate / base);
	return macs / rate;
}

/* way: NULL selects the fastest. */
static double measure(const char *format, const struct fast_way *way, size_t n, unsigned threads) {
	struct job j = make(format, n, threads);
	char what[60];
	j.way = way ? way : fast_choose(&j.g);
	snprintf(what, sizeof what, "block32/%s/%s", format, j.way->name);
	double seconds = beside(&j, what, profile);
	drop(&j);
	return seconds;
}

static void measure_product(const char *format, size_t n, unsigned threads) {
	struct job j = make(format, n, threads);
	char what[60];
	snprintf(what, sizeof what, "product/%s", format);
	beside(&j, what, product);
	drop(&j);
}

/* The exponent of time over size: the slope of a line through the logarithms. */
static void series(const char *format, const size_t *sizes, int n, unsigned threads) {
	double sx = 0, sy = 0, sxx = 0, sxy = 0;
	for (int i = 0; i < n; i++) {
		double x = log((double)sizes[i]),
		       seconds = measure(format, NULL, sizes[i], threads);
		double y = log(seconds);
		printf("block32/%s/%zu,s,%.4g,0\n", format, sizes[i], seconds);
		sx += x, sy += y, sxx += x * x, sxy += x * y;
	}
	printf("block32/%s,exponent,%.3g,0\n", format, (n * sxy - sx * sy) / (n * sxx - sx * sx));
}

int main(int argc, char **argv) {
	static const size_t sizes[] = { 512, 1024, 2048, 4096 };
	unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 2;
	int n = argc > 2 ? atoi(argv[2]) : 4;
	series("E2M1", sizes, n, threads);
	series("E4M3", sizes, n, threads);
	for (const struct fast_way *way = fast_ways; way < fast_ways + FAST_WAYS; way++)
		if (way->kernel == fast_int8_vnni && mx_cpu_has(way->needs))
			measure("E2M1", way, 1024, threads);
		else if (way->kernel == fast_wide_avx512 && mx_cpu_has(way->needs))
			measure("E4M3", way, 1024, threads);
	measure_product("E4M3", 1024, threads);
	measure_product("E5M2", 1024, threads);
	return 0;
}
