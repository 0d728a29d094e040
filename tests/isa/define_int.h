/* Functions and macros for the definitions of integer instructions in the .def files, independent
 * of ref/isa. */
#ifndef DEFINE_INT_H
#define DEFINE_INT_H

#include <stdbool.h>
#include <stdint.h>

/* A number of `bits` bits at a position in a dword, unsigned and signed. */
static inline int64_t unsigned_part(uint64_t u, unsigned at, unsigned bits) {
	return (int64_t)(u >> at) & ((1ll << bits) - 1);
}
static inline int64_t signed_part(uint64_t u, unsigned at, unsigned bits) {
	int64_t v = unsigned_part(u, at, bits);
	return v >= 1ll << (bits - 1) ? v - (1ll << bits) : v;
}

/* The nearest number within a range. */
static inline uint32_t SAT(int64_t v, int64_t least, int64_t most) {
	if (v > most)
		v = most;
	return (uint32_t)(v < least ? least : v);
}
#define SAT_U16(v) SAT(v, 0, 65535)
#define SAT_I16(v) SAT(v, -32768, 32767)
#define SAT_U32(v) SAT(v, 0, 4294967295)
#define SAT_I32(v) SAT(v, -2147483648, 2147483647)

/* Low half, top half; a signed number. */
#define H(u)   ((uint32_t)unsigned_part(u, 0, 16))
#define T(u)   ((uint32_t)unsigned_part(u, 16, 16))
#define S16(u) ((int32_t)signed_part((uint32_t)(u), 0, 16))

/* The place of a 16-bit result: alone, in d's low half, in its top half. */
#define LOW(v)  ((uint32_t)(v) % 65536)
#define KEEP(v) (LOW(v) | T(d) << 16)
#define HIGH(v) (LOW(v) << 16 | H(d))

/* Two halves, and one operation on both: p, q, r are the halves of the sources. */
#define PACK(low, high) (LOW(low) | LOW(high) << 16)

/* Sum of products of parts of two dwords. */
static inline int64_t signed_products(uint32_t a, uint32_t b, unsigned bits) {
	int64_t sum = 0;
	for (unsigned at = 0; at < 32; at += bits)
		sum += signed_part(a, at, bits) * signed_part(b, at, bits);
	return sum;
}
static inline int64_t unsigned_products(uint32_t a, uint32_t b, unsigned bits) {
	int64_t sum = 0;
	for (unsigned at = 0; at < 32; at += bits)
		sum += unsigned_part(a, at, bits) * unsigned_part(b, at, bits);
	return sum;
}

/* Sum of absolute differences of bytes. If `masks`, bytes with second byte 0 are skipped. */
static inline int64_t distances(uint64_t a, uint32_t b, bool masks) {
	int64_t sum = 0;
	for (unsigned at = 0; at < 32; at += 8) {
		int64_t v = unsigned_part(a, at, 8), ref = unsigned_part(b, at, 8);
		if (ref || !masks)
			sum += v < ref ? ref - v : v - ref;
	}
	return sum;
}

/* Four such sums, each one byte further, added to four 16-bit numbers. */
static inline uint64_t four_distances(uint64_t a, uint32_t b, uint64_t c, bool masks, bool clamps) {
	uint64_t d = 0;
	for (unsigned i = 0; i < 4; i++) {
		int64_t sum = distances(a >> 8 * i, b, masks) + unsigned_part(c, 16 * i, 16);
		d += (uint64_t)(clamps ? SAT_U16(sum) : (uint32_t)sum % 65536) << 16 * i;
	}
	return d;
}

#endif
