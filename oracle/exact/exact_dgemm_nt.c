/* The f64 product: by a kernel of our own, or by OpenBLAS if it is large. */
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

/* OpenBLAS takes milliseconds to load, so it is loaded by the first product that is faster with it,
 * above MEDIUM; without FMA, above SMALL, where the order of sums changes.
 * Its kernels for different CPUs round differently. Those for Haswell run wherever there is AVX2,
 * so that the accuracy of a run is the same number there. Its threads take turns on all processors
 * for tens of milliseconds after each product before they sleep, so it has one thread until the
 * first large product. */
#define SMALL  0x1p22
#define MEDIUM 0x1p26
#define LARGE  0x1p30

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

/* ---- our own ----
 *
 * A small product has one sum for each element, in order of k by FMA. A larger one has the order of
 * OpenBLAS's kernel for Haswell, so that both give the same bits: a sum for each block of k, and
 * the sums of blocks added in order (driver/level3/level3.c, kernel/x86_64/
 * dgemm_kernel_4x8_haswell.S). */

enum { LANES = 8, ROWS = 4, BLOCK = 256, UNROLLED = 4, SUMS = 4 };

struct product {
	size_t m, n, k;
	const double *a, *b;
	double *d;
	bool small;
};

/* How many of the last `left` terms are the next block. */
static size_t next_block(size_t left) {
	if (left <= BLOCK || left >= 2 * (size_t)BLOCK)
		return left < BLOCK ? left : BLOCK;
	return (left / 2 + UNROLLED - 1) / UNROLLED * UNROLLED;
}

/* LANES rows of b from term `first` on, transposed. */
static void pack(const struct product *p, size_t j, size_t first, size_t terms,
                 double (*to)[LANES]) {
	const double *row[LANES];
	for (size_t l = 0; l < LANES; l++)
		row[l] = p->b + (j + l < p->n ? j + l : j) * p->k + first;
	for (size_t x = 0; x < terms; x++)
		for (size_t l = 0; l < LANES; l++)
			to[x][l] = row[l][x];
}

/* `rows`: ROWS rows of a times packed columns, added to their sums. `last`: the last of an odd
 * number of rows, of which whole fours of columns have a sum for each k modulo SUMS; what is left
 * of k after whole eights is added to the first. `thin`: a small product that fills no tile. */
struct kernel {
	void (*rows)(const double *const row[ROWS], size_t terms, const double (*b)[LANES],
	             double sum[ROWS][LANES]);
	void (*last)(const double *row, size_t terms, const double (*b)[LANES], double sum[LANES]);
	void (*thin)(const struct product *p);
};

#define INLINE __attribute__((always_inline)) static inline

static void plain_rows(const double *const row[ROWS], size_t terms, const double (*b)[LANES],
                       double sum[ROWS][LANES]) {
	for (size_t x = 0; x < terms; x++)
		for (size_t r = 0; r < ROWS; r++)
			for (size_t l = 0; l < LANES; l++)
				sum[r][l] = fma(row[r][x], b[x][l], sum[r][l]);
}

INLINE void add_last(const double *row, size_t terms, const double (*b)[LANES], double sum[LANES]) {
	double part[SUMS][LANES] = { 0 };
	size_t whole = terms / (2 * SUMS) * (2 * SUMS);
	for (size_t x = 0; x < terms; x++)
		for (size_t l = 0, s = x < whole ? x % SUMS : 0; l < LANES; l++)
			part[s][l] = fma(row[x], b[x][l], part[s][l]);
	for (size_t l = 0; l < LANES; l++)
		sum[l] = (part[0][l] + part[1][l]) + (part[2][l] + part[3][l]);
}

static void plain_last(const double *row, size_t terms, const double (*b)[LANES],
                       double sum[LANES]) {
	add_last(row, terms, b, sum);
}

/* Up to LANES elements of a row. */
INLINE void dots(size_t n, size_t k, const double *a, const double *b, double *d) {
	double lane[LANES] = { 0 };
	for (size_t x = 0; x < k; x++)
		for (size_t l = 0; l < n; l++)
			lane[l] = fma(a[x], b[l * k + x], lane[l]);
	memcpy(d, lane, n * sizeof *d);
}

INLINE void all_dots(const struct product *p) {
	for (size_t i = 0; i < p->m; i++)
		for (size_t j = 0; j < p->n; j += LANES)
			dots(p->n - j < LANES ? p->n - j : LANES, p->k, p->a + i * p->k,
			     p->b + j * p->k, p->d + i * p->n + j);
}

static void plain_thin(const struct product *p) {
	all_dots(p);
}

static const struct kernel plain = { plain_rows, plain_last, plain_thin };

/* The same, because fma is a call where the compiler must not assume the instruction. */
#ifdef __x86_64__
#include <immintrin.h>

#define FMA __attribute__((target("avx2,fma")))

FMA static void fma_rows(const double *const row[ROWS], size_t terms, const double (*b)[LANES],
                         double sum[ROWS][LANES]) {
	enum { HALF = LANES / 2 };
	__m256d low[ROWS], high[ROWS];
	for (size_t r = 0; r < ROWS; r++) {
		low[r] = _mm256_loadu_pd(sum[r]);
		high[r] = _mm256_loadu_pd(sum[r] + HALF);
	}
	for (size_t x = 0; x < terms; x++)
		for (size_t r = 0; r < ROWS; r++) {
			__m256d factor = _mm256_broadcast_sd(row[r] + x);
			low[r] = _mm256_fmadd_pd(factor, _mm256_loadu_pd(b[x]), low[r]);
			high[r] = _mm256_fmadd_pd(factor, _mm256_loadu_pd(b[x] + HALF), high[r]);
		}
	for (size_t r = 0; r < ROWS; r++) {
		_mm256_storeu_pd(sum[r], low[r]);
		_mm256_storeu_pd(sum[r] + HALF, high[r]);
	}
}

FMA static void fma_last(const double *row, size_t terms, const double (*b)[LANES],
                         double sum[LANES]) {
	add_last(row, terms, b, sum);
}

FMA static void fma_thin(const struct product *p) {
	all_dots(p);
}

static const struct kernel by_instruction = { fma_rows, fma_last, fma_thin };
#else
#define by_instruction plain
#endif

/* Adds a block of k to up to ROWS rows of d from i on, and up to LANES columns from j on. */
static void add_tile(const struct product *p, const struct kernel *f, size_t i, size_t j,
                     size_t first, size_t terms, const double (*b)[LANES]) {
	size_t rows = p->m - i < ROWS ? p->m - i : ROWS;
	size_t columns = p->n - j < LANES ? p->n - j : LANES;
	double sum[ROWS][LANES] = { 0 }, *d = p->d + i * p->n + j;
	const double *row[ROWS];
	for (size_t r = 0; r < ROWS; r++)
		row[r] = p->a + (i + (r < rows ? r : 0)) * p->k + first;
	for (size_t r = 0; r < rows && p->small; r++)
		memcpy(sum[r], d + r * p->n, columns * sizeof *d);
	f->rows(row, terms, b, sum);
	if (!p->small && rows % 2) {
		double last[LANES];
		f->last(row[rows - 1], terms, b, last);
		memcpy(sum[rows - 1], last, columns / UNROLLED * UNROLLED * sizeof *last);
	}
	for (size_t r = 0; r < rows; r++)
		for (size_t l = 0; l < columns; l++)
			d[r * p->n + l] = p->small ? sum[r][l] : d[r * p->n + l] + sum[r][l];
}

static void multiply(const struct product *p, const struct kernel *f) {
	double b[BLOCK][LANES];
	memset(p->d, 0, p->m * p->n * sizeof *p->d);
	for (size_t first = 0, terms; first < p->k; first += terms) {
		terms = next_block(p->k - first);
		for (size_t j = 0; j < p->n; j += LANES) {
			pack(p, j, first, terms, b);
			for (size_t i = 0; i < p->m; i += ROWS)
				add_tile(p, f, i, j, first, terms, (const double(*)[LANES])b);
		}
	}
}

void exact_dgemm_nt(size_t m, size_t n, size_t k, const double *a, const double *b, double *d) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	double size = (double)m * (double)n * (double)k;
	bool v3 = mx_cpu_has(MX_CPU_V3), by_blas = size > (v3 ? MEDIUM : SMALL);
	if (by_blas)
		pthread_once(&once, load);
	if (size >= LARGE)
		use_threads();
	if (by_blas && blas.dgemm) {
		blas.dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, a, k, b, k, 0, d,
		           n);
		return;
	}
	struct product p = { m, n, k, a, b, d, size <= SMALL };
	const struct kernel *f = v3 ? &by_instruction : &plain;
	if (p.small && (m < ROWS || n < LANES))
		f->thin(&p);
	else
		multiply(&p, f);
}

void exact_blas_threads(unsigned n) {
	threads = (int)n;
}
