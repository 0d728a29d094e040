/* Passes of matrix instructions. */
#include "passes.h"

unsigned mx_matrix_passes(const struct mx_inst *in) {
	enum { F6 = 2 }; /* the first format code of CBSZ and BLGP that is not F8 */
	if (!in->op || !mx_is_matrix(in->op) || in->mai.wmma) /* not published for WMMAs */
		return 0;
	const struct mx_dense *d = in->mai.dense;
	unsigned m = d ? d->m : in->mai.sparse ? in->mai.sparse->m : in->op->d == 4 ? 16 : 32;
	if (m == 4)
		return d->d == MX_T_F64 ? 4 : 2;
	if (d && d->d == MX_T_F64)
		return 16;
	bool slow = d ? d->a == MX_T_F32 || d->blocks > 1
	              : !in->mai.sparse && (in->mai.cbsz < F6 || in->mai.blgp < F6);
	return slow ? m / 2 : m / 4;
}
