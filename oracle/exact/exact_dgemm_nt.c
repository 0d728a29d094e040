/* The f64 product by OpenBLAS. */
#include "exact.h"

#include <cblas.h>

void exact_dgemm_nt(size_t m, size_t n, size_t k, const double *a, const double *b, double *d) {
	size_t ld = k ? k : 1; /* BLAS refuses a stride of 0 */
	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, a, ld, b, ld, 0, d, n);
}

void exact_blas_threads(unsigned n) {
	openblas_set_num_threads((int)n);
}
