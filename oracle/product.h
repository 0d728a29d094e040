/* The product that a case means, what a launch left of it, and the ways to judge that. */
#ifndef MX_PRODUCT_H
#define MX_PRODUCT_H

#include "bench_inside.h"
#include "exact/exact.h"

/* Codes are of the output's format ("FP32", "BF16", "FP16"), row-major, n to a row. */
struct mx_output {
	struct exact_gemm g;
	const char *format;
	bool has_epilogue;
	struct exact_epilogue epilogue; /* then: of these elements */
	uint32_t *got;
	uint32_t *want;     /* what is right, or near it where there is no one right answer */
	uint8_t *unwritten; /* bytes of it that the launch never wrote: then it is wrong */
	uint8_t *differs;   /* 1: wrong */
	size_t wrong, first;
	bool is_tile; /* a part of C, which begins at: */
	size_t row, col;
};

/* Reads what the last run left in C; free it also after a failure. */
int mx_output_read(const struct mx_bench *b, struct mx_output *o, struct mx_error *err);
void mx_output_free(struct mx_output *o);

/* The rows x cols part of o at (row, col): operands of its own rows, got copied, want empty. */
int mx_output_part(const struct mx_output *o, size_t row, size_t col, size_t rows, size_t cols,
                   struct mx_output *part);

/* A part of K of a product: blocks of K are whole bytes in every format. */
struct exact_gemm mx_product_slice(const struct exact_gemm *g, size_t from, size_t k);

/* Rounds n f32 patterns to the format, nearest even, in place. */
void mx_round_to(const char *format, size_t n, uint32_t *v);

/* Makes codes of o's format of its accumulators, f32, in place: by the epilogue, or rounded. */
void mx_output_finish(const struct mx_output *o, uint32_t *v);
/* The code of one, at index `at` of o. */
uint32_t mx_output_code(const struct mx_output *o, size_t at, uint32_t acc);
/* The epilogue of that element alone. */
struct exact_epilogue mx_output_epilogue(const struct mx_output *o, size_t at);

double mx_code_value(const char *format, uint32_t code);
/* NaN is NaN: its payload is not documented. Otherwise every bit counts, -0 too. */
bool mx_code_same(const char *format, uint32_t got, uint32_t want);
/* Hexadecimal digits of a code. */
int mx_code_digits(const char *format);

/* Fills differs, wrong and first from got and want; the second has differs from the judge. An
 * element that was not written is wrong whatever it holds. */
void mx_output_compare(struct mx_output *o);
void mx_output_count(struct mx_output *o);

/* ---- the judges: differs, want, wrong, first, and the basis; notes for what is wrong ---- */

/* Whether the product of the element at index `at`, possibly of changed operands, would be `got`.
 */
typedef bool mx_explains(const struct mx_bench *b, const struct mx_output *o, size_t at,
                         const struct exact_gemm *one, uint32_t got);

int mx_judge_bits(struct mx_bench *b, struct mx_output *o, struct mx_verdict *v,
                  struct mx_error *err);
int mx_judge_bound(struct mx_bench *b, struct mx_output *o, struct mx_verdict *v,
                   struct mx_error *err);
int mx_judge_set(struct mx_bench *b, struct mx_output *o, struct mx_verdict *v,
                 struct mx_error *err);
mx_explains mx_bits_explain, mx_bound_explains;

/* The note of the first wrong element. */
void mx_output_note(const struct mx_output *o, const struct mx_bench *b, const char *kind,
                    struct mx_verdict *v);

/* Lines: a few rows and columns around the first wrong element, those that differ marked. */
void mx_window(const struct mx_output *o, char *text, size_t room);

/* One line: all that explains the wrong elements, tested by recomputing, each with its share of them
 * unless that is 1; or "". */
void mx_diagnose(const struct mx_bench *b, const struct mx_output *o, mx_explains *explains,
                 char *text, size_t room);

#endif
