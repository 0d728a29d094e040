/* Values of a buffer's elements, as doubles. */
#ifndef MX_VALUES_H
#define MX_VALUES_H

#include "../cases/case.h"

/* Element i of a line; codes are packed. Integers of 64 bits are rounded to a double. */
double mx_value(mx_buffer_type type, const uint8_t *line, size_t i);

/* The name of a type's format in exact/exact.h; "": it has none. */
const char *mx_type_format(mx_buffer_type type);

/* The bits of a code, and the code of an element in the bytes of its buffer, in the device's
 * layout.
 */
unsigned mx_code_bits(mx_buffer_type type);
uint64_t mx_code_in(const struct mx_buffer *s, const uint8_t *bytes, size_t row, size_t col);

/* Whether marks, one for each of these bytes, has any for the element. */
bool mx_is_marked(const struct mx_buffer *s, const uint8_t *marks, size_t row, size_t col);

/* The distance between the numbers of the type around x, which are subnormal at least: 1 for an
 * integer. */
double mx_unit_in_last_place(mx_buffer_type type, double x);

/* The smallest normal number of a floating-point type; 0 for other types. */
double mx_least_normal(mx_buffer_type type);

/* Digits of a floating-point type, the hidden one included; 0 for other types. */
int mx_digits(mx_buffer_type type);

#endif
