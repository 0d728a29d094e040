/* mxcheck quant: a matrix, its quantisations by several recipes, and their comparison. */
#ifndef MX_QUANT_H
#define MX_QUANT_H

#include "codes.h"

/* The matrix and the options. Lines run in the direction of the blocks: rows, or with `transposed`
 * columns. */
struct mx_quant_job {
	mx_format format;
	bool transposed, override; /* override: replace the recipe's rounding by: */
	mx_rounding rounding;
	mx_block block;
	const uint32_t *random;
	struct mx_tensor x;
	size_t lines, items;
	size_t inexact; /* numbers of a float64 array that were rounded to f32 */
};

/* One recipe and its result. */
struct mx_quant {
	const struct mx_method *method;
	int id; /* of its recipe */
	const char *name;
	struct mx_bytes codes, scales; /* a row for each line; codes are packed */
};

/* A part of the matrix: `lines` lines from `line`, and of each `items` items from `item`, a
 * multiple of 128. */
struct mx_part {
	size_t line, lines, item, items;
};

/* A family of recipes of the library, a row of the table in quant_method.c. */
struct mx_method {
	/* The id of the recipe `name`; false if there is none in this family. */
	bool (*find)(const char *name, int *id);
	/* Its name, the source of its rule, and its formats as bits; false ends the list. */
	bool (*describe)(int id, const char **name, const char **source, unsigned *formats);
	int (*quantize)(const struct mx_quant_job *job, struct mx_quant *q, struct mx_error *err);
	/* The values of the codes of a part, line by line. */
	void (*values)(const struct mx_quant_job *job, const struct mx_quant *q,
	               const struct mx_part *part, mx_f32 *out);
	/* The scale of one element, as text of at most 15 characters. */
	void (*scale)(const struct mx_quant *q, size_t line, size_t item, char text[16]);
};
extern const struct mx_method mx_methods[];
enum { MX_METHODS = 1, MX_QUANTS = 64 };

/* Finds a recipe by name in all families, into q. */
bool mx_quant_find(const char *name, struct mx_quant *q);

/* The code of an element. */
mx_elem mx_quant_code(const struct mx_quant_job *job, const struct mx_quant *q, size_t line,
                      size_t item);

/* Prints every element: its input and its result by each of the n recipes. */
void mx_quant_list(const struct mx_quant_job *job, const struct mx_quant *q, int n);

/* Prints a line for each recipe: its errors, and its differences from the first recipe. */
int mx_quant_summary(const struct mx_quant_job *job, const struct mx_quant *q, int n,
                     struct mx_error *err);

#endif
