/* The f64 product: a plain one if it is small, else by OpenBLAS. */
#define _GNU_SOURCE
#include "exact.h"

#include <cblas.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

/* OpenBLAS takes milliseconds to load and starts threads, so it is loaded by the first product that
 * is faster with it. */
#define SMALL 0x1p20

/* ---- OpenBLAS ---- */

static struct {
	typeof(cblas_dgemm) *dgemm; /* NULL: there is none */
	typeof(openblas_set_num_threads) *set_threads;
} blas;
static int threads; /* 0: OpenBLAS's own choice */

static void load(void) {
	static const char *const names[] = { "libopenblas.so.0", "libopenblas.so" };
	void *library = NULL;
	for (unsigned i = 0; !library && i < sizeof names / sizeof *names; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return;
	*(void **)&blas.dgemm = dlsym(library, "cblas_dgemm");
	*(void **)&blas.set_threads = dlsym(library, "openblas_set_num_threads");
	if (threads && blas.set_threads)
		blas.set_threads(threads);
}

/* ---- plain ---- */

enum { LANES = 8 };

/* `n` <= LANES elements of a row of d. The terms are added in order of k by FMA, as OpenBLAS does,
 * so that a product's size does not change how it rounds. */
static void dots(size_t n, size_t k, const double *a, const double *b, double *d) {
	double lane[LANES] = { 0 };
	for (size_t x = 0; x < k; x++)
		for (size_t l = 0; l < n; l++)
			lane[l] = fma(a[x], b[l * k + x], lane[l]);
	memcpy(d, lane, n * sizeof *d);
}

void exact_dgemm_nt(size_t m, size_t n, size_t k, const double *a, const double *b, double *d) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	bool small = (double)m * (double)n * (double)k <= SMALL;
	if (!small)
		pthread_once(&once, load);
	if (!small && blas.dgemm) {
		blas.dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, a, k, b, k, 0, d,
		           n);
		return;
	}
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < n; j += LANES)
			dots(n - j < LANES ? n - j : LANES, k, a + i * k, b + j * k, d + i * n + j);
}

void exact_blas_threads(unsigned n) {
	threads = (int)n;
	if (blas.set_threads)
		blas.set_threads(threads);
}
