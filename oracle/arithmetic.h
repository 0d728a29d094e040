/* How the matrix instructions of a case accumulate: the profiles that the emulator computes by, and
 * the one that the judges expect, which they compute apart from it (exact/exact.h). */
#ifndef MX_ARITHMETIC_H
#define MX_ARITHMETIC_H

#include "../kernels/host/device.h"
#include "exact/exact.h"
#include "probe/profile_file.h"

struct mx_arithmetic {
	/* The emulator's: options of a launch. */
	const char *profile;
	const mx_profile *all, *const *single;
	unsigned n_single;
	/* The judges': a profile of exact_profile, or if it is not NULL that of a row. */
	const char *name;
	const struct mx_profile_row *row;
	struct exact_member member; /* of the row */
	char text[256];             /* "block32 (assumed)", "NAME (measured on ...)" */
	struct mx_profile_file *file,
		*own_file; /* that of the row; it, if it is freed here; or NULL */
	uint64_t hash;     /* of its bytes */
};

/* By the case's profile, or that of --profile (c->profile) in its place. A file without a name has
 * a profile for each instruction:
 *
 *   the emulator    computes an instruction that the file lacks by the case's profile
 *   the judges      expect the profile of the scaled MFMA with the K of mma_k and the formats of A
 *                   and B (with `swapped` of B and A), or of the case's instruction; the case's
 *                   profile, if the file lacks it
 *
 * A product whose mma_k is that of no scaled MFMA keeps the case's profile under --profile. */
int mx_arithmetic_make(const struct mx_plan *p, struct mx_arithmetic *a, struct mx_error *err);
void mx_arithmetic_free(struct mx_arithmetic *a);

void mx_arithmetic_set(const struct mx_arithmetic *a, struct mxhipLaunchOptions *o);

/* Fails with the names that there are; where: the file or option that has this one. Returns -1. */
int mx_no_profile(const char *where, const char *name, struct mx_error *err);

/* Checks the text of --profile, and reads its file, which the caller frees; NULL: it has none. */
int mx_arithmetic_read(const char *profile, struct mx_profile_file **file, struct mx_error *err);

/* Whether a product of the exact regime is exact. */
bool mx_arithmetic_keeps_regime(const struct mx_arithmetic *a);

/* The product that the judges expect; _one: of few elements. */
enum exact_status mx_arithmetic_product(const struct mx_arithmetic *a, const struct exact_gemm *g,
                                        unsigned mma_k, uint32_t *out);
enum exact_status mx_arithmetic_one(const struct mx_arithmetic *a, const struct exact_gemm *g,
                                    unsigned mma_k, uint32_t *out);

#endif
