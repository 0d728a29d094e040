/* The judge's own products beside OpenBLAS SGEMM of the same shape, on as many threads:
 * GMAC/s, and the ratio. Arguments: threads, sizes. */
#include "../../oracle/exact/fast.h"
#include "bench.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

void openblas_set_num_threads(int n);

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

/* way: NULL is the fastest. */
static double measure(const char *format, const struct fast_way *way, size_t n, unsigned threads,
                      double *rate) {
	size_t ld = strcmp(format, "E2M1") ? n : n / 2;
	struct job j = {
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
	j.way = way ? way : fast_choose(&j.g);
	char name[80];
	double macs = (double)n * (double)n * (double)n * 1e-9;
	openblas_set_num_threads((int)threads);
	snprintf(name, sizeof name, "sgemm/%zu", n);
	double base = bench(name, "GMAC/s", macs, sgemm, &j);
	snprintf(name, sizeof name, "block32/%s/%s/%zu", format, j.way->name, n);
	*rate = bench(name, "GMAC/s", macs, profile, &j);
	printf("block32/%s/%s/%zu,of sgemm,%.3g,0\n", format, j.way->name, n, *rate / base);
	free((void *)j.g.a.codes), free((void *)j.g.a.scales);
	free((void *)j.g.b.codes), free((void *)j.g.b.scales);
	free(j.out), free(j.a), free(j.b), free(j.c);
	return macs / *rate;
}

/* Time is size to the power of the exponent: the slope of a line through the logarithms. */
static void series(const char *format, const size_t *sizes, int n, unsigned threads) {
	double sx = 0, sy = 0, sxx = 0, sxy = 0, rate;
	for (int i = 0; i < n; i++) {
		double x = log((double)sizes[i]),
		       y = log(measure(format, NULL, sizes[i], threads, &rate));
		sx += x, sy += y, sxx += x * x, sxy += x * y;
	}
	printf("block32/%s,exponent,%.3g,0\n", format, (n * sxy - sx * sy) / (n * sxx - sx * sx));
}

int main(int argc, char **argv) {
	static const size_t sizes[] = { 512, 1024, 2048, 4096 };
	unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 2;
	int n = argc > 2 ? atoi(argv[2]) : 4;
	double rate;
	series("E2M1", sizes, n, threads);
	series("E4M3", sizes, n, threads);
	if (fast_has_vnni())
		measure("E2M1", &fast_ways[1], sizes[1], threads, &rate);
	return 0;
}
