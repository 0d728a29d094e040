/* Memory in large parts, kept for later launches. */
#ifndef MX_SLABS_H
#define MX_SLABS_H

#include <stddef.h>

struct mx_slab;

/* Aligned to 8 bytes; at most 64 KiB. NULL if memory is short. */
void *mx_slabs_take(struct mx_slab **s, size_t bytes);
/* Frees all that was taken. */
void mx_slabs_free(struct mx_slab **s);

#endif
