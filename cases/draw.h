/* Random numbers by position: a stream, a row and a column give 128 bits, in any order.
 *
 * Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011) encrypts a
 * counter that holds the position. The key holds seed, case and buffer. No state is carried from
 * one draw to the next. */
#ifndef MX_CASES_DRAW_H
#define MX_CASES_DRAW_H

#include <stddef.h>
#include <stdint.h>

struct stream {
	uint32_t key[2];
};

/* Separate streams of one buffer. */
enum purpose { DRAW_ELEMENT, DRAW_BLOCK, DRAW_ROW, DRAW_OPERAND };

struct draw {
	uint32_t w[4];
};

struct stream draw_stream(uint64_t seed, const char *case_name, const char *buffer_name);

/* row and column are below 2^40. */
struct draw draw_at(struct stream s, enum purpose purpose, size_t row, size_t column);

/* The draws at n <= 8 columns from `column`, side by side; the rest of `few` may change, too. */
enum { DRAW_FEW = 8 };
void draw_few(struct stream s, enum purpose purpose, size_t row, size_t column, size_t n,
              struct draw few[DRAW_FEW]);
/* The same by draw_at, for comparison. */
void draw_few_plain(struct stream s, enum purpose purpose, size_t row, size_t column, size_t n,
                    struct draw few[DRAW_FEW]);

/* The sum of twelve uniforms of 10 bits, less their mean: an integer with deviation 2^10. */
static inline int draw_normal(struct draw d) {
	int sum = -12 * 1023 / 2;
	for (int i = 0; i < 4; i++)
		sum += (d.w[i] & 1023) + (d.w[i] >> 10 & 1023) + (d.w[i] >> 20 & 1023);
	return sum;
}

/* draw_normal of the draws at 32 columns from `column`, side by side. */
enum { DRAW_LINE = 32 };
void draw_normals(struct stream s, enum purpose purpose, size_t row, size_t column,
                  int32_t normal[DRAW_LINE]);
/* The same for any CPU, where the columns have the same high bytes; and by draw_at, for comparison.
 */
void draw_normals_portable(struct stream s, enum purpose purpose, size_t row, size_t column,
                           int32_t normal[DRAW_LINE]);
void draw_normals_plain(struct stream s, enum purpose purpose, size_t row, size_t column,
                        int32_t normal[DRAW_LINE]);

/* 0 to n - 1 from a word; the probability of each is within 2^-32 of 1 / n. */
static inline uint32_t draw_below(uint32_t word, uint32_t n) {
	return (uint64_t)word * n >> 32;
}

#endif
