/* Profiles of single matrix instructions, by their names. */
#include "matrix_profiles.h"
#include "dense.h"

#include <stdio.h>
#include <string.h>

char *mx_scaled_name(mx_shape s, mx_format a, mx_format b, char name[MX_SCALED_NAME]) {
	unsigned mn = mx_shape_mn(s);
	snprintf(name, MX_SCALED_NAME, "v_mfma_scale_f32_%ux%ux%u_f8f6f4_%s_%s", mn, mn,
	         mx_shape_k(s), mx_format_info(a)->name, mx_format_info(b)->name);
	return name;
}

static const mx_profile **find(struct mx_matrix_profiles *t, const char *name) {
	const struct mx_dense *op = mx_dense_by_name(name);
	const struct mx_sparse *sparse = mx_sparse_by_name(name);
	char other[MX_SCALED_NAME];
	if (op)
		return &t->dense[op - mx_dense_at(0)];
	if (sparse)
		return &t->sparse[sparse - mx_sparse_at(0)];
	for (mx_shape s = MX_16X16X128; s <= MX_32X32X64; s++)
		for (mx_format a = 0; a < MX_FORMATS; a++)
			for (mx_format b = 0; b < MX_FORMATS; b++)
				if (!strcmp(name, mx_scaled_name(s, a, b, other)))
					return &t->scaled[s][a][b];
	return NULL;
}

mx_status mx_matrix_profile_check(const mx_profile *p) {
	const struct mx_dense *op = p ? mx_dense_by_name(p->name) : NULL;
	return op ? mx_check_profile_for(op->a, p) : mx_profile_check(p);
}

bool mx_matrix_profiles_add(struct mx_matrix_profiles *t, const mx_profile *p) {
	const mx_profile **at = find(t, p->name);
	if (at)
		*at = p;
	return at != NULL;
}

const mx_profile *mx_matrix_profile_of(const struct mx_matrix_profiles *t,
                                       const struct mx_dense *op) {
	return t->dense[op - mx_dense_at(0)];
}

const mx_profile *mx_sparse_profile_of(const struct mx_matrix_profiles *t,
                                       const struct mx_sparse *op) {
	return t->sparse[op - mx_sparse_at(0)];
}
