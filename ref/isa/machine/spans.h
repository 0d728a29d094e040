/* Bytes of memory, of LDS or of their states as spans: compared, tested and copied. A wave's spans
 * are short, so these functions are inline. */
#ifndef MX_SPANS_H
#define MX_SPANS_H

#include "lane_bytes.h"

struct mx_span {
	uint64_t at; /* as in mx_place; or MX_NOWHERE, of a copy that writes zeros */
	uint32_t bytes;
	uint32_t to; /* of a copy: offset in LDS */
};
#define MX_NOWHERE UINT64_MAX

enum { MX_MANY_BYTES = 128 }; /* so many are left to the C library */

/* Of fewer than 16 bytes. */
static inline mx_quad mx_quad_of(const uint8_t *p, size_t bytes) {
	mx_quad q = { 0 };
	if (bytes == 4)
		memcpy(&q, p, 4);
	else if (bytes == 8)
		memcpy(&q, p, 8);
	else
		memcpy(&q, p, bytes);
	return q;
}

static inline bool mx_quad_is_zero(mx_quad q) {
	return !((q[0] | q[1]) | (q[2] | q[3]));
}

/* Zero if the bytes are the same. */
static inline mx_quad mx_bytes_differ(const uint8_t *a, const uint8_t *b, size_t bytes) {
	mx_quad any = { 0 };
	size_t i = 0;
	if (bytes >= MX_MANY_BYTES)
		return (mx_quad){ memcmp(a, b, bytes) != 0 };
	for (; i + 16 <= bytes; i += 16)
		any |= mx_quad_load(a + i) ^ mx_quad_load(b + i);
	if (i < bytes)
		any |= mx_quad_of(a + i, bytes - i) ^ mx_quad_of(b + i, bytes - i);
	return any;
}

/* Zero if all bytes are `value`. */
static inline mx_quad mx_bytes_other(const uint8_t *p, size_t bytes, uint8_t value) {
	uint32_t v = value * 0x01010101u;
	mx_quad any = { 0 }, all = { v, v, v, v };
	uint8_t left = 0;
	size_t i = 0;
	for (; i + 16 <= bytes; i += 16)
		any |= mx_quad_load(p + i) ^ all;
	for (; i < bytes; i++)
		left |= p[i] ^ value;
	any[0] |= left;
	return any;
}

static inline void mx_bytes_copy(uint8_t *to, const uint8_t *from, size_t bytes) {
	if (bytes == 16)
		memcpy(to, from, 16);
	else if (bytes == 64)
		memcpy(to, from, 64);
	else if (bytes == 4)
		memcpy(to, from, 4);
	else
		memcpy(to, from, bytes);
}

static inline void mx_bytes_set(uint8_t *to, uint8_t value, size_t bytes) {
	if (bytes == 16)
		memset(to, value, 16);
	else if (bytes == 64)
		memset(to, value, 64);
	else if (bytes == 4)
		memset(to, value, 4);
	else
		memset(to, value, bytes);
}

#endif
