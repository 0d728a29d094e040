/* Functions of both the dense and the sparse matrix instructions. */
#ifndef MX_DENSE_H
#define MX_DENSE_H

#include "../mxref.h"

/* Item `item` of `bits` bits in a lane's registers. */
uint64_t mx_get_item(const uint32_t (*regs)[MX_LANES], unsigned bits, unsigned lane, unsigned item);

/* c plus the products of op->k pairs, by the types of args->op and the profile. */
uint64_t mx_dense_dot(const struct mx_dense_args *args, const uint64_t *a, const uint64_t *b,
                      uint64_t c);

#endif
