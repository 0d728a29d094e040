/* Profiles of single matrix instructions. */
#ifndef MX_MATRIX_PROFILES_H
#define MX_MATRIX_PROFILES_H

#include "../mxref.h"

enum {
#define MX_DENSE(id, ...) MX_DENSE_##id,
#include "dense.def"
#undef MX_DENSE
	MX_DENSE_INSNS
};
enum {
#define MX_SPARSE(id, ...) MX_SPARSE_##id,
#include "sparse.def"
#undef MX_SPARSE
	MX_SPARSE_INSNS
};

/* The name of a scaled MFMA with its formats, returned:
 * "v_mfma_scale_f32_16x16x128_f8f6f4_E4M3_E2M1". */
enum { MX_SCALED_NAME = 64 };
char *mx_scaled_name(mx_shape s, mx_format a, mx_format b, char name[MX_SCALED_NAME]);

/* NULL: the instruction has none. */
struct mx_matrix_profiles {
	const mx_profile *scaled[MX_32X32X64 + 1][MX_FORMATS][MX_FORMATS]; /* of A, of B */
	const mx_profile *dense[MX_DENSE_INSNS];                           /* by mx_dense_at */
	const mx_profile *sparse[MX_SPARSE_INSNS];                         /* by mx_sparse_at */
};

/* mx_profile_check; MX_BAD_PROFILE also if the instruction of its name cannot have it: those of f32
 * and f64 have no `align`, those of f64 no `bits`. */
mx_status mx_matrix_profile_check(const mx_profile *p);

/* Gives p, which passes the check, to the instruction of its name; false: there is none. */
bool mx_matrix_profiles_add(struct mx_matrix_profiles *t, const mx_profile *p);

/* The profile of a dense or a sparse instruction; NULL: none. */
const mx_profile *mx_matrix_profile_of(const struct mx_matrix_profiles *t,
                                       const struct mx_dense *op);
const mx_profile *mx_sparse_profile_of(const struct mx_matrix_profiles *t,
                                       const struct mx_sparse *op);

#endif
