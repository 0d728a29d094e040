/* Element formats: the constants of the specification, and one element's value.
 * [OCP MX v1.0: 5.3.1 FP8, 5.3.2 FP6, 5.3.3 FP4] */
#include "inside.h"

#include <string.h>

static const struct exact_format formats[] = {
	/* name  bits exp man bias specials */
	{ "E5M2", 8, 5, 2, 15, EXACT_IEEE },  { "E4M3", 8, 4, 3, 7, EXACT_NAN_ONLY },
	{ "E3M2", 6, 3, 2, 3, EXACT_FINITE }, { "E2M3", 6, 2, 3, 1, EXACT_FINITE },
	{ "E2M1", 4, 2, 1, 1, EXACT_FINITE },
};

const struct exact_format *exact_format(const char *name) {
	for (size_t i = 0; name && i < sizeof formats / sizeof *formats; i++)
		if (!strcmp(name, formats[i].name))
			return &formats[i];
	return NULL;
}

size_t exact_packed_bytes(const struct exact_format *f, size_t k) {
	return k / 8 * f->bits + (k % 8 * f->bits + 7) / 8;
}

static unsigned code_at(const struct exact_format *f, const uint8_t *codes, size_t k) {
	size_t byte = k / 8 * f->bits + k % 8 * f->bits / 8;
	unsigned bit = k % 8 * f->bits % 8;
	unsigned code = codes[byte] >> bit;
	if (bit + f->bits > 8)
		code |= (unsigned)codes[byte + 1] << (8 - bit);
	return code & ((1u << f->bits) - 1);
}

void exact_unpack(const struct exact_format *f, const uint8_t *codes, size_t k, size_t n,
                  uint8_t to[EXACT_BLOCK]) {
	if (f->bits == 8)
		memcpy(to, codes + k, n);
	else if (f->bits == 4 && n == EXACT_BLOCK)
		for (size_t i = 0; i < EXACT_BLOCK / 2; i++) {
			uint8_t pair = codes[k / 2 + i];
			to[2 * i] = pair & 15;
			to[2 * i + 1] = pair >> 4;
		}
	else if (f->bits == 4)
		for (size_t i = 0; i < n; i++)
			to[i] = codes[(k + i) / 2] >> 4 * (i % 2) & 15;
	else
		for (size_t i = 0; i < n; i++)
			to[i] = (uint8_t)code_at(f, codes, k + i);
}

static unsigned special(const struct exact_format *f, unsigned exp, unsigned man) {
	if (f->specials == EXACT_FINITE || exp != (1u << f->exp_bits) - 1)
		return 0;
	if (f->specials == EXACT_IEEE)
		return man ? EXACT_NAN : EXACT_INF;
	return man == (1u << f->man_bits) - 1 ? EXACT_NAN : 0;
}

unsigned exact_element(const struct exact_format *f, const uint8_t *codes, size_t k, int64_t *sig) {
	unsigned code = code_at(f, codes, k);
	unsigned man = code & ((1u << f->man_bits) - 1);
	unsigned exp = code >> f->man_bits & ((1u << f->exp_bits) - 1);
	unsigned sign = code >> (f->bits - 1) ? EXACT_NEGATIVE : 0;
	unsigned which = special(f, exp, man);
	int64_t magnitude = exp ? (int64_t)(man | 1u << f->man_bits) << (exp - 1) : man;

	*sig = which ? 0 : sign ? -magnitude : magnitude;
	return sign | which;
}

void exact_list_codes(const struct exact_format *f, struct exact_codes *c) {
	for (unsigned code = 0; code < 1u << f->bits; code++) {
		uint8_t bytes[2] = { (uint8_t)code };
		c->flags[code] = (uint8_t)exact_element(f, bytes, 0, &c->sig[code]);
	}
}
