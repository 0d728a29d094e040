/* Bytes of memory, of LDS or of their states as lists of spans: compared, tested and written. */
#ifndef MX_SPANS_H
#define MX_SPANS_H

#include "../../num/cpu.h"
#include "lane_bytes.h"

struct mx_span {
	uint64_t at; /* as in mx_place; or MX_NOWHERE, of a copy that writes zeros */
	uint32_t bytes;
	uint32_t to; /* of a copy: offset in LDS */
};
#define MX_NOWHERE UINT64_MAX

/* Whether n spans have these bytes, one span after the other. */
typedef bool mx_spans_are_function(uintptr_t base, const struct mx_span *span, unsigned n,
                                   const uint8_t *bytes);
extern mx_spans_are_function MX_STEPS_OF(mx_spans_are);

/* Whether each byte has this value; those that are nowhere have. */
typedef bool mx_spans_all_function(uintptr_t base, const struct mx_span *span, unsigned n,
                                   uint8_t value);
extern mx_spans_all_function MX_STEPS_OF(mx_spans_all);

/* Writes these bytes to the spans; and one value to each byte. */
typedef void mx_spans_write_function(uintptr_t base, const struct mx_span *span, unsigned n,
                                     const uint8_t *bytes);
extern mx_spans_write_function MX_STEPS_OF(mx_spans_write);
typedef void mx_spans_set_function(uintptr_t base, const struct mx_span *span, unsigned n,
                                   uint8_t value);
extern mx_spans_set_function MX_STEPS_OF(mx_spans_set);

/* Copies spans to their places in LDS. */
typedef void mx_spans_copy_function(uint8_t *lds, const struct mx_span *span, unsigned n);
extern mx_spans_copy_function MX_STEPS_OF(mx_spans_copy);

#endif
