/* mxcheck quant: a matrix, the ways in which it was quantised, and what they are compared by. */
#ifndef MX_QUANT_H
#define MX_QUANT_H

#include "codes.h"

/* What is quantised. Lines run in the direction of the blocks: rows, or with `transposed`
 * columns. */
struct mx_quant_job {
	mx_format format;
	bool transposed, override; /* override: of the recipe's rounding, by: */
	mx_rounding rounding;
	mx_block block;
	const uint32_t *random;
	struct mx_tensor x;
	size_t lines, items;
	size_t inexact; /* numbers of a float64 array that had to be rounded to f32 */
};

/* One way to do it, and what came of it. */
struct mx_quant {
	const struct mx_method *method;
	int id; /* of its recipe */
	const char *name;
	struct mx_bytes codes, scales; /* codes packed; a line each */
};

/* Part of the lines: those from `line` on, of each the items from `item` on, which is a multiple of
 * 128. */
struct mx_part {
	size_t line, lines, item, items;
};

/* A family of recipes that the library has. A new one is a row of the table in quant_method.c. */
struct mx_method {
	/* The id of the recipe called so; false if there is none in this family. */
	bool (*find)(const char *name, int *id);
	/* Its name, where its rule stands, and its formats as bits; false ends the list. */
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

/* Every element: its number, and what each of the n ways made of it. */
void mx_quant_list(const struct mx_quant_job *job, const struct mx_quant *q, int n);

/* A line for each way: how far it is from the input, and from the first way. */
int mx_quant_summary(const struct mx_quant_job *job, const struct mx_quant *q, int n,
                     struct mx_error *err);

#endif
