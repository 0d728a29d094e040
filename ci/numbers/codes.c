/* Codes and scales: lists of numbers, .npy files, packed rows. */
#define _GNU_SOURCE
#include "codes.h"

#include <stdlib.h>
#include <string.h>

#include "../cli/args.h"

enum { MAX_TYPED = 1 << 20 }; /* codes; more need a file */

/* ---- lists ---- */

/* Appends "CODE" or "CODE*N". */
static int append(char *item, unsigned max, struct mx_bytes *b, struct mx_error *err) {
	unsigned long code, times = 1;
	char *star = strchr(item, '*');
	if (star)
		*star = 0;
	if (!mx_parse_unsigned(item, max, &code))
		return mx_fail(err, "'%s' is not a number from 0 to 0x%X", item, max);
	if (star && (!mx_parse_unsigned(star + 1, MAX_TYPED, &times) || !times ||
	             b->cols + times > MAX_TYPED))
		return mx_fail(err, "'*%s' is not a number of repeats, or there are too many",
		               star + 1);
	uint8_t *grown = realloc(b->v, b->cols + times);
	if (!grown)
		return mx_fail(err, "out of memory");
	b->v = grown;
	memset(b->v + b->cols, (int)code, times);
	b->cols += times;
	return 0;
}

int mx_bytes_parse(const char *text, unsigned max, struct mx_bytes *b, struct mx_error *err) {
	char *copy = strdup(text), *rest = copy, *item;
	int status = copy ? 0 : mx_fail(err, "out of memory");
	*b = (struct mx_bytes){ .rows = 1 };
	while (!status && (item = strsep(&rest, ",")))
		status = append(item, max, b, err);
	free(copy);
	return status;
}

/* ---- files ---- */

int mx_bytes_read(const char *path, struct mx_bytes *b, struct mx_error *err) {
	struct mx_npy a;
	*b = (struct mx_bytes){ 0 };
	if (mx_npy_read(path, &a, err))
		return -1;
	int status = mx_npy_matrix(path, &a, &b->rows, &b->cols, err);
	if (!status && (a.kind != 'u' || a.bytes != 1))
		status = mx_fail(err, "%s: is %s; codes and scales are u8", path, mx_npy_type(&a));
	if (status)
		mx_npy_free(&a);
	else
		b->v = a.data;
	return status;
}

int mx_codes_unpack(mx_format f, size_t cols, struct mx_bytes *b, struct mx_error *err) {
	uint8_t *v = calloc(b->rows, cols ? cols : 1);
	if (!v || !cols) {
		free(v);
		return mx_fail(err, v ? "a row holds no whole element" : "out of memory");
	}
	for (size_t r = 0; r < b->rows; r++)
		for (size_t c = 0; c < cols; c++)
			v[r * cols + c] = mx_elem_get(f, b->v + r * b->cols, c).v;
	free(b->v);
	b->v = v;
	b->cols = cols;
	return 0;
}

static int check_codes(const char *path, mx_format f, const struct mx_bytes *b,
                       struct mx_error *err) {
	for (size_t i = 0; i < b->rows * b->cols; i++)
		if (b->v[i] >> mx_format_info(f)->bits)
			return mx_fail(err,
			               "%s: [%zu][%zu] is 0x%02X, not a code of %s, one to a byte; "
			               "packed codes need --packed",
			               path, i / b->cols, i % b->cols, b->v[i],
			               mx_format_info(f)->name);
	return 0;
}

int mx_codes_load(const char *text, mx_format f, bool packed, struct mx_bytes *b,
                  struct mx_error *err) {
	if (!mx_is_npy(text))
		return mx_bytes_parse(text, (1u << mx_format_info(f)->bits) - 1, b, err);
	if (mx_bytes_read(text, b, err))
		return -1;
	return packed ? mx_codes_unpack(f, b->cols * 8 / mx_format_info(f)->bits, b, err)
	              : check_codes(text, f, b, err);
}

int mx_codes_pack(mx_format f, struct mx_bytes *b, struct mx_error *err) {
	size_t cols = mx_packed_bytes(f, b->cols);
	uint8_t *v = calloc(b->rows, cols);
	if (!v)
		return mx_fail(err, "out of memory");
	for (size_t r = 0; r < b->rows; r++)
		for (size_t c = 0; c < b->cols; c++)
			mx_elem_set(f, v + r * cols, c, (mx_elem){ b->v[r * b->cols + c] });
	free(b->v);
	b->v = v;
	b->cols = cols;
	return 0;
}

struct mx_npy mx_bytes_npy(const struct mx_bytes *b) {
	return (struct mx_npy){ 'u', 1, 2, { b->rows, b->cols }, b->rows * b->cols, b->v };
}
