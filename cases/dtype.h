/* What a buffer's element type takes up, and its MX format. */
#ifndef MX_CASES_DTYPE_H
#define MX_CASES_DTYPE_H

#include "case.h"

/* Bytes that n elements in a row take. */
size_t dtype_bytes(mx_buffer_type type, size_t n);

/* The element format; `type` must be one (MX_DT_E4M3 to MX_DT_E2M1). */
mx_format dtype_format(mx_buffer_type type);

#endif
