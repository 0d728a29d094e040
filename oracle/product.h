/* The output of a case after a launch, its product, and the judges. */
#ifndef MX_PRODUCT_H
#define MX_PRODUCT_H

#include "bench_inside.h"
#include "exact/exact.h"

enum { MX_OUTPUT_SOME = 1 << 18 }; /* elements that are worth a thread */

/* The output. Codes are of its format ("FP32", "BF16", "FP16"), row-major, n in a row. */
struct mx_output {
	struct exact_gemm g;
	const char *format;
	bool flushes; /* subnormal accumulators become zeros of their sign */
	bool has_epilogue;
	struct exact_epilogue epilogue; /* then: of the elements below */
	const uint32_t *got; /* in own_got, or in the bench: C itself, if its codes are dwords */
	uint32_t *own_got;
	uint32_t *want; /* the right code, or an approximate one if there are several right codes */
	bool wants_expected; /* it is mx_bench.expected, which stays there */
	uint8_t *unwritten;  /* bytes of each element that the launch never wrote; an element with
	                        any is wrong */
	bool has_unwritten;  /* false: all are 0 */
	uint8_t *differs;    /* 1: wrong; at first 0 */
	bool is_same;        /* got has the bits that are wanted, which `want` may not hold then */
	size_t wrong, first;
	uint32_t *c_of_tile; /* C of the epilogue, if it is of this tile alone */
	bool is_tile;        /* a part of C, which begins at row, col */
	size_t row, col;
};

/* What mx_judge_threads has set. */
unsigned mx_judge_n_threads(void);

/* Reads C after the last run; to be freed even after a failure. */
int mx_output_read(const struct mx_bench *b, struct mx_output *o, struct mx_error *err);
/* The same of a tile. */
int mx_output_read_tile(const struct mx_bench *b, const struct mx_tile *t, struct mx_output *o,
                        struct mx_error *err);
void mx_output_free(struct mx_output *o);

/* The rows x cols part of o at (row, col): its operands' rows, a copy of got, and an empty want. */
int mx_output_part(const struct mx_output *o, size_t row, size_t col, size_t rows, size_t cols,
                   struct mx_output *part);

/* The operand from row `row` on. */
struct exact_operand mx_operand_from(struct exact_operand o, size_t row);

/* The product over k elements of K from `from`. Blocks of K are whole bytes in every format. */
struct exact_gemm mx_product_slice(const struct exact_gemm *g, size_t from, size_t k);

/* Rounds n f32 patterns to the format, nearest even, in place. */
void mx_round_to(const char *format, size_t n, uint32_t *v);

/* Converts o's accumulators, f32, to codes of its format in place: by the epilogue, or by
 * rounding. */
void mx_output_finish(const struct mx_output *o, uint32_t *v);
/* The same for one element, at index `at` of o. */
uint32_t mx_output_code(const struct mx_output *o, size_t at, uint32_t acc);
/* The epilogue of one element. */
struct exact_epilogue mx_output_epilogue(const struct mx_output *o, size_t at);

double mx_code_value(const char *format, uint32_t code);
/* Any NaN equals any NaN: its payload is not documented. Otherwise every bit counts, also of -0. */
bool mx_code_same(const char *format, uint32_t got, uint32_t want);
/* Hexadecimal digits of a code. */
int mx_code_digits(const char *format);

/* Sets wrong and first; mx_output_compare also sets differs, from got and want, and mx_output_count
 * takes differs from the judge. An unwritten element is wrong, whatever its value. */
void mx_output_compare(struct mx_output *o);
void mx_output_count(struct mx_output *o);

/* ---- the judges: they set differs, want, wrong, first and the basis, and note faults ---- */

/* Whether the product of the element at index `at`, with operands that a fault may have changed,
 * gives `got`. */
typedef bool mx_explains(const struct mx_bench *b, const struct mx_output *o, size_t at,
                         const struct exact_gemm *one, uint32_t got);

int mx_judge_bits(struct mx_bench *b, struct mx_output *o, struct mx_verdict *v,
                  struct mx_error *err);
int mx_judge_bound(struct mx_bench *b, struct mx_output *o, struct mx_verdict *v,
                   struct mx_error *err);
int mx_judge_close(struct mx_bench *b, struct mx_output *o, struct mx_verdict *v,
                   struct mx_error *err);
int mx_judge_set(struct mx_bench *b, struct mx_output *o, struct mx_verdict *v,
                 struct mx_error *err);
mx_explains mx_bits_explains, mx_bound_explains;

/* Notes the first wrong element. */
void mx_output_note(const struct mx_output *o, const struct mx_bench *b, const char *kind,
                    struct mx_verdict *v);

/* Lines: some rows and columns around the first wrong element; wrong ones are marked. */
void mx_window(const struct mx_output *o, char *text, size_t room);

/* Keeps where o is wrong in the bench. Short of memory there is no map. */
void mx_map_make(struct mx_bench *b, const struct mx_output *o);

/* One line: all faults that explain the wrong elements, tested by recomputation, each with its
 * share unless that is 1; or "", also for a sum that does not consist of whole blocks. */
void mx_diagnose(const struct mx_bench *b, const struct mx_output *o, mx_explains *explains,
                 char *text, size_t room);

#endif
