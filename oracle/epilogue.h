/* The epilogue of a case, with C and the bias from before the launch. */
#ifndef MX_EPILOGUE_H
#define MX_EPILOGUE_H

#include "../cases/case.h"
#include "exact/exact.h"

/* *e is NULL if the case has no epilogue; without C in a run of tiles; to be freed in any case. */
int mx_epilogue_make(const struct mx_plan *p, const struct mx_data *d, struct exact_epilogue **e,
                     struct mx_error *err);
void mx_epilogue_free(struct exact_epilogue *e);

/* The epilogue of the part of C that begins at (row, col). */
struct exact_epilogue mx_epilogue_from(const struct exact_epilogue *e, size_t row, size_t col);

/* The epilogue of a tile of a run of tiles, with C of its own, to be freed. */
int mx_epilogue_make_tile(const struct mx_plan *p, const struct mx_data *d,
                          const struct exact_epilogue *e, const struct mx_tile *t,
                          struct exact_epilogue *tile, struct mx_error *err);

/* The epilogue in f64, in place, for SNR. */
void mx_epilogue_f64(const struct exact_epilogue *e, size_t m, size_t n, double *acc);

#endif
