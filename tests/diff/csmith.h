/* The header of csmith's programs: its checked arithmetic, and a checksum with its value after each
 * variable in the results, so that the first wrong variable can be named. */
#ifndef CSMITH_H
#define CSMITH_H

#include <float.h>
#include <limits.h>

#define WORDS     1024
#define TOTALS    0
#define PHASES(X) X(whole)
#include "platform.h"

#define STATIC           static inline
#define FUNC_NAME(x)     (safe_##x)
#define UNDEFINED(value) (value)
#define LOG_INDEX
#define LOG_EXEC
#define fabs(x)             __builtin_fabs(x)
#define fabsf(x)            __builtin_fabsf(x)
#define memcpy(to, from, n) __builtin_memcpy(to, from, n)
#include <safe_math.h>

#define INT_BIT             (sizeof(int) * CHAR_BIT)
#define _CSMITH_BITFIELD(x) ((x) > INT_BIT ? (x) % INT_BIT : (x))

struct item {
	struct place place;
};

struct checksum {
	GLOBAL u64 *out;
	u32 n;
	u64 value;
};

/* FNV-1a; the last word holds all values that do not fit. */
static void checksum_add(struct checksum *c, u64 value) {
	for (int i = 0; i < 64; i += 8)
		c->value = (c->value ^ (value >> i & 0xff)) * 0x100000001b3;
	c->out[c->n] = c->value;
	c->n += c->n < WORDS - 1;
}

#define crc32_gentab()
#define platform_main_begin()
#define platform_main_end(crc, flag)
#define printf(...)
#define transparent_crc(value, name, flag) checksum_add(&checksum, (u64)(value))
#define transparent_crc_bytes(bytes, n, name, flag)                                                \
	for (int byte = 0; byte < (int)(n); byte++)                                                \
	checksum_add(&checksum, ((const u8 *)(bytes))[byte])

#endif
