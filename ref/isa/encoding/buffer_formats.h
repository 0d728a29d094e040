/* Formats of typed buffers: data format 3:0, numeric format 6:4 [ISA 9.1.2]. */
#ifndef MX_BUFFER_FORMATS_H
#define MX_BUFFER_FORMATS_H

#include "inst.h"

typedef enum {
	MX_NUMERIC_UNORM,
	MX_NUMERIC_SNORM,
	MX_NUMERIC_USCALED,
	MX_NUMERIC_SSCALED,
	MX_NUMERIC_UINT,
	MX_NUMERIC_SINT,
	MX_NUMERIC_RESERVED,
	MX_NUMERIC_FLOAT,
} mx_numeric_format;

/* Widths of the components of each data format in bits, x first; 0: no such component. */
extern const uint8_t mx_data_formats[16][4];

/* The assumption that an MTBUF instruction rests on because of its format. */
mx_assumption mx_typed_rests_on(const struct mx_inst *in);

/* The assumption of stores of a format, for values with more than one possible result. */
mx_assumption mx_typed_store_rests_on(unsigned bits, unsigned numeric);

#endif
