/* Tensors that a kernel quantises, and copies of rows by index: what they must become. */
#ifndef MX_CASES_QUANTISED_TENSOR_H
#define MX_CASES_QUANTISED_TENSOR_H

#include "case.h"

/* Whether codes are quantised from numbers of this type. */
bool quantised_takes(mx_buffer_type t);

/* What is wrong with the keys of codes with role none and a recipe, and which key; NULL: nothing.
 */
const char *tensor_fault(const struct mx_case *c, unsigned i, const char **key);

/* The buffer with the scales of the codes in buffer i, which have a recipe; -1: there is none. */
int quantised_scales(const struct mx_case *c, unsigned i);

/* Whether buffer i is the source of tensors alone, or the index of a copy, without data. */
bool tensor_draws(const struct mx_plan *p, unsigned i);

/* Draws such a buffer.
 *
 * A source has tiles of 32 x 32 elements, so that blocks along rows and along columns are alike.
 *
 *   exact    numbers that E2M1 has, times a power of two for each tile; every block has +-6 times
 *            it, so that a recipe for FP4 loses nothing
 *   general  normal deviates times a power of two from 2^-6 to 2^6 for each tile
 *   special  exponents from all over the type, its ends more often; elements within five doublings
 *            of a tile's exponent, half of them with few digits, so that there are ties; zeros of
 *            both signs; one tile in eight has some infinities and NaN
 *            (a source of a Hadamard transform has neither, nor numbers whose sum of 16 overflows,
 *            because the sign of a NaN sum is not defined)
 *
 * An index has the number of a row of the copied buffer in its low 24 bits, and any number below 8
 * above them. One in eight is the number of rows, as in padding of sorted tokens. */
void tensor_draw(const struct mx_plan *p, unsigned i, uint64_t seed, uint8_t *bytes);

/* How the plan's groups of rows are quantised; rows: room for their numbers. */
void quantised_groups(const struct mx_plan *p, size_t rows[MX_MAX_GROUPS],
                      struct mx_quantizer *how);

/* Compares the sizes of all such tensors and copies with those of their sources. */
int tensor_check(const struct mx_plan *p, struct mx_error *err);

/* Makes the codes and scales of all such tensors from their sources. */
int tensor_fill(const struct mx_plan *p, struct mx_data *data, struct mx_error *err);

#endif
