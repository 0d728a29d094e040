/* The time and memory of Freivalds' check of a product; the product is zero. Arguments: threads,
 * sizes. */
#include "../../oracle/exact/exact.h"
#include "bench.h"

#include <string.h>
#include <sys/resource.h>

/* MXFP4 with all codes +0 in B: the right product is zero, without a GEMM. A has every code, so
 * that no work is saved. */
int main(int argc, char **argv) {
	size_t m = 10000, n = 16384, k = 16384;
	if (argc == 5)
		m = strtoul(argv[2], NULL, 10), n = strtoul(argv[3], NULL, 10),
		k = strtoul(argv[4], NULL, 10);
	uint8_t *a = malloc(m * k / 2), *b = malloc(n * k / 2);
	uint8_t *sa = malloc(m * k / 32), *sb = malloc(n * k / 32);
	uint32_t *c = malloc(m * n * sizeof *c);
	if (!a || !b || !sa || !sb || !c)
		return 1;
	for (size_t i = 0; i < m * k / 2; i++)
		a[i] = (uint8_t)(i * 2654435761u >> 13);
	memset(b, 0, n * k / 2);
	memset(c, 0, m * n * sizeof *c);
	memset(sa, 127, m * k / 32);
	memset(sb, 127, n * k / 32);
	unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 2;
	struct exact_gemm g = {
		m, n, k, { "E2M1", a, sa, k / 2, k / 32 }, { "E2M1", b, sb, k / 2, k / 32 }, threads
	};
	struct exact_check check;
	double start = bench_now();
	if (exact_freivalds(&g, c, n, 1, 128, &check) != EXACT_OK || !check.holds)
		return 1;
	double seconds = bench_now() - start;
	struct rusage use;
	getrusage(RUSAGE_SELF, &use);
	printf("freivalds/%zux%zux%zu,s,%.3g,0\n", m, n, k, seconds);
	printf("freivalds/memory,MiB,%ld,0\n", use.ru_maxrss / 1024);
	return 0;
}
