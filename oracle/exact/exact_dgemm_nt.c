/* The f64 product: a plain one if it is small, else by OpenBLAS. */
#define _GNU_SOURCE
#include "exact.h"

#include <cblas.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../ref/num/cpu.h"

/* OpenBLAS takes milliseconds to load, so it is loaded by the first product that is faster with it.
 * Its kernels for different CPUs round differently. Those for Haswell run wherever there is AVX2, so
 * that the accuracy of a run is the same number there. Its threads take turns on all processors for
 * tens of milliseconds after each product before they sleep, so it has one thread until the first
 * large product. */
#define SMALL 0x1p22
#define LARGE 0x1p30

/* ---- OpenBLAS ---- */

static struct {
	typeof(cblas_dgemm) *dgemm; /* NULL: there is none */
	typeof(openblas_set_num_threads) *set_threads;
} blas;
static int threads; /* 0: the choice of the environment, or all processors */
static bool chosen; /* by the environment */

static bool runs_haswell(void) {
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
	return false;
#endif
}

/* OpenBLAS reads its variables once, when it is loaded. */
static void load(void) {
	static const char *const names[] = { "libopenblas.so.0", "libopenblas.so" };
	static const char variable[] = "OPENBLAS_NUM_THREADS";
	void *library = NULL;
	if (!(chosen = getenv(variable) != NULL))
		setenv(variable, "1", 0);
	if (runs_haswell())
		setenv("OPENBLAS_CORETYPE", "Haswell", 0);
	for (unsigned i = 0; !library && i < sizeof names / sizeof *names; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return;
	*(void **)&blas.dgemm = dlsym(library, "cblas_dgemm");
	*(void **)&blas.set_threads = dlsym(library, "openblas_set_num_threads");
}

static void use_threads(void) {
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static int used;
	int all = chosen ? 0 : (int)sysconf(_SC_NPROCESSORS_ONLN), n = threads ? threads : all;
	pthread_mutex_lock(&lock);
	if (blas.set_threads && n && n != used)
		blas.set_threads(used = n);
	pthread_mutex_unlock(&lock);
}

/* ---- plain ---- */

enum { LANES = 8 };

/* `n` <= LANES elements of a row of d. The terms are added in order of k by FMA. */
__attribute__((always_inline)) static inline void dots(size_t n, size_t k, const double *a,
                                                       const double *b, double *d) {
	double lane[LANES] = { 0 };
	for (size_t x = 0; x < k; x++)
		for (size_t l = 0; l < n; l++)
			lane[l] = fma(a[x], b[l * k + x], lane[l]);
	memcpy(d, lane, n * sizeof *d);
}

__attribute__((always_inline)) static inline void
rows(size_t m, size_t n, size_t k, const double *a, const double *b, double *d) {
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < n; j += LANES)
			dots(n - j < LANES ? n - j : LANES, k, a + i * k, b + j * k, d + i * n + j);
}

static void plain(size_t m, size_t n, size_t k, const double *a, const double *b, double *d) {
	rows(m, n, k, a, b, d);
}

/* The same, because fma is a call where the compiler must not assume the instruction. */
#ifdef __x86_64__
__attribute__((target("fma"))) static void
by_instruction(size_t m, size_t n, size_t k, const double *a, const double *b, double *d) {
	rows(m, n, k, a, b, d);
}
#else
#define by_instruction plain
#endif

void exact_dgemm_nt(size_t m, size_t n, size_t k, const double *a, const double *b, double *d) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	double size = (double)m * (double)n * (double)k;
	bool small = size <= SMALL;
	if (!small)
		pthread_once(&once, load);
	if (size >= LARGE)
		use_threads();
	if (!small && blas.dgemm) {
		blas.dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, a, k, b, k, 0, d,
		           n);
		return;
	}
	(mx_cpu_has(MX_CPU_V3) ? by_instruction : plain)(m, n, k, a, b, d);
}

void exact_blas_threads(unsigned n) {
	threads = (int)n;
}
